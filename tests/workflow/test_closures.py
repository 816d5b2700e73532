"""The predicted modules behind each stage equal the modules that tracing finds loaded at run time.

`make test` traces one paper, `make test-all` all of them. The report of Snakemake is checked for the same run.
"""

import functools
import json
import re
import sys
from collections.abc import Iterable, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from dpbandits.api import PLACES as API_MODULES
from dpbandits.api import __name__ as API
from dpbandits.base.digests import closure, entry_helpers
from dpbandits.base.registry import ALGORITHMS, BOUNDS, ENVIRONMENTS
from dpbandits.config.curves import Curve
from dpbandits.config.entries import TABLE
from dpbandits.config.grid import curves, every_curve
from dpbandits.config.loading import Paper
from dpbandits.planning import dependencies
from dpbandits.planning.audits import cells as audit_cells
from dpbandits.planning.bundles import chunks_of
from dpbandits.planning.pilots import shown_in_pilot
from tests import patience
from tests.shipped import ROOT, shipped

from .project import Copy

PROJECT = shipped("smoke")
PAPERS = PROJECT.papers
EVERY_PLACE = [place for kind in (ALGORITHMS, BOUNDS, ENVIRONMENTS) for place in kind.places().values()]
ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")


def kinds(papers: Iterable[Paper]) -> dict[str, Curve]:
    """One small curve of every algorithm, with and without certified noise, in every family of environments."""
    found: dict[str, Curve] = {}
    for curve in (each for paper in papers for each in every_curve(PROJECT, paper) if not each.bound):
        tiny = replace(curve, seeds=2, chunk=2, replicates=1, horizon=1000, points=curve.points[:2])
        certified = "certified " if curve.calibration == "certified" else ""
        found.setdefault(f"{certified}{curve.algorithm} on {curve.environment['family']}", tiny)
    return found


def answers(curve: Curve) -> list[Mapping[str, Any]]:
    """Arbitrary noise for everything that a certified curve needs."""
    if curve.calibration != "certified":
        return []
    requests = ALGORITHMS.module(curve.algorithm).requests
    return [{**asdict(each), "noise": 1.0} for setting in curve.settings() for each in requests(setting).values()]


def jobs(root: Path, papers: Iterable[Paper]):
    """By kind of result, the roots of its digest, and what to run on the finished results below `root`."""
    found = {}
    for name, curve in kinds(papers).items():
        record = asdict(curve)
        job = {"stage": "simulate", "curve": record, "entries": answers(curve)}
        found[f"runs of {name}"] = (dependencies.simulate(curve), job)
        if curve.calibration == "certified":
            found[f"noise of {name}"] = (dependencies.calibrate(curve), {"stage": "calibrate", "curve": record})
    for paper in papers:
        found |= {f"{kind} of {paper.key}": job for kind, job in ends(root / "results", paper)}
    certificate = {"stage": "certificate", "folder": str(root), "results": str(root / "results/smoke")}
    return {**found, "certificate": (dependencies.certificate(), certificate)}


def as_written(section: BaseModel) -> dict[str, Any]:
    """A section as in its file, except that grids already hold numbers."""
    return section.model_dump(exclude_unset=True, warnings=False)


def ends(results: Path, paper: Paper):
    """Stages of one paper that follow its runs."""
    smoke, tables = results / "smoke", results / "smoke/tables" / paper.key
    claims, audits = (str(smoke / kind / f"{paper.key}.json") for kind in ("claims", "audit"))
    every = {experiment: curves(PROJECT, paper, experiment) for experiment in paper.experiments}
    records = {experiment: [asdict(curve) for curve in found] for experiment, found in every.items()}
    one = next((name for name, found in every.items() if any(each.bound for each in found)), next(iter(every)))
    folder = results / "curves" / paper.key
    files = {curve.folder: [str(folder / c.file) for c in chunks_of([curve])] for curve in every[one]}
    tabled = {"stage": "aggregate", "curves": records[one], "files": files, "root_seed": PROJECT.root_seed}
    yield "tables", (dependencies.aggregate(every[one]), tabled)
    verdicts = {
        "paper": paper.key,
        "claims": {name: as_written(claim) for name, claim in paper.claims.items()},
        "measurements": {name: as_written(measurement) for name, measurement in paper.measurements.items()},
        "gates": [as_written(gate) for gate in paper.rules.gates],
        "figures": {name: figure.claims for name, figure in paper.figures.items()},
        "curves": records,
        "coincides": {name: dict(algorithm.calibrations) for name, algorithm in TABLE.items()},
        "tables": {experiment: str(tables / f"{experiment}.parquet") for experiment in paper.experiments},
        "audits": audits,
        "pilot": shown_in_pilot(PROJECT, paper.key),
    }
    yield "verdicts", (dependencies.judge(paper), {"stage": "judge", **verdicts})
    cells = [asdict(replace(cell, trials=400)) for name in paper.audits for cell in audit_cells(PROJECT, paper, name)]
    roots = {root for name in paper.audits for root in dependencies.audit(paper, name)}
    yield "audits", (tuple(sorted(roots)), {"stage": "audit", "cells": cells})
    yield "collected audits", (dependencies.collect(), {"stage": "collect"})
    notebook = {"folder": str(ROOT), "paper": paper.key, "notebook": str(ROOT / f"notebooks/{paper.key}.ipynb")}
    notebook["folders"] = {"tables": str(tables), "claims": claims, "audits": audits}
    yield "figures", (dependencies.draw(paper), {"stage": "draw", **notebook})
    yield "notebook", (dependencies.render(paper), {"stage": "render", **notebook})
    places = {"claims": claims, "audits": audits, "figures": str(smoke / "figures" / paper.key)}
    places |= {"tables": str(smoke / "tables" / paper.key)}
    places |= {"audit_table": str(smoke / "audit/all.csv"), "notebooks": str(smoke / f"notebooks/{paper.key}.html")}
    places["benchmarks"] = str(smoke / "benchmarks")
    about = {"stage": "report", "paper": paper.key, "folder": str(ROOT)}
    yield "report", (dependencies.report([paper]), about | places)


def predicted_and_traced(finished: Copy) -> tuple[dict[str, set[str]], dict[str, set[str]]]:
    """By kind of result, the modules predicted from syntax trees, and the modules that were loaded."""
    found = jobs(finished.root, [PAPERS[key] for key in finished.project().papers])
    asked = finished.root / "traced.json"
    asked.write_text(json.dumps([job for _, job in found.values()]), encoding="utf-8")
    environment = finished.environment() | dict.fromkeys(ONE_THREAD, "1")
    with open(asked, encoding="utf-8") as given:
        command = [sys.executable, Path(__file__).with_name("trace.py")]
        process = patience.run(command, stdin=given, env=environment)
    assert process.returncode == 0, process.stderr
    loaded = json.loads(process.stdout.splitlines()[-1])
    traced = {name: set(one) for name, one in zip(found, loaded, strict=True)}
    return {name: set(closure(roots, ROOT / "src")) for name, (roots, _) in found.items()}, traced


def modules():
    """All package modules that contain code."""
    files = (ROOT / "src/dpbandits").rglob("*.py")
    return sorted(
        ".".join(path.relative_to(ROOT / "src").with_suffix("").parts) for path in files if path.name != "__init__.py"
    )


def test_predicted_stale_sets_equal_the_traced_ones(ended, say):
    predicted, traced = predicted_and_traced(ended)
    say(f"traced: {len(traced)} kinds of results of {', '.join(ended.project().papers)}")
    known = set(modules())
    differing = {
        name: sorted((predicted[name] ^ (traced[name] - (of_entries(predicted[name]) - predicted[name]))) & known)
        for name in predicted
    }
    assert {name: which for name, which in differing.items() if which} == {}


@functools.cache
def helpers_of_entries() -> frozenset[str]:
    """Modules that algorithms and environments import only for their entries."""
    return frozenset(helper for place in EVERY_PLACE for helper in entry_helpers(place, ROOT / "src"))


def of_entries(predicted: set[str]) -> set[str]:
    """Modules that are loaded only for entries: their code changes no result.

    A result that reads a registry loads every module with an entry.
    """
    read = [kind for registry, kind in dependencies.REGISTRIES.items() if registry in predicted]
    places = [place for kind in read for place in kind.places().values()]
    return helpers_of_entries() | set(closure(places, ROOT / "src"))


def test_every_module_is_used():
    """Every module serves a result, command, rule or API function, except the examples, which users name."""
    roots = {root for found, _ in jobs(ROOT, PAPERS.values()).values() for root in found}
    roots |= {root for paper in PAPERS.values() for root in dependencies.aggregate(every_curve(PROJECT, paper))}
    used = set(
        closure(
            {
                "dpbandits.__main__",
                "dpbandits.planning.cluster",
                "dpbandits.planning.estimates",
                "dpbandits.planning.failed_jobs",
                "dpbandits.planning.node",
                "dpbandits.planning.running",
                "dpbandits.planning.snakemake_workarounds",
                *API_MODULES.values(),
                *(kind.adapter for kind in (ALGORITHMS, ENVIRONMENTS)),  # they are imported by name
                *roots,
            },
            ROOT / "src",
        )
    )
    used |= helpers_of_entries()
    for_others = {"dpbandits.environments.bernoulli.bernoulli_means"}  # no paper of ours plays it
    assert set(modules()) - used - for_others == {
        "dpbandits.audits.custom.examples",
        "dpbandits.config.json_schema",  # it has its own command
    }
    assert used <= {*modules(), API, "dpbandits"}


def test_the_report_of_snakemake(ended, tmp_path):
    text, categories, results = shown(ended, tmp_path / "report.html")
    papers = ended.project().papers
    everything_is_shown(papers, categories, results)
    captions_say_what_a_result_is(papers, categories, results)
    assert "Each category is a paper" in text
    assert not re.findall(r"<(?:script|link|img|iframe)\b[^>]*\b(?:src|href)=[\"']?https?:", text), "from outside"


def shown(project: Copy, page: Path) -> tuple[str, dict[str, Any], dict[str, Any]]:
    """Page of `snakemake --report` without embedded files, its categories, and its results by file."""
    project.call("snakemake", "--report", str(page), "--config", "scale=smoke")
    text = re.sub(r"data:[^\s\"']*;base64,[A-Za-z0-9+/=]*", "", page.read_text(encoding="utf-8"))
    found = [re.search(rf"var {name} = (\{{.*\}});\n", text)[1] for name in ("categories", "results")]
    return text, *map(json.loads, found)


def everything_is_shown(papers, categories, results):
    """Notebooks and figures of every paper, and results that cover all papers."""
    assert set(categories) == {"verdicts", "audit", "speed", *papers}
    for key, paper in papers.items():
        kinds = {calibration for figure in paper.figures.values() for calibration in figure.calibrations}
        assert set(categories[key]) == {"notebook", *kinds}
        for calibration in kinds:
            expected = {name for name, figure in paper.figures.items() if calibration in figure.calibrations}
            assert {results[each]["labels"]["figure"] for each in categories[key][calibration]} == expected
    assert categories["verdicts"] == {"all papers": ["results/smoke/figures/claims.svg"]}
    assert categories["speed"] == {"all kernels": [f"results/smoke/figures/{name}.svg" for name in ("growth", "speed")]}
    assert categories["audit"] == {"all papers": ["results/smoke/audit/all.csv"]}
    assert all(set(result["labels"]) >= {"shows"} for result in results.values())


def captions_say_what_a_result_is(papers, categories, results):
    """Captions name the paper, and the last sentence of every caption file is used."""
    captions = {name: " ".join(re.sub("<.*?>", "", each["caption"]).split()) for name, each in results.items()}
    for key in papers:
        assert all(key in captions[file] for files in categories[key].values() for file in files)
    files = [path for path in (ROOT / "workflow/report").glob("*.rst") if path.stem != "workflow"]
    last = {path.stem: " ".join(path.read_text(encoding="utf-8").rpartition("}}")[2].split()) for path in files}
    used = {name for name, words in last.items() if any(caption.endswith(words) for caption in captions.values())}
    drawn = {figure.drawing for paper in papers.values() for figure in paper.figures.values()}
    assert used >= {name for name in last if name in drawn}
    assert papers.keys() != PAPERS.keys() or used == last.keys()
