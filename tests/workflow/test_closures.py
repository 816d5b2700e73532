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
from dpbandits.experiments.audits import cells as audit_cells
from dpbandits.experiments.bundles import chunks_of
from dpbandits.experiments.config import Paper, load_project
from dpbandits.experiments.curves import Curve
from dpbandits.experiments.grid import curves, every_curve

from .project import ROOT

PROJECT = load_project(ROOT, {"scale": "smoke"})
PAPERS = PROJECT.papers


def kinds() -> dict[str, Curve]:
    """One curve, made small, of every algorithm with certified noise and without in every family of environments."""
    found: dict[str, Curve] = {}
    for curve in (curve for paper in PAPERS.values() for curve in every_curve(PROJECT, paper)):
        tiny = replace(curve, seeds=2, chunk=2, replicates=1, horizon=1000, points=curve.points[:2])
        certified = "certified " if curve.calibration == "certified" else ""
        found.setdefault(f"{certified}{curve.algorithm} on {curve.environment['family']}", tiny)
    return found


def answers(curve: Curve) -> list[Mapping[str, Any]]:
    """Some noise for all that a certified curve asks for."""
    if curve.calibration != "certified":
        return []
    requests = import_module(f"dpbandits.algorithms.{curve.algorithm}").requests
    return [{**asdict(each), "noise": 1.0} for setting in curve.settings() for each in requests(setting).values()]


def jobs(root: Path):
    """Kind of result -> roots of its digest, and what to run on the finished results below `root`."""
    found = {}
    for name, curve in kinds().items():
        record = asdict(curve)
        job = {"stage": "simulate", "curve": record, "entries": answers(curve)}
        found[f"runs of {name}"] = (dependencies.simulate(curve), job)
        if curve.calibration == "certified":
            found[f"noise of {name}"] = (dependencies.calibrate(curve), {"stage": "calibrate", "curve": record})
    for paper in PAPERS.values():
        found |= {f"{kind} of {paper.key}": job for kind, job in ends(root / "results", paper)}
    certificate = {"stage": "certificate", "folder": str(root), "results": str(root / "results/smoke")}
    return {**found, "certificate": (dependencies.certificate(), certificate)}


def ends(results: Path, paper: Paper):
    """The stages of one paper behind its runs."""
    smoke, tables = results / "smoke", results / "smoke/tables" / paper.key
    claims, audits = (str(smoke / kind / f"{paper.key}.json") for kind in ("claims", "audit"))
    every = {experiment: curves(PROJECT, paper, experiment) for experiment in paper.experiments}
    records = {experiment: [asdict(curve) for curve in found] for experiment, found in every.items()}
    one = next(iter(every))
    folder = results / "curves" / paper.key
    files = {curve.folder: [str(folder / c.file) for c in chunks_of([curve])] for curve in every[one]}
    yield "tables", (dependencies.aggregate(), {"stage": "aggregate", "curves": records[one], "files": files})
    verdicts = {
        "paper": paper.key,
        "claims": paper.claims,
        "measurements": paper.measurements,
        "figures": paper.figures,
        "curves": records,
        "coincides": {name: dict(algorithm.calibrations) for name, algorithm in TABLE.items()},
        "tables": {experiment: str(tables / f"{experiment}.parquet") for experiment in paper.experiments},
        "audits": audits,
    }
    yield "verdicts", (dependencies.judge(paper), {"stage": "judge", **verdicts})
    cells = [asdict(replace(cell, trials=400)) for name in paper.audits for cell in audit_cells(PROJECT, paper, name)]
    roots = {root for name in paper.audits for root in dependencies.audit(paper, name)}
    yield "audits", (tuple(sorted(roots)), {"stage": "audit", "cells": cells})
    yield "bound audits", (dependencies.audit_bind(), {"stage": "audit_bind"})
    notebook = {"folder": str(ROOT), "notebook": str(ROOT / f"notebooks/{paper.key}.ipynb")}
    parameters = {"parameters": {"tables_dir": str(tables), "claims_json": claims, "audit_json": audits}}
    yield "notebook", (dependencies.render(paper), {"stage": "render", **notebook, **parameters})
    places = {"claims": claims, "audits": audits, "figures": str(smoke / "figures" / paper.key)}
    places["benchmarks"] = str(smoke / "benchmarks")
    yield "report", (dependencies.report(), {"stage": "report", "paper": paper.key, "folder": str(ROOT), **places})


@pytest.fixture(scope="module")
def predicted_and_traced(whole):
    """Kind of result -> modules predicted from the syntax trees, and modules that were loaded."""

    def traced(job: Mapping[str, Any]) -> set[str]:
        command = [sys.executable, str(Path(__file__).with_name("trace.py"))]
        process = subprocess.run(
            command, input=json.dumps(job), capture_output=True, text=True, check=False, env=whole.environment()
        )
        assert process.returncode == 0, process.stderr
        return set(json.loads(process.stdout.splitlines()[-1]))

    found = jobs(whole.root)
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
    """No module serves neither a result nor the command, but for the examples, which users name."""
    roots = {root for found, _ in jobs(ROOT).values() for root in found}
    used = set(closure({"dpbandits.cli", *roots}, ROOT / "src"))
    assert set(modules()) - used == {"dpbandits.audits.examples"}
    assert used <= set(modules())
