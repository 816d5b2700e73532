"""Run stages on finished results, each in its own process, and print the package modules that each one loaded.

    echo '[{"stage": ..., ...}, ...]' | python trace.py

One parent process imports the libraries but no module of the package, and then forks a child for every job. The jobs
hold plain values, computed by the caller, so that a child loads only those package modules that its stage needs.
"""

import contextlib
import json
import os
import sys
import tempfile
import threading
import traceback
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

CHILDREN = 2
PACKAGE = "dpbandits"
LIBRARIES = (
    *("numpy", "numba", "scipy.integrate", "scipy.linalg", "scipy.optimize", "scipy.special", "scipy.stats"),
    *("pyarrow.parquet", "matplotlib.pyplot", "dp_accounting", "nbformat", "nbconvert", "papermill", "jsonschema"),
    *("yaml", "jinja2", "markdown_it", "rocrate.rocrate", "IPython.display"),
)
"""Libraries that each child would otherwise import."""


def curve_of(record):
    from dpbandits.config.curves import Curve, Varying

    varying = [Varying(**{**each, "values": tuple(map(tuple, each["values"]))}) for each in record["varying"]]
    return Curve(**{**record, "varying": tuple(varying)})


def simulate(job, scratch):
    from dpbandits.stages.simulate import simulate as stage

    curve = curve_of(job["curve"])
    noise = scratch / "noise.json"
    noise.write_text(json.dumps({"entries": job["entries"]}))
    stage(curve, 1, 0, 1, noise, "", scratch / "runs.parquet")


def calibrate(job, scratch):
    from dpbandits.stages.calibrate import calibrate as stage

    stage(curve_of(job["curve"]), "", scratch / "noise.json")


def aggregate(job, scratch):
    from dpbandits.stages.aggregate import aggregate as stage

    curves = [curve_of(record) for record in job["curves"]]
    files = {folder: [Path(path) for path in paths] for folder, paths in job["files"].items()}
    stage(curves, files, scratch / "runs.parquet", scratch / "summary.parquet", job["root_seed"])


def audit(job, scratch):
    from dpbandits.planning.cells import Cell
    from dpbandits.stages.audit import audit as stage

    words = dict.fromkeys(("title", "says", "where", "domain", "neighbors", "inputs", "view", "note"), "")
    words |= {"proof": []}
    stage(words, [Cell(**cell) for cell in job["cells"]], 1, "smoke", "", scratch / "audit.json")


def collect(job, scratch):
    from dpbandits.stages.collect import collect as stage

    stage({}, scratch)


def judge(job, scratch):
    from pydantic import TypeAdapter

    from dpbandits.config.models.claims import AnyClaim, Rules
    from dpbandits.config.models.comparisons import Measurement
    from dpbandits.config.models.experiments import Gate
    from dpbandits.stages.judge import judge as stage

    claims = TypeAdapter(dict[str, AnyClaim]).validate_python(job["claims"])
    measurements = TypeAdapter(dict[str, Measurement]).validate_python(job["measurements"])
    gates = TypeAdapter(list[Gate]).validate_python(job["gates"])
    curves = {name: [curve_of(record) for record in records] for name, records in job["curves"].items()}
    tables = {name: Path(path) for name, path in job["tables"].items()}
    stage(
        job["paper"],
        "smoke",
        claims,
        measurements,
        Rules(tuple(gates)),
        job["figures"],
        curves,
        job["coincides"],
        tables,
        Path(job["audits"]),
        scratch / "claims.json",
        job["pilot"],
    )


def draw(job, scratch):
    from dpbandits.config.loading import load_paper
    from dpbandits.stages.draw import draw as stage

    paper = load_paper(Path(job["folder"]), job["paper"])
    stage(paper, paper.figures, *(Path(place) for place in job["folders"].values()), scratch)


def render(job, scratch):
    """Run the notebook's code here instead of in the stage's own process; it may show any figure."""
    import dpbandits.api.figures
    import dpbandits.stages.render  # noqa: F401 - of neither need a notebook make use
    from dpbandits.config.loading import load_paper
    from dpbandits.figures.drawings import save
    from dpbandits.figures.results import read_results

    os.chdir(job["folder"])
    paper, folders = load_paper(Path(job["folder"]), job["paper"]), map(Path, job["folders"].values())
    results = read_results(paper, *folders, scratch)
    for name in paper.figures:
        save(results, name)
    cells = json.loads(Path(job["notebook"]).read_text(encoding="utf-8"))["cells"]
    names = {"folders": job["folders"]}
    for cell in cells:
        if cell["cell_type"] == "code" and "parameters" not in cell["metadata"].get("tags", []):
            exec("".join(cell["source"]).replace("%matplotlib inline", ""), names)  # noqa: S102 - our own notebook


def report(job, scratch):
    from dpbandits.config.loading import load_paper
    from dpbandits.stages.report import report as stage

    claims, audits, tables, figures, notebooks = (
        {job["paper"]: Path(job[name])} for name in ("claims", "audits", "tables", "figures", "notebooks")
    )
    papers = [load_paper(Path(job["folder"]), job["paper"])]
    table, folder = Path(job["audit_table"]), Path(job["benchmarks"])
    names = {path.relative_to(folder).as_posix(): () for path in folder.rglob("*.tsv")}
    shown = (claims, audits, table, tables, figures, notebooks)
    stage(papers, "smoke", 1, *shown, names, folder, {}, scratch, None, scratch / "report", scratch / "pictures")


def certificate(job, scratch):
    from dpbandits.config.loading import load_project
    from dpbandits.stages.certificate import certificate as stage

    project, smoke = load_project(Path(job["folder"]), {"scale": "smoke"}), Path(job["results"])
    stage(project, smoke, smoke / "figures", "", [], scratch / "certificate")


def loaded() -> list[str]:
    """Package modules that this process has loaded, without the `__init__` of folders."""
    files = {name: module.__file__ or "" for name, module in sys.modules.items() if name.startswith(PACKAGE)}
    return sorted(name for name, file in files.items() if not file.endswith("__init__.py"))


def trace(job: Mapping[str, Any], answer: Path) -> None:
    """Run a job and write the list of modules that it loaded."""
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(sys.stderr):
        globals()[job["stage"]](job, Path(folder))
    answer.write_text(json.dumps(loaded()), encoding="utf-8")


def fork(job: Mapping[str, Any], answer: Path) -> None:
    """Start a child that traces a job; it exits with 1 and a traceback if the job fails."""
    if os.fork() == 0:
        code = 1
        try:
            trace(job, answer)
            code = 0
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stderr.flush()
            os._exit(code)


def main(jobs: Sequence[Mapping[str, Any]], folder: Path) -> list[list[str]]:
    """Print what every job loaded; two children run at a time."""
    for name in LIBRARIES:
        import_module(name)
    assert not [name for name in sys.modules if name.startswith(PACKAGE)]
    assert threading.active_count() == 1, "a child would lack the other threads"
    running, failed = 0, 0
    for number, job in enumerate(jobs):
        if running == CHILDREN:
            running, failed = running - 1, failed + (os.wait()[1] != 0)
        fork(job, folder / str(number))
        running += 1
    failed += sum(os.wait()[1] != 0 for _ in range(running))
    if failed:
        sys.exit(f"{failed} of {len(jobs)} jobs failed")
    return [json.loads((folder / str(number)).read_text(encoding="utf-8")) for number in range(len(jobs))]


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        print(json.dumps(main(json.load(sys.stdin), Path(scratch))))
