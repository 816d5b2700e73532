"""The committed results of the full scale: judged again, drawn again, and one chunk of each paper computed again.

What is older than the code is listed and does not fail: results are re-made by `make full`.
"""

import csv
import json
from pathlib import Path

import pytest

from dpbandits.algorithms.table import TABLE
from dpbandits.experiments import dependencies
from dpbandits.experiments.config import load_project
from dpbandits.experiments.grid import curves
from dpbandits.figures import notebook
from dpbandits.stages.judge import judge
from dpbandits.stages.simulate import run_seeds
from dpbandits.storage import columns_digest, read_table

from .test_golden_digests import platform_of

ROOT = Path(__file__).resolve().parents[2]
PROJECT = load_project(ROOT, {"scale": "full"})
PAPERS = sorted(PROJECT.papers)
HOME = json.loads((Path(__file__).parent / "digests.json").read_text(encoding="utf-8"))["platform"]
SAME_BITS = platform_of() == HOME
OTHER_BITS = f"bits are promised where the results were made ({HOME}), not here; numbers are compared instead"


def data(paper: str) -> Path:
    return ROOT / "figures" / paper / "data"


def origins(paper: str, experiment: str) -> dict[str, dict]:
    """Folder of the curve -> what the table says about where its runs come from."""
    _, provenance = read_table(data(paper) / f"{experiment}.parquet")
    return {origin["folder"]: origin for origin in provenance["curves"]}


def close(found: object, committed: object) -> bool:
    """Equal, numbers up to the last digits, which another processor may turn."""
    if isinstance(committed, dict):
        return set(found) == set(committed) and all(close(found[key], committed[key]) for key in committed)
    if isinstance(committed, list):
        return len(found) == len(committed) and all(map(close, found, committed))
    if isinstance(committed, float):
        return found == pytest.approx(committed, rel=1e-6, abs=1e-9)
    return found == committed


@pytest.mark.parametrize("paper", PAPERS)
def test_tables_belong_to_the_configuration(paper):
    for experiment in PROJECT.papers[paper].experiments:
        expected = {curve.folder: curve.seeds for curve in curves(PROJECT, PROJECT.papers[paper], experiment)}
        assert {folder: each["seeds"] for folder, each in origins(paper, experiment).items()} == expected


@pytest.mark.parametrize("paper", PAPERS)
def test_judged_again(paper, tmp_path):
    section = PROJECT.papers[paper]
    records = judge(
        paper,
        "full",
        PROJECT.root_seed,
        section.claims,
        section.figures,
        {experiment: curves(PROJECT, section, experiment) for experiment in section.experiments},
        {name: algorithm.calibrations for name, algorithm in TABLE.items()},
        {experiment: data(paper) / f"{experiment}.parquet" for experiment in section.experiments},
        tmp_path / "claims.json",
    )
    committed = json.loads((data(paper) / "claims.json").read_text(encoding="utf-8"))["records"]
    assert close(json.loads(json.dumps(records)), committed)


@pytest.mark.parametrize("paper", PAPERS)
def test_drawn_again(paper, tmp_path, monkeypatch):
    monkeypatch.chdir(ROOT)
    results = notebook.open_results(paper, str(data(paper)), str(data(paper) / "claims.json"), str(tmp_path))
    for name, section in PROJECT.papers[paper].figures.items():
        for calibration in section["calibrations"]:
            notebook.save(results, name, calibration)
        with (tmp_path / f"{name}.csv").open() as new, (ROOT / f"figures/{paper}/{name}.csv").open() as old:
            assert list(csv.reader(new)) == list(csv.reader(old))
    if not SAME_BITS:
        pytest.skip(OTHER_BITS)
    for path in sorted(tmp_path.glob("*.svg")):
        assert path.read_bytes() == (ROOT / f"figures/{paper}/{path.name}").read_bytes(), path.name


@pytest.mark.skipif(not SAME_BITS, reason=OTHER_BITS)
@pytest.mark.parametrize("paper", PAPERS)
def test_one_chunk_computed_again(paper):
    """The cheapest chunk of the paper."""
    found = [
        curve
        for experiment in PROJECT.papers[paper].experiments
        for curve in curves(PROJECT, PROJECT.papers[paper], experiment)
        if curve.calibration == "printed"
    ]
    curve = min(found, key=lambda c: len(c.points) * c.replicates * c.chunk * c.milliseconds)
    columns = run_seeds(curve, PROJECT.root_seed, range(curve.chunk), [{} for _ in curve.points])
    name, digest = next(iter(origins(paper, curve.experiment)[curve.folder]["chunks"].items()))
    assert columns_digest(columns) == digest, f"{curve.folder}/{name}: the code gives other numbers; run `make full`"


@pytest.mark.parametrize("paper", PAPERS)
def test_which_results_are_older_than_the_code(paper, capsys):
    """Lists them; fails only when a table does not say what it was made by."""
    for experiment in PROJECT.papers[paper].experiments:
        for curve in curves(PROJECT, PROJECT.papers[paper], experiment):
            source = origins(paper, experiment)[curve.folder]["source"]
            assert len(source) == 64
            if source != dependencies.digest(dependencies.simulate(curve)):
                with capsys.disabled():
                    print(f"\nolder than the code: figures/{paper}/data/{experiment}.parquet, {curve.folder}")
