"""The validated configuration, and helper functions of the rules."""

import atexit
import gc
import os
import resource
import shlex
import sys
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

# Jobs call `python -m dpbandits` from the folder `src` beside the workflow. Without that folder, the package must be
# installed, for example if another workflow uses this one as a module.
SOURCES = Path(workflow.current_basedir).parents[1] / "src"
if SOURCES.is_dir():
    sys.path.insert(0, str(SOURCES))
    inherited = os.getenv("PYTHONPATH")
    os.environ.update(PYTHONPATH=f"{SOURCES}{os.pathsep}{inherited}" if inherited else str(SOURCES))
    # Snakemake removes PYTHONPATH from the environment of jobs that run in one of conda; this folder comes back.
    quoted = shlex.quote(str(SOURCES)).replace("{", "{{").replace("}", "}}")
    shell.prefix(f"set -euo pipefail; export PYTHONPATH={quoted}${{{{PYTHONPATH:+:$PYTHONPATH}}}};")
os.environ.setdefault("NUMBA_CACHE_DIR", str(Path.cwd() / ".cache" / "numba"))

from dpbandits.base import jit

jit.stay_plain()  # planning reads the entries of algorithms and plays nothing

from dpbandits.config.entries import TABLE
from dpbandits.certificate.contents import beside_figures, ratios, sources, together
from dpbandits.base.digests import file_digest, json_digest
from dpbandits.base.storage import CHECKSUMS, demand_own
from dpbandits.base.versions import CALCULATIONS, RUNS, versions
from dpbandits.cli.summary import show_summary, verdicts_of
from dpbandits.planning import cluster, dependencies, last_run, snakemake_workarounds
from dpbandits.config.loading import load_project
from dpbandits.config.models.experiments import PILOT
from dpbandits.config.models.figures import Drawn
from dpbandits.config.plain_yaml import ConfigError
from dpbandits.config.regular_files import read_yaml_file
from dpbandits.text.escapes import in_snakemake_report
from dpbandits.text.plain_letters import accept_all_text
from dpbandits.config.wording import printed
from dpbandits.planning.audits import cells, described, seconds_of, sections_of
from dpbandits.planning.documents import documents
from dpbandits.planning.estimates import seconds_of_rules
from dpbandits.planning.failed_jobs import failures
from dpbandits.planning.bundles import (
    aggregations,
    audits,
    calibrations,
    numbers_of,
    pictures,
    readers,
    seconds_uncompiled,
    simulations,
)
from dpbandits.config.faults.check import load_and_check
from dpbandits.config.grid import assumptions, curves, every_curve
from dpbandits.planning.node import papers_of
from dpbandits.planning.pilots import shown_in_pilot
from dpbandits.planning.planning_cache import keep, recall
from dpbandits.planning.receipts import receipts_of, withdraw
from dpbandits.planning.running import RUN
from snakemake.exceptions import WorkflowError

BEGAN = time.monotonic()
gc.set_threshold(100_000)  # planning makes many objects and few cycles; collecting these would take a tenth of its time
accept_all_text()
snakemake_workarounds.compare_plainly()
snakemake_workarounds.list_true_changes()
snakemake_workarounds.remember_records()
snakemake_workarounds.find_outputs_by_name()
snakemake_workarounds.look_into_folders_once()
snakemake_workarounds.plan_silently(workflow)
snakemake_workarounds.remember_failures()
snakemake_workarounds.distrust_unknown_outputs()
snakemake_workarounds.show_reasons()
snakemake_workarounds.retry_preempted(workflow)
snakemake_workarounds.start_once_on_a_node(workflow)


def load():
    try:
        written = read_yaml_file(Path("config/config.yaml"), "config/config.yaml")
        for key in config:
            changed = isinstance(written, dict) and key in written and config[key] != written[key]
            if key not in ("scale", "papers") and changed:
                raise ConfigError(f"--config {key}: only scale and papers can be set there; change config/config.yaml")
        own = None if snakemake_workarounds.plans(workflow) else papers_of(sys.argv)
        planning = recall(Path.cwd(), own)
        if snakemake_workarounds.plans(workflow):
            if not planning.known and sys.stderr.isatty():
                print("dpbandits: checking the configuration", file=sys.stderr)
            project = load_and_check(Path.cwd(), config, known=planning.known)
            atexit.register(keep, planning, project.papers)
        else:  # a cluster job loads what was checked before
            chosen = {**config, "papers": ",".join(sorted(own))} if own else config
            project = load_project(Path.cwd(), chosen, valid=planning.known)
        if project.scale == PILOT and not any(paper.played(PILOT) for paper in project.papers.values()):
            raise ConfigError("scale: no experiment of these papers has a `pilot`. Add it to its `size.full`.")
        piloted = {key: shown_in_pilot(project, key) for key in project.papers}
    except ConfigError as fault:
        for line in printed(fault.faults):
            print(f"dpbandits: {line}", file=sys.stderr)
        sys.exit(2)
    return planning, project, piloted


def take_lock():
    """Take the lock that allows only one run at a time in a folder."""
    global LOCK
    if snakemake_workarounds.without_cores(workflow):
        raise WorkflowError("--cores 0: must be a whole number >= 1")
    for folder in ("logs", "results", RESULTS, f"{RESULTS}/report", f"{RESULTS}/certificate", FIGURES):
        if os.path.lexists(folder) and not os.path.isdir(folder):
            raise WorkflowError(f"{folder}: exists and is not a folder, which a run needs there. Move it away.")
    try:
        LOCK = snakemake_workarounds.take_run_lock()
        for command in ("report", "certificate"):  # Snakemake deletes a folder before the job that writes it begins
            demand_own(Path(f"{RESULTS}/{command}"), command, "A run deletes this folder. Move the file away.")
        jit.demand_cache()
    except snakemake_workarounds.Busy as fault:
        raise WorkflowError(str(fault)) from None
    except OSError as fault:
        raise WorkflowError(f"{fault.filename}: {fault.strerror.rstrip('.')}.") from None


def show_verdicts():
    """Show verdicts after a run that made the report or the certificate; runs for other targets show nothing."""
    RUN.end()
    made = (f"{RESULTS}/report/index.html", f"{RESULTS}/certificate/ro-crate-metadata.json")
    if any(snakemake_workarounds.begun(Path(file)) for file in made):
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = used.ru_utime + used.ru_stime if workflow.local_exec else None
        last_run.record(Path.cwd(), SCALE, time.monotonic() - BEGAN, cpu, verdicts_of(PROJECT))
        show_summary(PROJECT)


def show_failures(log):
    """Show the ends of the logs of failed jobs, and the path of Snakemake's own log."""
    RUN.end()
    own = os.path.relpath(log if isinstance(log, str) else log[0])  # Snakemake 9 gives a list
    logs = snakemake_workarounds.failed_logs(workflow)
    print(*failures(logs, own, snakemake_workarounds.REASONS), sep="\n", file=sys.stderr)


PLANNING, PROJECT, PILOTED = load()
SCALE = PROJECT.scale
RUN.seconds = lambda: seconds_of_rules(PROJECT)
RUN.idle = lambda: show_summary(PROJECT) if SCALE != PILOT else print("Nothing to do.")
RESULTS = f"results/{SCALE}"
FIGURES = "figures" if SCALE == "full" else f"{RESULTS}/figures"
PAPERS = PROJECT.papers
# Pilot runs have another root seed, hence their own folder; all other scales share runs.
CURVES = f"{RESULTS}/curves" if SCALE == PILOT else "results/curves"
OPTIONS = ["--scale", PILOT] if SCALE == PILOT else []  # options of stages that do the same at all scales but the pilot
CHOSEN = ",".join(PAPERS)
SIMULATIONS = {key: simulations(PROJECT, paper) for key, paper in PAPERS.items()}
STAGES = ("draw", "render", "judge", "aggregate", "simulate", "audit", "calibrate")  # last: what most jobs wait for


wildcard_constraints:
    paper="|".join(PAPERS),


def withdraw_receipts():
    """Delete stale receipts of runs, except those of jobs that Snakemake will rerun anyway."""
    unfinished = snakemake_workarounds.marked_unfinished()
    for paper, jobs in SIMULATIONS.items():
        for name, chunks in [receipt for job in jobs for receipt in receipts_of(job).items()]:
            (receipt,) = receipts_at(paper, [name])
            if receipt not in unfinished:
                withdraw(Path(receipt), chunks, Path(f"{CURVES}/{paper}"))


def urgency(stage, paper=None, seconds=0):
    """Priority of a job. Within a stage, long jobs (or those of many figures) start first, so that no core idles."""
    return 1000 * STAGES.index(stage) + (len(PAPERS[paper].pictures) if paper else min(round(seconds), 999))


def receipts_at(paper, names):
    """Receipts of runs, which represent the files that they list."""
    return [f"{RESULTS}/runs/{paper}/{name}" for name in names]


def noise_of(paper, curves):
    """Files of certified noise that curves read."""
    asking = {curve.noise_name: None for curve in curves if curve.calibration == "certified" and not curve.bound}
    return [f"results/noise/{paper}/{name}" for name in asking]


def curves_in(chunks):
    """The distinct curves of some chunks."""
    return list({id(chunk.curve): chunk.curve for chunk in chunks}.values())


def curves_of(paper, experiments):
    """All curves of some experiments at this scale."""
    return [curve for name in experiments for curve in curves(PROJECT, PAPERS[paper], name)]


def runs_of(paper, experiments):
    """Receipts of all runs of some experiments at this scale."""
    every = (receipts_of(chunks) for chunks in SIMULATIONS[paper])
    own = [name for found in every for name, (chunk, *_) in found.items() if chunk.curve.experiment in experiments]
    return receipts_at(paper, own)


def bounds_of(paper, experiments):
    """What the values of bounds depend on besides code: each bound, its seeds, and the seed of their instances."""
    found = [(curve.folder, curve.seeds) for curve in curves_of(paper, experiments) if curve.bound]
    return [PROJECT.root_seed, *found] if found else []


def tables_at(paper, experiments):
    """Both tables of each experiment."""
    return [
        f"{RESULTS}/tables/{paper}/{name}.{kind}" for name in experiments for kind in ("parquet", "summary.parquet")
    ]


def summaries_at(paper, experiments):
    """Tables of those experiments that figures show."""
    return [f"{RESULTS}/tables/{paper}/{name}.summary.parquet" for name in experiments]


def code_of(modules):
    """Combined source digest of a job that does several things."""
    return json_digest([dependencies.digest(each) for each in modules])


def tables_of(wildcards):
    paper = PAPERS[wildcards.paper]
    return [f"{RESULTS}/tables/{paper.key}/{name}.parquet" for name in paper.experiments]


def runs_judged(paper):
    """Number of rows in all run tables of a paper."""
    return cluster.runs_of(curves_of(paper, PAPERS[paper].experiments))


def figures_of(paper, names=None):
    """One picture per figure and calibration, for some figures or for all."""
    found = PAPERS[paper]
    own = found.figures if names is None else names
    return [f"{FIGURES}/{paper}/{picture}.svg" for picture, (name, _) in found.pictures.items() if name in own]


def pictures_of(paper, names):
    """Files of `figures_of` as outputs; `snakemake --report` shows each picture with an explanation."""
    shown = {}
    for picture, (name, calibration) in PAPERS[paper].pictures.items():
        file, figure = f"{FIGURES}/{paper}/{picture}.svg", PAPERS[paper].figures[name]
        drawing = "closed_form" if isinstance(figure, Drawn) else figure.drawing
        shown[file] = report(
            file,
            caption=f"../report/{drawing}.rst",
            category=paper,
            subcategory=calibration,
            labels={"shows": in_snakemake_report(figure.shows), "figure": name},
        )
    return [shown.get(file, file) for file in figures_of(paper, names)]


def pictures_together():
    """Pictures that cover all papers as outputs, each with an explanation."""
    shows = {
        "claims": ("verdicts", "all papers", "Every verdict on every claim"),
        "speed": ("speed", "all kernels", "Speed of the kernels beside others"),
        "growth": ("speed", "all kernels", "How the cost of kernels and stages grows"),
    }
    files = []
    for name in together(PROJECT):
        category, subcategory, words = shows[name]
        labels, caption = {"shows": words}, f"../report/{name}.rst"
        picture = report(
            f"{FIGURES}/{name}.svg", caption=caption, category=category, subcategory=subcategory, labels=labels
        )
        files.append(picture)
    return files


def data_of(paper):
    """Tables and claim records that are stored beside the figures."""
    return [f"{FIGURES}/{name}" for name in beside_figures([PAPERS[paper]])]


def own_notebook(paper):
    """Notebook of a paper if it has its own; otherwise the notebook is generated."""
    return [f"notebooks/{paper}.ipynb"] if os.path.isfile(f"notebooks/{paper}.ipynb") else []


def results_of_all():
    """Everything that a run produces for readers."""
    files = [f"{RESULTS}/report", f"{RESULTS}/certificate"]
    for paper in PAPERS:
        files += [f"{RESULTS}/notebooks/{paper}.{kind}" for kind in ("ipynb", "html")]
        files += [f"{RESULTS}/claims/{paper}.json", *figures_of(paper), *data_of(paper)]
    files += [f"{RESULTS}/audit/all.csv", *rules.report.output.pictures]
    return files + [f"{RESULTS}/tables/{key}/{name}.parquet" for key in PAPERS for name in PAPERS[key].experiments]


def forecasts_of_all():
    """All results of a pilot: the forecasts for every paper that has one."""
    return [f"{RESULTS}/forecasts/{key}.json" for key in PAPERS if PAPERS[key].played(SCALE)]


def plain(sections):
    """Sections as plain values, with exactly the content of their file."""
    if isinstance(sections, Mapping):
        return {name: plain(section) for name, section in sections.items()}
    if isinstance(sections, tuple):
        return [plain(section) for section in sections]
    # Grids already hold numbers instead of the model's types; this is no reason for a warning.
    return sections.model_dump(exclude_unset=True, warnings=False)


def claims_of(paper):
    """What a paper's verdicts depend on besides its tables: thresholds, evidence, the cost of more seeds, a pilot."""
    section = PAPERS[paper]
    costs = [[curve.experiment, curve.folder, curve.milliseconds] for curve in every_curve(PROJECT, section)]
    return [
        plain(section.claims),
        plain(section.measurements),
        plain(section.rules.gates),
        {name: figure.claims for name, figure in section.figures.items()},
        costs,
        {name: dict(algorithm.calibrations) for name, algorithm in TABLE.items()},
        PILOTED[paper],
    ]


def forecast_from(paper):
    """What a paper's forecasts depend on besides its tables: its claims, and the settings that quick plays."""
    section, quick = PAPERS[paper], replace(PROJECT, scale="quick")
    shorter = [[c.folder for c in curves(quick, section, name)] for name in section.played(SCALE)]
    calibrations = {name: dict(algorithm.calibrations) for name, algorithm in TABLE.items()}
    return [plain(section.claims), plain(section.rules.gates), PROJECT.root_seed, shorter, calibrations]


def audits_of(found):
    """What the records of some audits depend on besides code: their cells, and the descriptions in their sections."""
    return [
        [
            [(cell.id, cell.in_theorem_range) for cell in cells(PROJECT, PAPERS[key], name)],
            described(PAPERS[key], name),
        ]
        for key, name in found
    ]


def captions_of(paper):
    """What the figures of a paper show besides its results."""
    return plain(PAPERS[paper].figures)


def words_of(paper):
    """What the notebook, figures and report of a paper show besides its results."""
    section = PAPERS[paper]
    return [
        section.title,
        section.authors,
        section.reference,
        captions_of(paper),
        plain(section.tables),
        {name: audit.model_dump(warnings=False) for name, audit in section.audits.items()},
        assumptions(section),
        plain(section.rules.gates),
    ]


if snakemake_workarounds.plans(workflow):
    withdraw_receipts()
