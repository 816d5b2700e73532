"""The stages as commands: what Snakemake calls."""

import os
from operator import attrgetter
from pathlib import Path

import click

from dpbandits.algorithms.table import TABLE
from dpbandits.commands.project import (
    FOLDER,
    PATH,
    all_curves,
    figures_folder,
    find_experiment,
    find_paper,
    find_project,
    results,
)
from dpbandits.experiments import dependencies
from dpbandits.experiments.config import ConfigError
from dpbandits.experiments.grid import curves
from dpbandits.experiments.single import chunk_of, find_curve


@click.command()
@click.argument("experiment")
@click.option("--noise", required=True, help="File name of the noise: algorithm-id.json.")
@click.option("--out", type=PATH, required=True)
@click.pass_context
def calibrate(ctx: click.Context, experiment: str, noise: str, out: Path) -> None:
    """Compute the certified noise that a curve of EXPERIMENT (paper/name) asks for."""
    from dpbandits.stages.calibrate import calibrate as stage

    project = find_project(ctx)
    curve = find_curve(project, *find_experiment(project, experiment), noise, attrgetter("noise_name"))
    print(f"{stage(curve, out)} entries of certified noise in {out}")


@click.command()
@click.argument("experiment")
@click.option("--curve", required=True, help="Folder name of the curve: algorithm-calibration[-variant]-id.")
@click.option("--seeds", required=True, help="First and last seed, as in 0000-0019.")
@click.option("--noise", type=PATH, help="What `calibrate` wrote; certified curves read it.")
@click.option("--out", type=PATH, required=True)
@click.pass_context
def simulate(ctx: click.Context, experiment: str, curve: str, seeds: str, noise: Path | None, out: Path) -> None:
    """Run one chunk of seeds of one curve of EXPERIMENT (paper/name)."""
    project = find_project(ctx)
    paper, name = find_experiment(project, experiment)
    found = find_curve(project, paper, name, curve, attrgetter("folder"))
    first, last = chunk_of(found, seeds)
    if found.calibration == "certified" and noise is None:
        raise ConfigError("--noise: is missing; certified curves need what `calibrate` wrote")
    from dpbandits.stages.simulate import simulate as stage

    stage(found, project.root_seed, first, last, noise, dependencies.digest(dependencies.simulate(found)), out)


@click.command()
@click.argument("experiment")
@click.option("--curves", "folder", type=FOLDER, required=True, help="Folder with one subfolder per curve.")
@click.option("--runs", type=PATH, required=True, help="Table of runs to write.")
@click.option("--summary", type=PATH, required=True, help="Summary over seeds to write.")
@click.pass_context
def aggregate(ctx: click.Context, experiment: str, folder: Path, runs: Path, summary: Path) -> None:
    """Bind the chunks of all curves of EXPERIMENT into its tables."""
    from dpbandits.experiments.curves import chunk_name
    from dpbandits.stages.aggregate import aggregate as stage

    project = find_project(ctx)
    every = curves(project, *find_experiment(project, experiment))
    files = {c.folder: [folder / c.folder / chunk_name(*chunk) for chunk in c.chunks()] for c in every}
    stage(every, files, runs, summary)


@click.command()
@click.argument("paper")
@click.option("--tables", type=FOLDER, required=True)
@click.option("--out", type=PATH, required=True)
@click.pass_context
def judge(ctx: click.Context, paper: str, tables: Path, out: Path) -> None:
    """Judge the claims of PAPER from its tables."""
    from dpbandits.stages.judge import judge as stage

    project = find_project(ctx)
    found = find_paper(project, paper)
    stage(
        paper,
        project.scale,
        project.root_seed,
        found.claims,
        found.figures,
        all_curves(project, found),
        {name: algorithm.calibrations for name, algorithm in TABLE.items()},
        {experiment: tables / f"{experiment}.parquet" for experiment in found.experiments},
        out,
    )


@click.command()
@click.argument("paper")
@click.option("--tables", type=FOLDER, required=True)
@click.option("--claims", type=PATH, required=True)
@click.option("--figures", type=FOLDER, required=True)
@click.option("--ipynb", type=PATH, required=True)
@click.option("--html", type=PATH, required=True)
@click.pass_context
def render(ctx: click.Context, paper: str, tables: Path, claims: Path, figures: Path, ipynb: Path, html: Path) -> None:
    """Execute the notebook of PAPER: its figures, and its page."""
    from dpbandits.stages.render import render as stage

    project = find_project(ctx)
    found = find_paper(project, paper)
    notebook = project.root / f"notebooks/{found.key}.ipynb"
    stage(notebook, found.title, found.experiments, tables, claims, figures, ipynb, html)


@click.command()
@click.option("--out", type=PATH, required=True)
@click.pass_context
def report(ctx: click.Context, out: Path) -> None:
    """Bind verdicts and figures into one page."""
    from dpbandits.stages.report import report as stage

    project = find_project(ctx)
    here = results(project)
    every = [curve for p in project.papers.values() for found in all_curves(project, p).values() for curve in found]
    base = Path(os.environ["NUMBA_CACHE_DIR"])
    compiled = {base / dependencies.compiled_folder(curve.algorithm) / "compiled.json" for curve in every}
    stage(
        list(project.papers.values()),
        project.scale,
        {key: here / f"claims/{key}.json" for key in project.papers},
        {key: figures_folder(project) / key for key in project.papers},
        here / "benchmarks",
        {name for curve in every for name in (curve.folder, curve.noise_name.removesuffix(".json"))},
        sorted(path for path in compiled if path.is_file()),
        out,
    )
