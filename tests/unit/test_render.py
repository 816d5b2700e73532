"""How the stage render talks to a notebook's kernel, and what it draws beside the notebook."""

import os
from dataclasses import replace
from pathlib import Path

import pytest
from nbformat import v4

from dpbandits.stages.render import connection, render
from tests.shipped import ROOT, shipped

DATA = ROOT / "figures/hanna2022/data"
CERTIFIED = {"calibrations": ("certified",)}


def test_kernel_is_reached_by_sockets_in_the_folder_of_the_job() -> None:
    assert connection("/folder/a") == {"transport": "ipc", "ip": "/folder/a/kernel"}


@pytest.mark.parametrize(("length", "sockets"), [(90, True), (107, False)])
def test_kernel_is_reached_by_ports_where_a_path_is_too_long_for_a_socket(length: int, sockets: bool) -> None:
    assert bool(connection("/" + "x" * (length - 1))) == sockets


def test_figures_that_the_notebook_does_not_draw_are_drawn(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The notebook writes one picture, which an earlier run left as well; another one of that run is out of date."""
    paper = shipped("full").papers["hanna2022"]
    kept = paper.figures["audit_epsilons"].model_copy(update={"calibrations": ("printed",)})
    drawn = paper.figures["audit_power"].model_copy(update=CERTIFIED)
    paper = replace(paper, figures={"audit_epsilons": kept, "audit_power": drawn})
    figures = tmp_path / "figures"
    figures.mkdir()
    for name in ("audit_epsilons-printed.svg", "audit_power-certified.svg"):
        (figures / name).write_text("of an earlier run")
    cell = "\n".join(
        (
            "from pathlib import Path",
            "for ending in ('svg', 'png'):",
            "    picture = Path(figures_dir, f'audit_epsilons-printed.{ending}')",
            "    picture.unlink(missing_ok=True)",
            "    picture.write_text('of the notebook')",
        )
    )
    made = v4.new_notebook(cells=[v4.new_code_cell(cell)], metadata={"language_info": {"name": "python"}})
    out = (tmp_path / "x.ipynb", tmp_path / "x.html")
    records = (DATA / "claims.json", DATA / "audit.json")
    before = dict(os.environ)
    render(tmp_path / "notebooks/hanna2022.ipynb", paper, {}, DATA, *records, figures, *out, made)
    assert dict(os.environ) == before
    assert (figures / "audit_epsilons-printed.svg").read_text() == "of the notebook"
    committed = ROOT / "figures/hanna2022/audit_power-certified.svg"
    found = (figures / "audit_power-certified.svg").read_text(encoding="utf-8")
    assert found.count("<use ") == committed.read_text(encoding="utf-8").count("<use ")
    assert {path.name for path in figures.glob("audit_power*")} == {
        *("audit_power-certified.svg", "audit_power-certified.png", "audit_power.csv")
    }
    says = "audit_power-certified: drawn here, since the notebook does not draw it\n"
    assert capsys.readouterr().out == says
