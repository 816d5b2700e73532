"""Stage commands that Snakemake calls."""

from dataclasses import replace
from operator import attrgetter
from pathlib import Path

import click

from dpbandits.cli.inputs import chunks_made, demand, needs_noise
from dpbandits.cli.project import (
    FOLDER,
    PATH,
    RECORD,
    all_curves,
    figures_folder,
    find_project,
    one_of,
    project_of_stage,
    results,
    with_verdicts,
)
from dpbandits.config.entries import TABLE
from dpbandits.config.grid import curves
from dpbandits.config.models.experiments import PILOT
from dpbandits.config.plain_yaml import ConfigError
from dpbandits.config.wording import got
from dpbandits.planning import dependencies
from dpbandits.planning.benchmarks import plan
from dpbandits.planning.budgets import budgets
from dpbandits.planning.bundles import chunks_of
from dpbandits.planning.documents import documents
from dpbandits.planning.pilots import shown_in_pilot
from dpbandits.planning.receipts import write_receipts
from dpbandits.planning.single import find_chunks, find_curves
from dpbandits.text.speed import RATIOS


@click.command()
@click.argument("paper")
@click.argument("names", nargs=-1, required=True, metavar="NOISE...")
@click.option("--out", type=FOLDER, required=True, help="Folder of the noise files of the paper.")
@click.pass_context
def calibrate(ctx: click.Context, paper: str, names: tuple[str, ...], out: Path) -> None:
    """Compute the certified noise that curves of PAPER need: files NOISE (algorithm-id.json)."""
    from dpbandits.stages.calibrate import calibrate as stage

    project = project_of_stage(ctx, only=paper)
    found = project.papers[paper]
    for curve in find_curves(project, found, names, attrgetter("noise_name")):
        made = stage(curve, dependencies.digest(dependencies.calibrate(curve)), out / curve.noise_name)
        print(f"{curve.noise_name}: {'computed' if made else 'up to date'}")


@click.command()
@click.argument("paper")
@click.argument("names", nargs=-1, required=True, metavar="CHUNK...")
@click.option("--noise", type=FOLDER, required=True, help="Folder of the noise files of the paper.")
@click.option("--out", type=FOLDER, required=True, help="Folder of the curves of the paper.")
@click.option("--receipts", type=FOLDER, required=True, help="Folder of the lists of files that were written.")
@click.pass_context
def simulate(ctx: click.Context, paper: str, names: tuple[str, ...], noise: Path, out: Path, receipts: Path) -> None:
    """Simulate chunks of curves of PAPER: CHUNK is experiment/curve/first-last, such as figure2/.../0000-0019."""
    project = project_of_stage(ctx, only=paper, instances=True)
    chunks = find_chunks(project, project.papers[paper], names)
    from dpbandits.stages.quarantine import demand_records, setting_aside
    from dpbandits.stages.simulate import simulate as stage

    of_noise: dict[Path, dict[str, object]] = {
        noise / chunk.curve.noise_name: {} for chunk in chunks if needs_noise(chunk.curve)
    }
    demand_records(of_noise)
    for chunk in chunks:
        curve, source = chunk.curve, dependencies.digest(dependencies.simulate(chunk.curve))
        certified = noise / curve.noise_name if needs_noise(curve) else None
        with setting_aside(of_noise):
            made = stage(curve, project.root_seed, chunk.first, chunk.last, certified, source, out / chunk.file)
        print(f"{chunk.name}: {'simulated' if made else 'up to date'}", flush=True)
    write_receipts(chunks, out, receipts)


@click.command()
@click.argument("paper")
@click.argument("names", nargs=-1, required=True, metavar="EXPERIMENT...")
@click.option("--curves", "folder", type=FOLDER, required=True, help="Folder of the curves of the paper.")
@click.option("--noise", type=FOLDER, required=True, help="Folder of the noise files of the paper.")
@click.option("--out", type=FOLDER, required=True, help="Folder of the tables of the paper.")
@click.option("--threads", type=click.IntRange(1), default=1, show_default=True, help="Threads that read chunks.")
@click.pass_context
def aggregate(
    ctx: click.Context, paper: str, names: tuple[str, ...], folder: Path, noise: Path, out: Path, threads: int
) -> None:
    """Combine the chunks of all curves of each EXPERIMENT of PAPER into its tables."""
    from dpbandits.stages.aggregate import aggregate as stage

    project = project_of_stage(ctx, only=paper)
    found = project.papers[paper]
    for name in names:
        every = curves(project, found, one_of("experiment", name, found.experiments))
        files = {curve.folder: [folder / chunk.file for chunk in chunks_of([curve])] for curve in every}
        traced = found.experiments[name].traced or ()
        tables = out / f"{name}.parquet", out / f"{name}.summary.parquet"
        stage(every, files, *tables, project.root_seed, traced, threads, chunks_made(project, every, noise))


@click.command()
@click.argument("paper")
@click.option("--tables", type=FOLDER, required=True)
@click.option("--audits", type=RECORD, required=True, help="Records of the audits of the paper.")
@click.option("--out", type=PATH, required=True)
@click.pass_context
def judge(ctx: click.Context, paper: str, tables: Path, audits: Path, out: Path) -> None:
    """Judge the claims of PAPER from its tables and audits."""
    from dpbandits.stages.judge import judge as stage

    project = project_of_stage(ctx, only=paper)
    found = project.papers[paper]
    demand(project, paper, tables, runs=found.experiments, audits=audits)
    stage(
        paper,
        project.scale,
        found.claims,
        found.measurements,
        found.rules,
        {name: figure.claims for name, figure in found.figures.items()},
        all_curves(project, found),
        {name: algorithm.calibrations for name, algorithm in TABLE.items()},
        {experiment: tables / f"{experiment}.parquet" for experiment in found.experiments},
        audits,
        out,
        shown_in_pilot(project, found.key),
    )


@click.command()
@click.argument("paper")
@click.option("--tables", type=FOLDER, required=True)
@click.option("--out", type=PATH, required=True)
@click.pass_context
def pilot(ctx: click.Context, paper: str, tables: Path, out: Path) -> None:
    """Forecast the chance of a verdict on every claim of PAPER, by number of seeds."""
    from dpbandits.stages.pilot import pilot as stage

    project = project_of_stage(ctx, only=paper)
    if project.scale != PILOT:
        raise ConfigError(f"--scale: {got(project.scale, f'must be `{PILOT}`')}. Use --scale {PILOT}.")
    found = project.papers[paper]
    played = found.played(PILOT)
    demand(project, paper, tables, runs=played)
    quick = replace(project, scale="quick")
    stage(
        paper,
        project.root_seed,
        found.claims,
        found.rules,
        {experiment: curves(project, found, experiment) for experiment in played},
        {experiment: curves(quick, found, experiment) for experiment in played},
        {name: algorithm.calibrations for name, algorithm in TABLE.items()},
        {experiment: tables / f"{experiment}.parquet" for experiment in played},
        out,
    )


@click.command()
@click.argument("paper")
@click.argument("names", nargs=-1, required=True, metavar="FIGURE...")
@click.option("--tables", type=FOLDER, required=True)
@click.option("--claims", type=RECORD, required=True)
@click.option("--audits", type=RECORD, required=True)
@click.option("--out", type=FOLDER, required=True, help="Folder of the figures of the paper.")
@click.pass_context
def draw(
    ctx: click.Context, paper: str, names: tuple[str, ...], tables: Path, claims: Path, audits: Path, out: Path
) -> None:
    """Draw each FIGURE of PAPER at all of its calibrations."""
    project = project_of_stage(ctx, only=paper)
    found = project.papers[paper]
    for name in names:
        one_of("figure", name, found.figures)
    from dpbandits.stages.draw import draw as stage

    demand(project, paper, tables, summaries=found.shown_by(names), claims=claims, audits=audits)
    stage(found, names, tables, claims, audits, out)


@click.command()
@click.argument("paper")
@click.option("--tables", type=FOLDER, required=True)
@click.option("--claims", type=RECORD, required=True)
@click.option("--audits", type=RECORD, required=True)
@click.option("--figures", type=FOLDER, required=True)
@click.option("--ipynb", type=PATH, required=True)
@click.option("--html", type=PATH, required=True)
@click.pass_context
def render(
    ctx: click.Context, paper: str, tables: Path, claims: Path, audits: Path, figures: Path, ipynb: Path, html: Path
) -> None:
    """Execute the notebook of PAPER and copy the data that it shows to its figures folder."""
    from dpbandits.config.sections import judged_outputs
    from dpbandits.figures.default_notebook import default_notebook
    from dpbandits.stages.render import render as stage

    project = project_of_stage(ctx, only=paper)
    found = project.papers[paper]
    notebook = project.root / f"notebooks/{found.key}.ipynb"
    judged = judged_outputs(found.claims, found.measurements, found.rules)
    outputs = {name: {"regret"} | judged.get(name, set()) for name in found.experiments}
    generated = None if notebook.is_file() else default_notebook(found)
    demand(project, paper, tables, found.experiments, found.experiments, claims, audits)
    stage(notebook, found, outputs, tables, claims, audits, figures, ipynb, html, generated)


@click.command()
@click.option("--out", type=FOLDER, required=True)
@click.pass_context
def report(ctx: click.Context, out: Path) -> None:
    """Write the report: a folder of pages with verdicts, figures and notebooks, and one figure of all verdicts."""
    from dpbandits.stages.quarantine import setting_aside
    from dpbandits.stages.report import report as stage

    project = with_verdicts(ctx, project_of_stage(ctx))
    here = results(project)
    ratios = project.root / RATIOS
    claims, audits = ({key: here / f"{kind}/{key}.json" for key in project.papers} for kind in ("claims", "audit"))
    for key, paper in project.papers.items():
        shown = paper.shown_by(paper.figures)
        demand(project, key, here / f"tables/{key}", summaries=shown, claims=claims[key], audits=audits[key])
    figures = figures_folder(project)
    drawn = [figures / key / f"{name}.svg" for key, paper in project.papers.items() for name in paper.pictures]
    with setting_aside(drawn):
        stage(
            list(project.papers.values()),
            project.scale,
            project.root_seed,
            claims,
            audits,
            here / "audit/all.csv",
            {key: here / f"tables/{key}" for key in project.papers},
            {key: figures / key for key in project.papers},
            {key: here / f"notebooks/{key}.html" for key in project.papers},
            plan(project),
            here / "benchmarks",
            budgets(project),
            project.root / "logs",
            ratios if ratios.is_file() else None,
            out,
            figures,
            project.overview,
            documents=documents(project),
        )


@click.command()
@click.option("--out", type=FOLDER, default=Path("results/site"), show_default=True, help="Folder of the pages.")
@click.pass_context
def site(ctx: click.Context, out: Path) -> None:
    """Write the pages of the committed results of the scale full, without a run and without notebooks."""
    from dpbandits.stages.site import site as stage

    if ctx.obj[1] not in (None, "full"):
        raise ConfigError(f"--scale: {got(ctx.obj[1], 'the committed results are those of full. Leave it out.')}")
    project = find_project(ctx, scale="full")
    stage(project, out)
    click.echo(f"Report: {out}/index.html")
