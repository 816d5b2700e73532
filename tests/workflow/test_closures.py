"""The predicted stale set of every module equals the set found by tracing imports at run time, stage by stage."""

import json
import subprocess
import sys
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, replace
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from dpbandits.algorithms.table import TABLE
from dpbandits.digests import closure
from dpbandits.experiments import dependencies
from dpbandits.experiments.bundles import chunks_of
from dpbandits.experiments.config import load_project
from dpbandits.experiments.curves import Curve
from dpbandits.experiments.grid import curves, every_curve

from .project import ROOT

PROJECT = load_project(ROOT, {"scale": "smoke"})
PAPER = PROJECT.papers["hanna2022"]


def kinds() -> dict[str, Curve]:
    """One curve, made small, of every algorithm at every calibration: on what else should modules depend?"""
    found: dict[str, Curve] = {}
    for curve in every_curve(PROJECT, PAPER):
        tiny = replace(curve, seeds=2, chunk=2, replicates=1, horizon=1000, points=curve.points[:2])
        found.setdefault(f"{curve.algorithm}, {curve.calibration}", tiny)
    return found


def answers(curve: Curve) -> list[Mapping[str, Any]]:
    """Some noise for all that a certified curve asks for."""
    if curve.calibration != "certified":
        return []
    requests = import_module(f"dpbandits.algorithms.{curve.algorithm}").requests
    return [{**asdict(each), "noise": 1.0} for setting in curve.settings() for each in requests(setting).values()]


def jobs(results: Path):
    """Kind of result -> roots of its digest, and what to run."""
    smoke, tables = results / "results/smoke", results / "results/smoke/tables/hanna2022"
    found = {}
    for name, curve in kinds().items():
        record = vars(curve)
        job = {"stage": "simulate", "curve": record, "entries": answers(curve)}
        found[f"runs of {name}"] = (dependencies.simulate(curve), job)
        if curve.calibration == "certified":
            found[f"noise of {name}"] = (dependencies.calibrate(curve), {"stage": "calibrate", "curve": record})
    every = {experiment: curves(PROJECT, PAPER, experiment) for experiment in PAPER.experiments}
    records = {experiment: [vars(curve) for curve in found] for experiment, found in every.items()}
    folder = results / "results/curves/hanna2022"
    files = {curve.folder: [str(folder / c.file) for c in chunks_of([curve])] for curve in every["scaling"]}
    found["tables"] = (dependencies.aggregate(), {"stage": "aggregate", "curves": records["scaling"], "files": files})
    verdicts = {
        "claims": PAPER.claims,
        "measurements": PAPER.measurements,
        "figures": PAPER.figures,
        "curves": records,
        "coincides": {name: dict(algorithm.calibrations) for name, algorithm in TABLE.items()},
        "tables": {experiment: str(tables / f"{experiment}.parquet") for experiment in PAPER.experiments},
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

    def traced(job: Mapping[str, Any]) -> set[str]:
        command = [sys.executable, str(Path(__file__).with_name("trace.py")), json.dumps(job)]
        process = subprocess.run(command, capture_output=True, text=True, check=False, env=finished.environment())
        assert process.returncode == 0, process.stderr
        return set(json.loads(process.stdout.splitlines()[-1]))

    found = jobs(finished.root)
    with ThreadPoolExecutor(2) as pool:
        loaded = list(pool.map(traced, [job for _, job in found.values()]))
    return {
        name: (set(closure(roots, ROOT / "src")), one)
        for (name, (roots, _)), one in zip(found.items(), loaded, strict=True)
    }


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
