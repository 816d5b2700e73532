"""Commands for people: run one curve, list what there is, show and explain verdicts."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from dpbandits.algorithms.table import TABLE
from dpbandits.commands.audits import audit_records
from dpbandits.commands.project import PATH, find_experiment, find_paper, find_project, one_of, results
from dpbandits.digests import file_digest, json_digest
from dpbandits.experiments import dependencies
from dpbandits.experiments.audits import sections_of
from dpbandits.experiments.config import ConfigError, Project
from dpbandits.experiments.single import single_curve
from dpbandits.storage import read_json


@click.command()
@click.argument("experiment")
@click.option("--algorithm", required=True)
@click.option("--calibration", default="printed", show_default=True)
@click.option("--variant", default="", help="Variant, where the experiment has several of one algorithm.")
@click.option(
    "--set",
    "changes",
    multiple=True,
    metavar="NAME=VALUE",
    help="eps=0.1, T=1e6, arms=100, or a parameter; repeatable.",
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
    project = find_project(ctx)
    curve = single_curve(
        project, *find_experiment(project, experiment), algorithm, calibration, variant, changes, seeds
    )
    from dpbandits.stages.single import run_single

    rows = run_single(curve, project.root_seed, out, dependencies.digest(dependencies.simulate(curve)))
    if as_json:
        click.echo(json.dumps({"curve": curve.identity(), "seeds": seeds, "points": rows}, indent=2))
        return
    same = "" if curve.calibration == calibration else f" (= {curve.calibration})"
    horizons = {curve.horizon_at(point) for point in curve.points}
    rounds = horizons.pop() if len(horizons) == 1 else "T"
    click.echo(f"{TABLE[algorithm].label}, {calibration}{same}: regret after {rounds} rounds, {seeds} seeds")
    for row in rows:
        where = ", ".join(f"{name} = {value:.10g}" for name, value in row["setting"].items())
        low, high = row["interval"]
        click.echo(f"  {where}  mean {row['mean']:.6g}  standard error {row['standard_error']:.3g}"
                   f"  95 % interval [{low:.6g}, {high:.6g}]")  # fmt: skip


@click.command(name="list")
@click.argument("what", type=click.Choice(["papers", "experiments", "algorithms", "claims"]), default="experiments")
@click.option("--json", "as_json", is_flag=True)
@click.pass_context
def list_(ctx: click.Context, what: str, as_json: bool) -> None:
    """List what the configuration holds."""
    rows = LISTS[what](find_project(ctx))
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
    for key in [find_paper(project, paper).key] if paper else project.papers:
        path = results(project) / f"claims/{key}.json"
        if not path.is_file():
            raise ConfigError(f"{path.relative_to(project.root)}: not there yet; run `make` or `snakemake` first")
        yield from read_json(path)["records"]


@click.command()
@click.argument("paper", required=False)
@click.option("--json", "as_json", is_flag=True)
@click.pass_context
def claims(ctx: click.Context, paper: str | None, as_json: bool) -> None:
    """Show the verdicts of the last run, of PAPER or of all papers."""
    project = find_project(ctx)
    records = list(_records(project, paper))
    if as_json:
        click.echo(json.dumps(records, indent=2, ensure_ascii=False))
        return
    from dpbandits.report.terminal import print_claims

    print_claims(records, project.scale)
    page = results(project) / "report/index.html"
    if page.is_file():
        click.echo(f"Report: {page.relative_to(project.root)}")


@click.command()
@click.argument("name")
@click.pass_context
def explain(ctx: click.Context, name: str) -> None:
    """Explain a verdict: of the claim NAME (paper/C7), its statistic and numbers, or of the audit NAME (paper/sums)."""
    project = find_project(ctx)
    claims = [f"{p.key}/{claim}" for p in project.papers.values() for claim in p.claims]
    audits = [f"{key}/{audit}" for key, audit in sections_of(project)]
    paper = one_of("claim or audit", name, [*claims, *audits]).partition("/")[0]
    if name in audits:
        from dpbandits.report.audit_terminal import print_audit

        print_audit([record for record in audit_records(project, paper) if record["audit"] == name])
        return
    from dpbandits.report.terminal import print_explanation

    found = [record for record in _records(project, paper) if record["id"] == name]
    if not found:
        raise ConfigError(f"{name}: not judged yet; run `make` or `snakemake` first")
    for record in found:
        print_explanation(record)


@click.command()
@click.pass_context
def digest(ctx: click.Context) -> None:
    """Print one digest of all tables and records of the scale: equal results, equal digest."""
    project = find_project(ctx)
    here = results(project)
    found = {
        path.relative_to(here).as_posix(): file_digest(path)
        for folder in ("tables", "audit", "claims")
        for path in sorted((here / folder).rglob("*"))
        if path.suffix in (".parquet", ".json") and not path.name.startswith(".")
    }
    if not found:
        raise ConfigError(f"{here.relative_to(project.root)}: holds no tables yet; run `make` or `snakemake` first")
    for name, value in found.items():
        click.echo(f"{value}  {name}")
    click.echo(f"{json_digest(found)}  {project.scale}")
