"""The validated configuration, and what the rules ask of it."""

import atexit
import fcntl
import os
import sys
from pathlib import Path

os.environ.setdefault("NUMBA_CACHE_DIR", str(Path.cwd() / ".cache" / "numba"))

from dpbandits.algorithms.table import TABLE
from dpbandits.certificate.contents import ratios, sources
from dpbandits.digests import json_digest
from dpbandits.experiments import cluster, dependencies
from dpbandits.experiments.config import ConfigError, load_project, load_yaml, one_line
from dpbandits.experiments.audits import cells, described, seconds_of, sections_of
from dpbandits.experiments.bundles import aggregations, audits, calibrations, chunks_of, numbers_of, simulations
from dpbandits.experiments.faults import check
from dpbandits.experiments.grid import assumptions, curves, every_curve
from dpbandits.experiments.remembered import keep, recall
from dpbandits.project_folder import JOBS_LOCK
from snakemake.exceptions import WorkflowError


def load():
    try:
        written = load_yaml(Path("config/config.yaml"), "config/config.yaml")
        for key in config:
            if key != "scale" and isinstance(written, dict) and key in written and config[key] != written[key]:
                raise ConfigError(f"--config {key}: only scale can be set there; change config/config.yaml")
        planning = recall(Path.cwd())
        project = load_project(Path.cwd(), config, valid=planning.known)
        if workflow.is_main_process:  # jobs of a cluster load it again
            if not planning.known:
                check(project)
            atexit.register(keep, planning)
    except ConfigError as fault:
        print(f"dpbandits: {one_line(fault)}", file=sys.stderr)
        sys.exit(2)
    return planning, project


def take_lock():
    """One run at a time in a folder. The lock ends with the process, however it ends, so that nobody need unlock."""
    global LOCK
    Path(".snakemake/shown").unlink(missing_ok=True)
    LOCK = open(".snakemake/run.lock", "w")
    try:
        fcntl.flock(LOCK, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise WorkflowError("another run is at work in this folder; wait for it, or end it") from None
    with open(JOBS_LOCK, "w") as jobs:
        try:
            fcntl.flock(jobs, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print("dpbandits: waiting for jobs that a killed run has left at work", file=sys.stderr, flush=True)
            fcntl.flock(jobs, fcntl.LOCK_EX)


def start_without_limit():
    """No limit on jobs started per second on this machine, where cores are the limit.

    For it Snakemake looks at the inputs of all ready jobs a second after each look that it took, and once more for every
    job that ended: after an hour of a full run that takes the half of a core.
    """
    if workflow.local_exec:
        workflow.scheduler.job_rate_limiter = None


def mark_unfinished():
    """Snakemake restores what a failed job was to update, and would take that for made by the job from then on."""
    for job in workflow.scheduler.failed:
        workflow.persistence.started(job)


def show_verdicts():
    """After a run that made the report; a run for some other target has nothing to show."""
    page = Path(f"{RESULTS}/report/index.html")
    if page.exists() and page.stat().st_mtime >= Path(".snakemake/run.lock").stat().st_mtime:
        shell("dpbandits --scale {SCALE} claims && touch .snakemake/shown")


PLANNING, PROJECT = load()
SCALE = PROJECT.scale
RESULTS = f"results/{SCALE}"
FIGURES = "figures" if SCALE == "full" else f"{RESULTS}/figures"
PAPERS = PROJECT.papers
STAGES = ("render", "judge", "aggregate", "simulate", "audit", "calibrate")  # the more waits for it, the later here


wildcard_constraints:
    paper="|".join(PAPERS),


def urgency(stage, paper=None):
    """Priority of a job. Pages come last, those with most figures first, so that no core waits for one at the end."""
    return 1000 * STAGES.index(stage) + (len(PAPERS[paper].pictures) if paper else 0)


def simulated(paper, chunks):
    """Files of runs, each with its checksum: where a job fails, Snakemake puts back both."""
    files = [f"results/curves/{paper}/{chunk.file}" for chunk in chunks]
    return [update(name) for file in files for name in (file, f"{file}.sha256")]


def noise_of(paper, curves):
    """Files of certified noise that curves read."""
    asking = {curve.noise_name: None for curve in curves if curve.calibration == "certified"}
    return [f"results/noise/{paper}/{name}" for name in asking]


def runs_of(paper, experiments):
    """Files of runs of some experiments at this scale."""
    found = [curve for name in experiments for curve in curves(PROJECT, PAPERS[paper], name)]
    return [f"results/curves/{paper}/{chunk.file}" for chunk in chunks_of(found)]


def tables_at(paper, experiments):
    """Both tables of some experiments."""
    return [
        f"{RESULTS}/tables/{paper}/{name}.{kind}" for name in experiments for kind in ("parquet", "summary.parquet")
    ]


def folder_of(file, of=None):
    """Folder of a paper's curves, from the place of one of them; or, by the same place, of its `of`."""
    results, kind, paper = Path(file).parts[:3]
    return f"{results}/{of or kind}/{paper}"


def code_of(modules):
    """Source digests of jobs that do several things."""
    return json_digest([dependencies.digest(each) for each in modules])


def tables_of(wildcards):
    paper = PAPERS[wildcards.paper]
    return [f"{RESULTS}/tables/{paper.key}/{name}.parquet" for name in paper.experiments]


def figures_of(paper):
    """One picture per figure and calibration, and the numbers of each figure."""
    found = PAPERS[paper]
    pictures = [f"{FIGURES}/{paper}/{name}.{ending}" for name in found.pictures for ending in ("svg", "png")]
    return pictures + [f"{FIGURES}/{paper}/{name}.csv" for name in found.figures]


def pictures_of(paper):
    """The files of `figures_of` as outputs: `snakemake --report` shows each picture as SVG, with how it is read."""
    shown = {}
    for picture, (name, calibration) in PAPERS[paper].pictures.items():
        file, figure = f"{FIGURES}/{paper}/{picture}.svg", PAPERS[paper].figures[name]
        drawing = "closed_form" if "arguments" in figure else figure["drawing"]
        shown[file] = report(
            file,
            caption=f"../report/{drawing}.rst",
            category=paper,
            subcategory=calibration,
            labels={"shows": figure["shows"], "figure": name},
        )
    return [shown.get(file, file) for file in figures_of(paper)]


def data_of(paper):
    """Tables and claim records that lie beside the figures."""
    tables = [Path(table).name for table in tables_at(paper, PAPERS[paper].experiments)]
    return [f"{FIGURES}/{paper}/data/{name}" for name in (*tables, "claims.json", "audit.json")]


def results_of_all():
    """Everything that a run leaves for people to read."""
    files = [f"{RESULTS}/report", f"{RESULTS}/certificate"]
    for paper in PAPERS:
        files += [f"{RESULTS}/notebooks/{paper}.{kind}" for kind in ("ipynb", "html")]
        files += [f"{RESULTS}/claims/{paper}.json", *figures_of(paper), *data_of(paper)]
    files += [f"{RESULTS}/audit/all.csv", *rules.report.output.pictures]
    return files + [f"{RESULTS}/tables/{key}/{name}.parquet" for key in PAPERS for name in PAPERS[key].experiments]


def claims_of(paper):
    """What the verdicts of a paper depend on beside its tables: thresholds, evidence, and the price of more seeds."""
    section = PAPERS[paper]
    prices = [[curve.experiment, curve.folder, curve.milliseconds] for curve in every_curve(PROJECT, section)]
    return [
        section.claims,
        section.measurements,
        {name: figure["claims"] for name, figure in section.figures.items()},
        prices,
        {name: dict(algorithm.calibrations) for name, algorithm in TABLE.items()},
    ]


def audits_of(found):
    """What the records of some audits depend on beside code: their cells, and what their sections say in words."""
    return [
        [
            [(cell.id, cell.in_theorem_range) for cell in cells(PROJECT, PAPERS[key], name)],
            described(PAPERS[key].audits[name]),
        ]
        for key, name in found
    ]


def words_of(paper):
    """What notebook, figures and report of a paper show beside its results."""
    section = PAPERS[paper]
    return [
        section.title,
        section.authors,
        section.reference,
        section.figures,
        section.tables,
        section.audits,
        assumptions(section),
        section.gates,
    ]
