"""Runs one stage on finished results, as a process of its own, and prints the modules of the package that it loaded.

    echo '{"stage": ..., ...}' | python trace.py

The arguments are plain values, found by the caller, so that nothing is loaded here but what the stage itself needs.
"""

import json
import os
import sys
import tempfile
from pathlib import Path


def curve_of(record):
    from dpbandits.experiments.curves import Curve, Varying

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
    stage(curves, files, scratch / "runs.parquet", scratch / "summary.parquet")


def audit(job, scratch):
    from dpbandits.experiments.cells import Cell
    from dpbandits.stages.audit import audit as stage

    words = dict.fromkeys(("says", "where", "domain", "neighbours", "view", "note"), "")
    stage(words, [Cell(**cell) for cell in job["cells"]], 1, "smoke", "", scratch / "audit.json")


def audit_bind(job, scratch):
    from dpbandits.stages.audit_bind import audit_bind as stage

    stage({}, scratch)


def judge(job, scratch):
    from dpbandits.stages.judge import judge as stage

    curves = {name: [curve_of(record) for record in records] for name, records in job["curves"].items()}
    tables = {name: Path(path) for name, path in job["tables"].items()}
    stage(
        job["paper"],
        "smoke",
        1,
        job["claims"],
        job["measurements"],
        job["figures"],
        curves,
        job["coincides"],
        tables,
        Path(job["audits"]),
        scratch / "claims.json",
    )


def render(job, scratch):
    """The stage is loaded, and the code of the notebook run here, which the stage runs in a process of its own."""
    import dpbandits.stages.render  # noqa: F401 - loaded for the trace

    os.chdir(job["folder"])
    cells = json.loads(Path(job["notebook"]).read_text(encoding="utf-8"))["cells"]
    names = dict(job["parameters"]) | {"figures_dir": str(scratch)}
    for cell in cells:
        if cell["cell_type"] == "code" and "parameters" not in cell["metadata"].get("tags", []):
            exec("".join(cell["source"]).replace("%matplotlib inline", ""), names)  # noqa: S102 - our own notebook


def report(job, scratch):
    from dpbandits.experiments.config import load_paper
    from dpbandits.stages.report import report as stage

    claims, audits, figures, notebooks = (
        {job["paper"]: Path(job[name])} for name in ("claims", "audits", "figures", "notebooks")
    )
    papers = [load_paper(Path(job["folder"]), job["paper"])]
    table, folder = Path(job["audit_table"]), Path(job["benchmarks"])
    names = {path.relative_to(folder).as_posix(): () for path in folder.rglob("*.tsv")}
    places = (scratch / "report", scratch / "pictures")
    stage(papers, "smoke", 1, claims, audits, table, figures, notebooks, names, folder, scratch, None, *places)


def certificate(job, scratch):
    from dpbandits.experiments.config import load_project
    from dpbandits.stages.certificate import certificate as stage

    project, smoke = load_project(Path(job["folder"]), {"scale": "smoke"}), Path(job["results"])
    stage(project, smoke, smoke / "figures", "", [], scratch / "certificate")


if __name__ == "__main__":
    job = json.load(sys.stdin)
    with tempfile.TemporaryDirectory() as folder:
        globals()[job["stage"]](job, Path(folder))
    loaded = {name: module.__file__ or "" for name, module in sys.modules.items() if name.startswith("dpbandits")}
    print(json.dumps(sorted(name for name, file in loaded.items() if not file.endswith("__init__.py"))))
