"""The predicted stale set of every module equals the set found by tracing imports at run time, stage by stage.

Of the same run of all papers the report of Snakemake.
"""

import json
import re
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
    places |= {"audit_table": str(smoke / "audit/all.csv"), "notebooks": str(smoke / f"notebooks/{paper.key}.html")}
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
    """No module serves no result, command or rule, but for the examples, which users name."""
    roots = {root for found, _ in jobs(ROOT).values() for root in found}
    used = set(closure({"dpbandits.cli", "dpbandits.experiments.cluster", *roots}, ROOT / "src"))
    assert set(modules()) - used == {"dpbandits.audits.examples"}
    assert used <= set(modules())


@pytest.fixture(scope="module")
def shown(whole, tmp_path_factory):
    """The page of `snakemake --report` without what it embeds, and the results in it by category and subcategory."""
    page = tmp_path_factory.mktemp("shown") / "report.html"
    whole.call("snakemake", "--report", str(page), "--config", "scale=smoke")
    text = re.sub(r"data:[^\s\"']*;base64,[A-Za-z0-9+/=]*", "", page.read_text(encoding="utf-8"))
    found = [re.search(rf"var {name} = (\{{.*\}});\n", text)[1] for name in ("categories", "results")]
    return text, *map(json.loads, found)


def test_the_report_of_snakemake_shows_every_paper(whole, shown):
    _, categories, results = shown
    assert set(categories) == {"verdicts", "audit", "speed", *PAPERS}
    for key, paper in PAPERS.items():
        kinds = {calibration for figure in paper.figures.values() for calibration in figure["calibrations"]}
        assert set(categories[key]) == {"notebook", *kinds}
        for calibration in kinds:
            expected = {name for name, figure in paper.figures.items() if calibration in figure["calibrations"]}
            assert {results[each]["labels"]["figure"] for each in categories[key][calibration]} == expected
    assert categories["verdicts"] == {"all papers": ["results/smoke/figures/claims.svg"]}
    assert categories["speed"] == {"all kernels": [f"results/smoke/figures/{name}.svg" for name in ("growth", "speed")]}
    assert categories["audit"] == {"all papers": ["results/smoke/audit/all.csv"]}
    assert all(set(result["labels"]) >= {"shows"} for result in results.values())


def test_captions_say_of_which_paper_a_result_is_and_how_it_is_read(shown):
    """The last sentence of every caption file stands somewhere."""
    _, categories, results = shown
    captions = {name: " ".join(re.sub("<.*?>", "", each["caption"]).split()) for name, each in results.items()}
    for key in PAPERS:
        assert all(key in captions[file] for files in categories[key].values() for file in files)
    for path in (ROOT / "workflow/report").glob("*.rst"):
        last = " ".join(path.read_text(encoding="utf-8").rpartition("}}")[2].split())
        assert path.stem == "workflow" or any(caption.endswith(last) for caption in captions.values()), path.name


def test_the_report_of_snakemake_needs_nothing_but_itself(shown):
    text, _, _ = shown
    assert "Each category is a paper" in text
    assert not re.findall(r"<(?:script|link|img|iframe)\b[^>]*\b(?:src|href)=[\"']?https?:", text)
