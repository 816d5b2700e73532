"""How the stage render talks to a notebook's kernel, and what the stage draw draws."""

import html
import json
import os
import shutil
import sys
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import pytest
from nbformat import v4

from dpbandits.base.digests import file_digest
from dpbandits.base.storage import CHECKSUMS, DamagedFile
from dpbandits.stages.draw import draw
from dpbandits.stages.render import connection, execute, render, without
from tests.shipped import ROOT, shipped

DATA = ROOT / "figures/hanna2022/data"


FIGURES = ("audit_power", "regret_against_budget")


def test_kernel_is_reached_by_sockets_in_the_folder_of_the_job() -> None:
    assert connection("/folder/a") == {"transport": "ipc", "ip": "/folder/a/kernel"}


@pytest.mark.parametrize(("length", "sockets"), [(90, True), (107, False)])
def test_kernel_is_reached_by_ports_where_a_path_is_too_long_for_a_socket(length: int, sockets: bool) -> None:
    assert bool(connection("/" + "x" * (length - 1))) == sockets


def test_a_notebook_shows_its_plots_whatever_the_backend_of_the_shell_is(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("MPLBACKEND", "Agg")
    cell = "import matplotlib.pyplot as plt\nplt.figure(figsize=(1, 1)).gca();"
    made = v4.new_notebook(cells=[v4.new_code_cell(cell)], metadata={"language_info": {"name": "python"}})
    place = tmp_path / "notebooks/one2020.ipynb"
    place.parent.mkdir()
    (shown,) = json.loads(execute(place, {}, made))["cells"]
    assert ["image/png" in output["data"] for output in shown["outputs"]] == [True]


def test_a_figure_is_not_drawn_before_it_is_shown(tmp_path: Path) -> None:
    """Showing it draws twice: once to measure what it covers. pyplot's own drawing after the cell would come before."""
    counted = """import matplotlib.pyplot as plt
from matplotlib.figure import Figure
draw, drawn = Figure.draw, []
Figure.draw = lambda figure, renderer: (drawn.append(figure), draw(figure, renderer))
plt.figure(figsize=(1, 1)).gca();"""
    cells = [v4.new_code_cell(counted), v4.new_code_cell("len(drawn)")]
    made = v4.new_notebook(cells=cells, metadata={"language_info": {"name": "python"}})
    place = tmp_path / "notebooks/one2020.ipynb"
    place.parent.mkdir()
    shown = json.loads(execute(place, {}, made))["cells"]
    assert "image/png" in shown[0]["outputs"][0]["data"]
    assert shown[1]["outputs"][0]["data"]["text/plain"] == ["2"]


def test_an_import_can_fail_as_if_the_module_were_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "this", raising=False)
    with without("this"), pytest.raises(ImportError):
        import_module("this")
    assert "this" not in sys.modules
    with without("json"):  # loaded already
        assert import_module("json") is json


def test_warnings_of_the_machine_go_to_the_log_and_not_into_the_notebook(tmp_path: Path, capsys) -> None:
    cell = """import logging, sys, warnings
print("the question")
sys.stdout.flush()
logging.warning("no space for fonts")
warnings.warn("a path of this machine")
print("to the log", file=sys.stderr)
print("the answer")"""
    made = v4.new_notebook(cells=[v4.new_code_cell(cell)], metadata={"language_info": {"name": "python"}})
    place = tmp_path / "notebooks/one2020.ipynb"
    place.parent.mkdir()
    (shown,) = json.loads(execute(place, {}, made))["cells"]
    assert [(output["name"], "".join(output["text"])) for output in shown["outputs"]] == [
        ("stdout", "the question\nthe answer\n")
    ]
    said = capsys.readouterr().err
    assert all(words in said for words in ("no space for fonts", "a path of this machine", "to the log"))


def test_the_figures_that_are_asked_for_are_drawn(tmp_path: Path) -> None:
    """Pictures of an earlier run are replaced."""
    paper = shipped("full").papers["hanna2022"]
    one = paper.figures["audit_power"].model_copy(update={"calibrations": ("certified",)})
    paper = replace(paper, figures={**paper.figures, "audit_power": one})
    (tmp_path / "audit_power-certified.svg").write_text("of an earlier run")
    draw(paper, ["audit_power"], DATA, DATA / "claims.json", DATA / "audit.json", tmp_path)
    assert [path.name for path in tmp_path.glob("*.*")] == ["audit_power-certified.svg"]
    committed = ROOT / "figures/hanna2022/audit_power-certified.svg"
    found = (tmp_path / "audit_power-certified.svg").read_text(encoding="utf-8")
    assert found.count("<use ") == committed.read_text(encoding="utf-8").count("<use ")


def test_damaged_tables_are_set_aside_before_figures_are_drawn(tmp_path: Path) -> None:
    paper = shipped("full").papers["hanna2022"]
    data = tmp_path / "figures/hanna2022/data"
    shutil.copytree(DATA, data)
    shutil.copy(ROOT / "figures" / CHECKSUMS, tmp_path / "figures")
    table = data / "figure2.summary.parquet"
    table.write_bytes(b"")
    with pytest.raises(DamagedFile, match=r"quarantined as \.damaged"):
        draw(paper, FIGURES, data, DATA / "claims.json", DATA / "audit.json", tmp_path)
    assert {path.name for path in DATA.iterdir()} - {path.name for path in data.iterdir()} == {table.name}
    assert not (tmp_path / "audit_power-certified.svg").exists()


def test_a_notebook_is_told_where_the_results_are_and_its_data_are_copied(tmp_path: Path) -> None:
    paper = shipped("full").papers["hanna2022"]
    figures = tmp_path / "figures"
    made = v4.new_notebook(cells=[v4.new_code_cell("print(folders)")], metadata={"language_info": {"name": "python"}})
    page = tmp_path / "x.html"
    records = (DATA / "claims.json", DATA / "audit.json")
    before = dict(os.environ)
    render(tmp_path / "notebooks/hanna2022.ipynb", paper, {}, DATA, *records, figures, tmp_path / "x.ipynb", page, made)
    assert dict(os.environ) == before
    copied = {path.name: path.read_bytes() for path in figures.rglob("*.*")}
    checksums = {f"{path.name}.sha256": f"{file_digest(path)}  {path.name}\n".encode() for path in records}
    assert copied == {path.name: path.read_bytes() for path in records} | checksums
    with pytest.raises(FileExistsError):  # before the notebook runs, which would end in another fault
        render(tmp_path / "none.ipynb", paper, {}, DATA, *records, figures, tmp_path / "x.ipynb", page / "y.html", None)
    told = {"tables": DATA, "claims": records[0], "audits": records[1]}
    relative = {name: os.path.relpath(place, tmp_path / "notebooks") for name, place in told.items()}
    assert html.escape(str(relative), quote=False) in page.read_text(encoding="utf-8")
