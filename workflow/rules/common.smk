"""The validated configuration, and what the rules ask of it."""

import fcntl
import os
import sys
from pathlib import Path

os.environ.setdefault("NUMBA_CACHE_DIR", str(Path.cwd() / ".cache" / "numba"))

from dpbandits.algorithms.table import TABLE
from dpbandits.digests import json_digest
from dpbandits.experiments import dependencies
from dpbandits.experiments.config import ConfigError, load_project, load_yaml
from dpbandits.experiments.curves import chunk_name
from dpbandits.experiments.grid import assumptions, check, curves
from snakemake.exceptions import WorkflowError


def load():
    try:
        written = load_yaml(Path("config/config.yaml"), "config/config.yaml")
        for key in config:
            if key != "scale" and key in written and config[key] != written[key]:
                raise ConfigError(f"--config {key}: only scale can be set there; change config/config.yaml")
        project = load_project(Path.cwd(), config)
        check(project)
    except ConfigError as fault:
        print(f"dpbandits: {fault}", file=sys.stderr)
        sys.exit(2)
    return project


def take_lock():
    """One run at a time in a folder. The lock ends with the process, however it ends, so that nobody need unlock."""
    global LOCK
    Path(".snakemake/shown").unlink(missing_ok=True)
    LOCK = open(".snakemake/run.lock", "w")
    try:
        fcntl.flock(LOCK, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise WorkflowError("another run is at work in this folder; wait for it, or end it") from None


def show_verdicts():
    """After a run that made the report; a run for some other target has nothing to show."""
    page = Path(f"{RESULTS}/report/index.html")
    if page.exists() and page.stat().st_mtime >= Path(".snakemake/run.lock").stat().st_mtime:
        shell("dpbandits --scale {SCALE} claims && touch .snakemake/shown")


PROJECT = load()
SCALE = PROJECT.scale
RESULTS = f"results/{SCALE}"
FIGURES = "figures" if SCALE == "full" else f"{RESULTS}/figures"
CURVES = {
    (key, name): {curve.folder: curve for curve in curves(PROJECT, paper, name)}
    for key, paper in PROJECT.papers.items()
    for name in paper.experiments
}


wildcard_constraints:
    paper="|".join(PROJECT.papers),
    experiment="[a-z][a-z0-9_]*",
    curve="[a-z][a-z0-9_-]*-[0-9a-f]{8}",
    noise="[a-z][a-z0-9_]*-[0-9a-f]{8}",
    seeds="[0-9]+-[0-9]+",


def curve_of(wildcards):
    return CURVES[wildcards.paper, wildcards.experiment][wildcards.curve]


def chunks_of(wildcards):
    folder = f"results/curves/{wildcards.paper}/{wildcards.experiment}"
    return [
        f"{folder}/{curve.folder}/{chunk_name(*chunk)}"
        for curve in CURVES[wildcards.paper, wildcards.experiment].values()
        for chunk in curve.chunks()
    ]


def tables_of(wildcards):
    paper = PROJECT.papers[wildcards.paper]
    return [f"{RESULTS}/tables/{paper.key}/{name}.parquet" for name in paper.experiments]


def figures_of(paper):
    """One picture per figure and calibration, and the numbers of each figure."""
    figures = PROJECT.papers[paper].figures
    pictures = [
        f"{FIGURES}/{paper}/{name}-{calibration}.{ending}"
        for name, figure in figures.items()
        for calibration in figure["calibrations"]
        for ending in ("svg", "png")
    ]
    return pictures + [f"{FIGURES}/{paper}/{name}.csv" for name in figures]


def data_of(paper):
    """Tables and claim records that lie beside the figures."""
    endings = (
        ".parquet",
        ".parquet.sha256",
        ".summary.parquet",
        ".summary.parquet.sha256",
    )
    tables = [f"{name}{ending}" for name in PROJECT.papers[paper].experiments for ending in endings]
    return [f"{FIGURES}/{paper}/data/{name}" for name in (*tables, "claims.json")]


def results_of_all():
    """Everything that a run leaves for people to read."""
    files = [f"{RESULTS}/report/index.html"]
    for paper in PROJECT.papers:
        files += [f"{RESULTS}/notebooks/{paper}.{kind}" for kind in ("ipynb", "html")]
        files += [f"{RESULTS}/claims/{paper}.json", *figures_of(paper), *data_of(paper)]
    return files + [f"{RESULTS}/tables/{paper}/{experiment}.parquet" for paper, experiment in CURVES]


def claims_of(paper):
    """What the verdicts of a paper depend on beside its tables: thresholds, evidence, and the price of more seeds."""
    section = PROJECT.papers[paper]
    prices = [[name, curve.milliseconds] for key in CURVES if key[0] == paper for name, curve in CURVES[key].items()]
    return [
        section.claims,
        {name: figure["claims"] for name, figure in section.figures.items()},
        prices,
        {name: dict(algorithm.calibrations) for name, algorithm in TABLE.items()},
    ]


def words_of(paper):
    """What notebook, figures and report of a paper show beside its results."""
    section = PROJECT.papers[paper]
    return [
        section.title,
        section.authors,
        section.reference,
        section.figures,
        assumptions(section),
    ]


def asking_for(wildcards):
    """A certified curve that asks for this noise."""
    found = CURVES[wildcards.paper, wildcards.experiment].values()
    return next(c for c in found if c.calibration == "certified" and c.noise_name == f"{wildcards.noise}.json")


def noise_of(wildcards):
    curve = curve_of(wildcards)
    folder = f"results/noise/{wildcards.paper}/{wildcards.experiment}"
    return [f"{folder}/{curve.noise_name}"] if curve.calibration == "certified" else []
