"""Commands that list contents, and show and explain verdicts."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from dpbandits.api.listing import algorithm_rows
from dpbandits.base.digests import file_digest, json_digest
from dpbandits.cli.audits import audit_records
from dpbandits.cli.project import Choice, find_judged_project, find_paper, find_project, one_of, record_file, results
from dpbandits.config import letters
from dpbandits.config.entries import ALGORITHMS, BOUNDS
from dpbandits.config.loading import Paper, Project
from dpbandits.config.plain_yaml import ConfigError
from dpbandits.config.regular_files import OF_TABLES, demand, read_json_file
from dpbandits.config.values import domain_of
from dpbandits.planning.audits import sections_of

VERDICTS = ("holds", "fails", "unclear", "not_tested")
LISTED = ("papers", "experiments", "algorithms", "bounds", "constants", "claims")


@click.command(name="list")
@click.argument("what", type=Choice(LISTED), default="experiments")
@click.option("--json", "as_json", is_flag=True)
@click.pass_context
def list_(ctx: click.Context, what: str, as_json: bool) -> None:
    """List the papers, experiments and claims of the configuration, or all algorithms, bounds or constants."""
    registered = what in REGISTERED  # shown even if the configuration is faulty: its error messages refer to this list
    rows = REGISTERED[what]() if registered else LISTS[what](find_project(ctx))
    if as_json:
        click.echo(letters.as_json(rows))
        return
    for row in rows:
        click.echo("  ".join(letters.visible(str(value)) for value in row.values()))


def _papers(project: Project) -> list[dict[str, str]]:
    return [{"paper": p.key, "title": p.title, "reference": p.reference} for p in project.papers.values()]


def _experiments(project: Project) -> list[dict[str, str]]:
    return [
        {"experiment": f"{p.key}/{name}", "title": section.title}
        for p in project.papers.values()
        for name, section in p.experiments.items()
    ]


def _bounds() -> list[dict[str, str]]:
    return [
        {"bound": name, "weights": ",".join(bound.weights), "reference": bound.reference, "label": bound.label}
        for name, bound in BOUNDS.items()
    ]


def _constants() -> list[dict[str, str]]:
    """Every constant of an algorithm, its allowed values, and the algorithms that have it."""
    having: dict[str, list[str]] = {}
    for algorithm, entry in ALGORITHMS.items():
        for name in entry.parameters:
            having.setdefault(name, []).append(algorithm)
    return [
        {"constant": name, "value": str(domain_of(name)), "algorithms": ",".join(algorithms)}
        for name, algorithms in sorted(having.items())
    ]


def _claims(project: Project) -> list[dict[str, str]]:
    return [
        {"claim": f"{p.key}/{name}", "calibrations": ",".join(section.calibrations), "statement": section.statement}
        for p in project.papers.values()
        for name, section in p.claims.items()
    ]


LISTS = {
    "papers": _papers,
    "experiments": _experiments,
    "claims": _claims,
}
REGISTERED = {"algorithms": algorithm_rows, "bounds": _bounds, "constants": _constants}


def _records(project: Project, paper: str | None) -> Iterator[Mapping[str, Any]]:
    """Claim records of a paper, or of all papers that were run; ConfigError if none was."""
    paths = _paths(project, [find_paper(project, paper).key] if paper else project.papers)
    if not any(path.is_file() for path in paths.values()):
        path = next(iter(paths.values()))
        raise ConfigError(f"{path.relative_to(project.root)}: does not exist yet. Run `make {project.scale}` first.")
    for path in paths.values():
        if path.is_file():
            yield from read_json_file(path)["records"]


def _say_committed(project: Project, keys: Iterable[str]) -> None:
    """Print a note if verdicts are the committed ones and not from a run in this folder."""
    if any(path.is_relative_to(project.root / "figures") for path in _paths(project, keys).values()):
        click.echo("These are the committed results in figures/; `make full` recomputes them.")


def _paths(project: Project, keys: Iterable[str]) -> dict[str, Path]:
    """Files of claim records by paper."""
    return {key: record_file(project, "claims", key) for key in keys}


@click.command()
@click.argument("paper", required=False)
@click.option("--failed", is_flag=True, help="Only claims that fail.")
@click.option("--verdict", type=Choice(VERDICTS), help="Only claims with this verdict.")
@click.option("--headline", is_flag=True, help="Only the headline claims of the papers.")
@click.option("-v", "--verbose", is_flag=True, help="One row per verdict, with the comparison that decides it.")
@click.option("--json", "as_json", is_flag=True)
@click.pass_context
def claims(
    ctx: click.Context,
    paper: str | None,
    failed: bool,
    verdict: str | None,
    headline: bool,
    verbose: bool,
    as_json: bool,
) -> None:
    """Show the verdicts of the last run, for PAPER or all papers, one line per claim."""
    if failed and verdict:
        raise ConfigError("--failed: cannot be combined with --verdict. Leave one of the two out.")
    project = find_judged_project(ctx)
    wanted = "fails" if failed else verdict
    records = [
        record
        for record in _records(project, paper)
        if wanted in (None, record["verdict"]) and (not headline or record["severity"] == "headline")
    ]
    if as_json:
        click.echo(letters.as_json(records))
        return
    if verbose:
        from dpbandits.text.terminal import print_claims

        print_claims(records, project.scale)
    else:
        from dpbandits.text.claim_lines import print_lines

        print_lines(records, project.scale)
    absent = [] if paper else [key for key, path in _paths(project, project.papers).items() if not path.is_file()]
    if absent:
        click.echo(f"Not run yet: {', '.join(absent)}. `make {project.scale} PAPER=KEY` runs one")
    _say_committed(project, [paper] if paper else project.papers)
    page = results(project) / "report/index.html"
    if page.is_file():
        click.echo(f"Report: {page.relative_to(project.root)}")


@click.command()
@click.argument("name")
@click.option("-v", "--verbose", is_flag=True, help="Every verdict with all of its comparisons.")
@click.pass_context
def explain(ctx: click.Context, name: str, verbose: bool) -> None:
    """Explain a claim, NAME (paper/C7 or paper/C7/variant), or an audit, NAME (paper/sums), on one screen."""
    project = find_judged_project(ctx)
    claims = [f"{p.key}/{claim}" for p in project.papers.values() for claim in _names(p)]
    audits = [f"{key}/{audit}" for key, audit in sections_of(project)]
    paper = one_of("claim or audit", name, [*claims, *audits]).partition("/")[0]
    if name in audits:
        from dpbandits.text.audit_terminal import print_audit

        print_audit([record for record in audit_records(project, paper) if record["audit"] == name])
        return
    found = [
        record
        for record in _records(project, paper)
        if name in (record["id"], f"{record['id']}/{record['variant']}".rstrip("/"))
    ]
    if not found:
        raise ConfigError(f"{name}: not judged yet. Run `make {project.scale}` first.")
    if verbose:
        from dpbandits.text.terminal import print_explanation

        for record in found:
            print_explanation(record)
        return
    from dpbandits.text.claim_lines import console_of
    from dpbandits.text.explanation import lines
    from dpbandits.text.reproduction import grid_of

    console = console_of()
    page = results(project) / f"report/{paper}/{name.split('/')[1]}.html"
    shown = page.relative_to(project.root).as_posix() if page.is_file() else ""
    grid = grid_of(project.papers[paper], found[0])
    for line in lines(found, shown, console.width, grid):
        console.print(line, soft_wrap=True)
    _say_committed(project, [paper])


def _names(paper: Paper) -> Iterator[str]:
    """Claims of a paper, `C7`, and their variants, `C7/local_excess`."""
    for name, claim in paper.claims.items():
        yield name
        yield from (f"{name}/{variant}" for variant in claim.variants or ())


@click.command()
@click.pass_context
def digest(ctx: click.Context) -> None:
    """Print one digest of all tables and records of the scale. Equal results have equal digests."""
    project = find_project(ctx)
    here = results(project)
    files = [
        path
        for folder in ("tables", "audit", "claims")
        for path in sorted((here / folder).rglob("*"))
        if path.suffix in (".parquet", ".json") and not path.name.startswith(".")
    ]
    demand(files, OF_TABLES)
    found = {path.relative_to(here).as_posix(): file_digest(path) for path in files}
    if not found:
        raise ConfigError(
            f"{here.relative_to(project.root)}: contains no tables yet. Run `make {project.scale}` first."
        )
    for name, value in found.items():
        click.echo(f"{value}  {name}")
    click.echo(f"{json_digest(found)}  {project.scale}")
