"""The `dpbandits` command: parse, call a stage, print."""

import json
import os
from collections.abc import Iterator, Mapping
from operator import attrgetter
from pathlib import Path
from typing import Any

for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ.setdefault(
        _variable, "1"
    )  # before NumPy loads: one job is one thread, and its bits do not depend on more

import click

from dpbandits.algorithms.table import TABLE
from dpbandits.digests import file_digest, json_digest
from dpbandits.experiments import dependencies
from dpbandits.experiments.config import SCALES, ConfigError, Paper, Project, load_project, shown
from dpbandits.experiments.curves import Curve
from dpbandits.experiments.grid import check, curves
from dpbandits.experiments.single import chunk_of, find_curve, single_curve
from dpbandits.storage import DamagedFile, read_json


class Group(click.Group):
    """Turns faults of the user's input and of stored files into one line and exit code 2."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except (ConfigError, DamagedFile) as fault:
            raise click.exceptions.Exit(_complain(str(fault))) from None
        except BrokenPipeError:
            raise
        except OSError as fault:
            text = f"{fault.filename}: {fault.strerror}" if fault.filename and fault.strerror else str(fault)
            raise click.exceptions.Exit(_complain(" ".join(text.split()))) from None


def _complain(text: str) -> int:
    click.echo(f"dpbandits: {text}", err=True)
    return 2


@click.group(cls=Group, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.option(
    "--project",
    "root",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder with config/config.yaml; by default the working folder or the nearest one above that has it.",
)
@click.option("--scale", type=click.Choice(SCALES), help="Scale, in place of the one in config/config.yaml.")
@click.pass_context
def main(ctx: click.Context, root: Path | None, scale: str | None) -> None:
    """Replicates papers on differentially private bandits and judges their claims.

    The stages (calibrate, simulate, aggregate, judge, render, report) are what Snakemake calls; `run` computes one
    curve by itself; `list`, `claims` and `explain` show what there is and how it stands.
    """
    ctx.obj = (root, scale)


def _project(ctx: click.Context) -> Project:
    root, scale = ctx.obj
    if root is None:
        here = Path.cwd()
        candidates = (here, *here.parents)
        root = next((folder for folder in candidates if (folder / "config/config.yaml").is_file()), None)
        if root is None:
            raise ConfigError("config/config.yaml: not found here or above; name its folder with --project DIR")
    elif not (root / "config/config.yaml").is_file():
        raise ConfigError(f"--project {root}: has no config/config.yaml")
    os.environ.setdefault("NUMBA_CACHE_DIR", str(root.resolve() / ".cache/numba"))
    project = load_project(root, {"scale": scale} if scale else {})
    check(project)
    return project


def _one_of(name: str, value: str, allowed: Any) -> str:
    if value not in allowed:
        raise ConfigError(f"{name}: {shown(value)} is not allowed; allowed: {', '.join(allowed)}")
    return value


def _paper(project: Project, key: str) -> Paper:
    return project.papers[_one_of("paper", key, project.papers)]


def _experiment(project: Project, name: str) -> tuple[Paper, str]:
    every = [f"{paper.key}/{experiment}" for paper in project.papers.values() for experiment in paper.experiments]
    key, _, experiment = _one_of("experiment", name, every).partition("/")
    return project.papers[key], experiment


def _all_curves(project: Project, paper: Paper) -> dict[str, tuple[Curve, ...]]:
    return {experiment: curves(project, paper, experiment) for experiment in paper.experiments}


PATH = click.Path(dir_okay=False, path_type=Path)
FOLDER = click.Path(file_okay=False, path_type=Path)


@main.command()
@click.argument("experiment")
@click.option("--noise", required=True, help="File name of the noise: algorithm-id.json.")
@click.option("--out", type=PATH, required=True)
@click.pass_context
def calibrate(ctx: click.Context, experiment: str, noise: str, out: Path) -> None:
    """Compute the certified noise that a curve of EXPERIMENT (paper/name) asks for."""
    from dpbandits.stages.calibrate import calibrate as stage

    project = _project(ctx)
    curve = find_curve(project, *_experiment(project, experiment), noise, attrgetter("noise_name"))
    print(f"{stage(curve, out)} entries of certified noise in {out}")


@main.command()
@click.argument("experiment")
@click.option("--curve", required=True, help="Folder name of the curve: algorithm-calibration[-variant]-id.")
@click.option("--seeds", required=True, help="First and last seed, as in 0000-0019.")
@click.option("--noise", type=PATH, help="What `calibrate` wrote; certified curves read it.")
@click.option("--out", type=PATH, required=True)
@click.pass_context
def simulate(ctx: click.Context, experiment: str, curve: str, seeds: str, noise: Path | None, out: Path) -> None:
    """Run one chunk of seeds of one curve of EXPERIMENT (paper/name)."""
    project = _project(ctx)
    paper, name = _experiment(project, experiment)
    found = find_curve(project, paper, name, curve, attrgetter("folder"))
    first, last = chunk_of(found, seeds)
    if found.calibration == "certified" and noise is None:
        raise ConfigError("--noise: is missing; certified curves need what `calibrate` wrote")
    from dpbandits.stages.simulate import simulate as stage

    stage(found, project.root_seed, first, last, noise, dependencies.digest(dependencies.simulate(found)), out)


@main.command()
@click.argument("experiment")
@click.option("--curves", "folder", type=FOLDER, required=True, help="Folder with one subfolder per curve.")
@click.option("--runs", type=PATH, required=True, help="Table of runs to write.")
@click.option("--summary", type=PATH, required=True, help="Summary over seeds to write.")
@click.pass_context
def aggregate(ctx: click.Context, experiment: str, folder: Path, runs: Path, summary: Path) -> None:
    """Bind the chunks of all curves of EXPERIMENT into its tables."""
    from dpbandits.experiments.curves import chunk_name
    from dpbandits.stages.aggregate import aggregate as stage

    project = _project(ctx)
    every = curves(project, *_experiment(project, experiment))
    files = {c.folder: [folder / c.folder / chunk_name(*chunk) for chunk in c.chunks()] for c in every}
    stage(every, files, runs, summary)


@main.command()
@click.argument("paper")
@click.option("--tables", type=FOLDER, required=True)
@click.option("--out", type=PATH, required=True)
@click.pass_context
def judge(ctx: click.Context, paper: str, tables: Path, out: Path) -> None:
    """Judge the claims of PAPER from its tables."""
    from dpbandits.stages.judge import judge as stage

    project = _project(ctx)
    found = _paper(project, paper)
    stage(
        paper,
        project.scale,
        project.root_seed,
        found.claims,
        found.figures,
        _all_curves(project, found),
        {name: algorithm.calibrations for name, algorithm in TABLE.items()},
        {experiment: tables / f"{experiment}.parquet" for experiment in found.experiments},
        out,
    )


@main.command()
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

    project = _project(ctx)
    found = _paper(project, paper)
    notebook = project.root / f"notebooks/{found.key}.ipynb"
    stage(notebook, found.title, found.experiments, tables, claims, figures, ipynb, html)


@main.command()
@click.option("--out", type=PATH, required=True)
@click.pass_context
def report(ctx: click.Context, out: Path) -> None:
    """Bind verdicts and figures into one page."""
    from dpbandits.stages.report import report as stage

    project = _project(ctx)
    here = results(project)
    every = [curve for p in project.papers.values() for found in _all_curves(project, p).values() for curve in found]
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


def results(project: Project) -> Path:
    """Where the results of the project's scale are."""
    return project.root / "results" / project.scale


def figures_folder(project: Project) -> Path:
    """Where figures go: to the top for `full`, among the results otherwise."""
    return project.root / "figures" if project.scale == "full" else results(project) / "figures"


@main.command()
@click.argument("experiment")
@click.option("--algorithm", required=True)
@click.option("--calibration", default="printed", show_default=True)
@click.option("--variant", default="", help="Variant, where the experiment has several of one algorithm.")
@click.option(
    "--set", "changes", multiple=True, metavar="NAME=VALUE", help="eps=0.1, T=1e6, or a parameter; repeatable."
)
@click.option("--seeds", type=click.IntRange(2, 1_000_000), default=100, show_default=True)
@click.option("--out", type=PATH, help="Write the trajectories to this parquet file.")
@click.option("--json", "as_json", is_flag=True)
@click.pass_context
def run(
    ctx: click.Context,
    experiment: str,
    algorithm: str,
    calibration: str,
    variant: str,
    changes: tuple[str, ...],
    seeds: int,
    out: Path | None,
    as_json: bool,
) -> None:
    """Run one curve of EXPERIMENT (paper/name) by itself and print its final regret."""
    project = _project(ctx)
    curve = single_curve(project, *_experiment(project, experiment), algorithm, calibration, variant, changes, seeds)
    from dpbandits.stages.single import run_single

    rows = run_single(curve, project.root_seed, out, dependencies.digest(dependencies.simulate(curve)))
    if as_json:
        click.echo(json.dumps({"curve": curve.identity(), "seeds": seeds, "points": rows}, indent=2))
        return
    same = "" if curve.calibration == calibration else f" (= {curve.calibration})"
    click.echo(f"{TABLE[algorithm].label}, {calibration}{same}: regret after {curve.horizon} rounds, {seeds} seeds")
    for row in rows:
        where = ", ".join(f"{name} = {value:g}" for name, value in row["setting"].items())
        low, high = row["interval"]
        click.echo(f"  {where}  mean {row['mean']:.6g}  standard error {row['standard_error']:.3g}"
                   f"  95 % interval [{low:.6g}, {high:.6g}]")  # fmt: skip


@main.command(name="list")
@click.argument("what", type=click.Choice(["papers", "experiments", "algorithms", "claims"]), default="experiments")
@click.option("--json", "as_json", is_flag=True)
@click.pass_context
def list_(ctx: click.Context, what: str, as_json: bool) -> None:
    """List what the configuration holds."""
    rows = LISTS[what](_project(ctx))
    if as_json:
        click.echo(json.dumps(rows, indent=2, ensure_ascii=False))
        return
    for row in rows:
        click.echo("  ".join(str(value) for value in row.values()))


def _papers(project: Project) -> list[dict[str, str]]:
    return [{"paper": p.key, "title": p.title, "reference": p.reference} for p in project.papers.values()]


def _experiments(project: Project) -> list[dict[str, str]]:
    return [
        {"experiment": f"{p.key}/{name}", "title": section["title"]}
        for p in project.papers.values()
        for name, section in p.experiments.items()
    ]


def _algorithms(project: Project) -> list[dict[str, str]]:
    return [
        {
            "algorithm": name,
            "calibrations": ",".join(a.calibrations),
            "reference": a.reference,
            "guarantee": a.guarantee,
        }
        for name, a in TABLE.items()
    ]


def _claims(project: Project) -> list[dict[str, str]]:
    return [
        {"claim": f"{p.key}/{name}", "calibrations": ",".join(section["calibrations"]), "says": section["says"]}
        for p in project.papers.values()
        for name, section in p.claims.items()
    ]


LISTS = {"papers": _papers, "experiments": _experiments, "algorithms": _algorithms, "claims": _claims}


def _records(project: Project, paper: str | None) -> Iterator[Mapping[str, Any]]:
    for key in [_paper(project, paper).key] if paper else project.papers:
        path = results(project) / f"claims/{key}.json"
        if not path.is_file():
            raise ConfigError(f"{path.relative_to(project.root)}: not there yet; run `make` or `snakemake` first")
        yield from read_json(path)["records"]


@main.command()
@click.argument("paper", required=False)
@click.option("--json", "as_json", is_flag=True)
@click.pass_context
def claims(ctx: click.Context, paper: str | None, as_json: bool) -> None:
    """Show the verdicts of the last run, of PAPER or of all papers."""
    project = _project(ctx)
    records = list(_records(project, paper))
    if as_json:
        click.echo(json.dumps(records, indent=2, ensure_ascii=False))
        return
    from dpbandits.report.terminal import print_claims

    print_claims(records, project.scale)
    page = results(project) / "report/index.html"
    if page.is_file():
        click.echo(f"Report: {page.relative_to(project.root)}")


@main.command()
@click.argument("claim")
@click.pass_context
def explain(ctx: click.Context, claim: str) -> None:
    """Explain the verdict on CLAIM (paper/C7): its statistic, its numbers, where it stands."""
    project = _project(ctx)
    every = [f"{p.key}/{name}" for p in project.papers.values() for name in p.claims]
    paper = _one_of("claim", claim, every).partition("/")[0]
    from dpbandits.report.terminal import print_explanation

    found = [record for record in _records(project, paper) if record["id"] == claim]
    if not found:
        raise ConfigError(f"{claim}: not judged yet; run `make` or `snakemake` first")
    for record in found:
        print_explanation(record)


@main.command()
@click.pass_context
def digest(ctx: click.Context) -> None:
    """Print one digest of all tables and claim records of the scale: equal results, equal digest."""
    project = _project(ctx)
    here = results(project)
    found = {
        path.relative_to(here).as_posix(): file_digest(path)
        for folder in ("tables", "claims")
        for path in sorted((here / folder).rglob("*"))
        if path.suffix in (".parquet", ".json") and not path.name.startswith(".")
    }
    if not found:
        raise ConfigError(f"{here.relative_to(project.root)}: holds no tables yet; run `make` or `snakemake` first")
    for name, value in found.items():
        click.echo(f"{value}  {name}")
    click.echo(f"{json_digest(found)}  {project.scale}")
