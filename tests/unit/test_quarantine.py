"""Inputs of a stage that are not those asked for are named and set aside, whatever their checksums and times say."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dpbandits.base.parquet import write_table
from dpbandits.base.storage import DamagedFile, read_record, write_json, write_record
from dpbandits.stages.quarantine import RUNS, SUMMARY, demand_records, demand_tables, heading, setting_aside

from .small import CENTRAL, PLAIN, curve

ONE, OTHER = curve(CENTRAL, "printed", seeds=6), curve(PLAIN, "printed", seeds=6)
SOURCES = {ONE.folder: "abc", OTHER.folder: "def"}
SAYS = heading(RUNS, [ONE, OTHER], 1, SOURCES)


def table(path: Path, heading: dict[str, Any]) -> Path:
    """A table with this heading, and digests of chunks, which no heading has."""
    origins = [{**each, "chunks": {"seeds_0-5.parquet": "0"}} for each in heading["curves"]]
    write_table(path, {"seed": np.arange(6)}, {**heading, "curves": origins, "level": 0.95})
    return path


def test_a_table_that_is_asked_for_passes(tmp_path: Path):
    demand_tables({table(tmp_path / "runs.parquet", SAYS): SAYS})
    assert heading(RUNS, [ONE], 1, {})["curves"] == [{"curve": ONE.identity(), "folder": ONE.folder, "seeds": 6}], (
        "a bound has no sources"
    )


@pytest.mark.parametrize(
    ("asked", "what"),
    [
        (heading(SUMMARY, [ONE, OTHER], 1, SOURCES), "a different kind of table"),
        (heading(RUNS, [ONE, OTHER], 2, SOURCES), "a different root seed"),
        (heading(RUNS, [ONE], 1, SOURCES), "different curves, seeds or sources"),
        (heading(RUNS, [OTHER, ONE], 1, SOURCES), "different curves, seeds or sources"),
        (heading(RUNS, [ONE, replace(OTHER, seeds=8)], 1, SOURCES), "different curves, seeds or sources"),
        (heading(RUNS, [ONE, OTHER], 1, {**SOURCES, ONE.folder: "xyz"}), "different curves, seeds or sources"),
        (
            heading(SUMMARY, [ONE], 2, SOURCES),
            "a different kind of table, a different root seed, different curves, seeds or sources",
        ),
    ],
)
def test_another_table_in_its_place_is_set_aside(asked: dict[str, Any], what: str, tmp_path: Path):
    right, wrong = table(tmp_path / "right.parquet", asked), table(tmp_path / "wrong.parquet", SAYS)
    with pytest.raises(DamagedFile) as fault:
        demand_tables({right: asked, wrong: asked})
    assert str(fault.value) == f"{wrong}: holds {what}; quarantined as .damaged; run again"
    assert right.exists()
    assert sorted(path.name for path in tmp_path.glob("wrong*")) == ["wrong.parquet.damaged"]


def test_what_an_earlier_attempt_set_aside_is_said(tmp_path: Path):
    """A scheduler repeats a failed job, which then misses the file."""
    wrong = table(tmp_path / "wrong.parquet", SAYS)
    asked = {wrong: heading(RUNS, [ONE, OTHER], 2, SOURCES)}
    for says in ("holds a different root seed; quarantined", "; was quarantined as .damaged before; run again"):
        with pytest.raises(DamagedFile, match=says):
            demand_tables(asked)


def test_a_table_without_a_heading_and_what_is_no_table_are_set_aside(tmp_path: Path):
    bare, text = tmp_path / "bare.parquet", tmp_path / "text.parquet"
    write_table(bare, {"seed": np.arange(6)}, {"curves": []})
    text.write_text("not a table")
    with pytest.raises(
        DamagedFile, match=r"bare.parquet: holds a different kind .*text.parquet: is not a table; quarantined"
    ):
        demand_tables({bare: SAYS, text: SAYS})
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bare.parquet.damaged", "text.parquet.damaged"]


def test_tables_with_other_faults_are_named_by_the_same_run(tmp_path: Path):
    """One has no heading that can be read, the other a heading that is right and a changed byte."""
    text, changed, whole = (tmp_path / f"{name}.parquet" for name in ("text", "changed", "whole"))
    text.write_text("not a table")
    for path in (changed, whole):
        table(path, SAYS)
    content = bytearray(changed.read_bytes())
    content[6] ^= 1
    changed.write_bytes(content)
    with pytest.raises(DamagedFile) as fault:
        demand_tables({text: SAYS, changed: SAYS, whole: SAYS})
    named = [each.partition(": ") for each in str(fault.value).split("; run again")]
    assert [Path(each[0].removeprefix("; ")).name for each in named if each[0]] == ["text.parquet", "changed.parquet"]
    assert [each[2] for each in named if each[0]] == [
        "is not a table; quarantined as .damaged",
        "does not match its checksum; quarantined as .damaged",
    ]
    assert whole.exists()
    assert not changed.exists()


def test_a_table_that_is_missing_is_named(tmp_path: Path):
    with pytest.raises(DamagedFile, match=r"runs.parquet: cannot be read .*; run again"):
        demand_tables({tmp_path / "runs.parquet": SAYS})


def test_a_record_is_what_was_written(tmp_path: Path):
    path = tmp_path / "claims.json"
    write_record(path, {"paper": "p", "records": [{"estimate": 0.1, "epsilons": (1, None)}]})
    assert read_record(path) == {"paper": "p", "records": [{"estimate": 0.1, "epsilons": [1, None]}]}
    demand_records({path: {"paper": "p"}})


@pytest.mark.parametrize("change", [("0.1", "0.2"), ("null", "2"), ('"p"', '"q"'), ("sha256", "sha255"), ("}", "")])
def test_a_record_that_was_changed_is_set_aside(change: tuple[str, str], tmp_path: Path):
    path = tmp_path / "claims.json"
    write_record(path, {"paper": "p", "records": [{"estimate": 0.1, "epsilons": (1, None)}]})
    path.write_text(path.read_text(encoding="utf-8").replace(*change), encoding="utf-8")
    with pytest.raises(DamagedFile, match=r"claims.json: .*; quarantined as .damaged; run again"):
        demand_records({path: {"paper": "p"}})
    assert [each.name for each in tmp_path.iterdir()] == ["claims.json.damaged"]


def test_the_record_of_another_paper_is_set_aside(tmp_path: Path):
    path = tmp_path / "claims.json"
    write_record(path, {"paper": "p", "scale": "smoke"})
    with pytest.raises(DamagedFile) as fault:
        demand_records({path: {"paper": "p", "scale": "quick"}})
    assert str(fault.value).startswith(
        f"{path}: belongs to scale smoke; must belong to paper p, scale quick; quarantined"
    )


@pytest.mark.parametrize("values", [[1], "text", None])
def test_json_that_is_no_record_is_damaged(values: object, tmp_path: Path):
    write_json(tmp_path / "a.json", values)
    with pytest.raises(DamagedFile, match="does not match its checksum"):
        read_record(tmp_path / "a.json")


def test_the_file_that_a_fault_is_about_is_set_aside_and_no_other(tmp_path: Path):
    one, other = tmp_path / "a.json", tmp_path / "b.json"
    for path in (one, other):
        path.touch()
    says = r"a.json: is wrong; quarantined as .damaged; run again"
    with pytest.raises(DamagedFile, match=says), setting_aside([one, other]):
        raise DamagedFile(f"{one}: is wrong; delete it and run again")
    with pytest.raises(DamagedFile, match=r"^other: is wrong$"), setting_aside([other]):
        raise DamagedFile("other: is wrong")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.json.damaged", "b.json"]
