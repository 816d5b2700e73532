"""The predicted stale set of every module equals the set found by tracing imports at run time, stage by stage."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from dpbandits.algorithms.table import TABLE
from dpbandits.digests import closure
from dpbandits.experiments import dependencies
from dpbandits.experiments.config import load_project
from dpbandits.experiments.curves import chunk_name
from dpbandits.experiments.grid import curves

from .project import ROOT

PROJECT = load_project(ROOT, {"scale": "smoke"})
PAPER = PROJECT.papers["hanna2022"]
CURVES = curves(PROJECT, PAPER, "figure2")


def jobs(results: Path):
    """Kind of result -> roots of its digest, and what to run."""
    smoke, tables = results / "results/smoke", results / "results/smoke/tables/hanna2022"
    folder, chunks = results / "results/curves/hanna2022/figure2", [chunk_name(*chunk) for chunk in CURVES[0].chunks()]
    found = {}
    for curve in CURVES:
        tiny = {**vars(curve), "seeds": 2, "chunk": 2, "horizon": 1000, "points": curve.points[:2]}
        found[curve.folder] = (dependencies.simulate(curve), {"stage": "simulate", "curve": tiny})
        if curve.calibration == "certified":
            found[curve.noise_name] = (dependencies.calibrate(curve), {"stage": "calibrate", "curve": tiny})
    records = [vars(curve) for curve in CURVES]
    files = {curve.folder: [str(folder / curve.folder / name) for name in chunks] for curve in CURVES}
    found["tables"] = (dependencies.aggregate(), {"stage": "aggregate", "curves": records, "files": files})
    verdicts = {
        "claims": PAPER.claims,
        "figures": PAPER.figures,
        "curves": {"figure2": records},
        "coincides": {name: dict(algorithm.calibrations) for name, algorithm in TABLE.items()},
        "tables": {"figure2": str(tables / "figure2.parquet")},
    }
    found["verdicts"] = (dependencies.judge(PAPER), {"stage": "judge", **verdicts})
    claims = str(smoke / "claims/hanna2022.json")
    notebook = {"folder": str(ROOT), "notebook": str(ROOT / "notebooks/hanna2022.ipynb")}
    parameters = {"parameters": {"tables_dir": str(tables), "claims_json": claims}}
    found["notebook"] = (dependencies.render(), {"stage": "render", **notebook, **parameters})
    places = {"claims": claims, "figures": str(smoke / "figures/hanna2022"), "benchmarks": str(smoke / "benchmarks")}
    found["report"] = (dependencies.report(), {"stage": "report", "folder": str(ROOT), **places})
    return found


@pytest.fixture(scope="module")
def predicted_and_traced(finished):
    """Kind of result -> modules predicted from the syntax trees, and modules that were loaded."""
    result = {}
    for name, (roots, job) in jobs(finished.root).items():
        command = [sys.executable, str(Path(__file__).with_name("trace.py")), json.dumps(job)]
        process = subprocess.run(command, capture_output=True, text=True, check=False, env=finished.environment())
        assert process.returncode == 0, process.stderr
        traced = set(json.loads(process.stdout.splitlines()[-1]))
        result[name] = (set(closure(roots, ROOT / "src")), traced)
    return result


def modules():
    """Every module of the package that holds code."""
    files = (ROOT / "src/dpbandits").rglob("*.py")
    return sorted(
        ".".join(path.relative_to(ROOT / "src").with_suffix("").parts) for path in files if path.name != "__init__.py"
    )


@pytest.mark.parametrize("module", modules())
def test_predicted_stale_set_equals_the_traced_one(predicted_and_traced, module):
    predicted = {name for name, (expected, _) in predicted_and_traced.items() if module in expected}
    traced = {name for name, (_, loaded) in predicted_and_traced.items() if module in loaded}
    assert predicted == traced


def test_every_module_is_used():
    """No module serves neither a result nor the command."""
    roots = {root for found, _ in jobs(ROOT).values() for root in found}
    assert set(modules()) == set(closure({"dpbandits.cli", *roots}, ROOT / "src"))
