"""The audit command, for users, for Snakemake, and for a user's own mechanism."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from dpbandits.cli.own_audit import AuditCommand, own_audit, own_options
from dpbandits.cli.project import (
    FOLDER,
    find_judged_project,
    find_paper,
    find_root,
    one_of,
    project_of_stage,
    record_file,
    results,
    root_of_stage,
)
from dpbandits.config import letters
from dpbandits.config.loading import Project
from dpbandits.config.paper_files import KEY, known_keys
from dpbandits.config.plain_yaml import ConfigError
from dpbandits.config.regular_files import read_json_file
from dpbandits.config.wording import got
from dpbandits.planning import dependencies
from dpbandits.planning.audits import cells, described, sections_of

NAMED = f"{KEY}(/[a-z][a-z0-9_]*)?"
"""Valid names for `collect`. It does not read the configuration, and names become file names."""


@click.command(cls=AuditCommand)
@click.argument("names", nargs=-1, metavar="[PAPER]")
@click.option("--json", "as_json", is_flag=True)
@click.option(
    "--out",
    type=FOLDER,
    help="Audit the mechanisms of each AUDIT (paper/name) in place of PAPER, and write <paper>/<audit>.json there.",
)
@own_options
@click.pass_context
def audit(
    ctx: click.Context, names: tuple[str, ...], as_json: bool, out: Path | None, mechanism: str | None, **own: Any
) -> None:
    """Show how private the algorithms of PAPER or of all papers are, or audit a mechanism of your own.

    Each line covers an algorithm and a calibration: the claimed epsilon, the actual epsilon by calculation, the bound
    from runs alone, and the verdict. `dpbandits explain hanna2022/sums` explains a line.
    """
    if mechanism is not None:
        if names or out:
            other = f"the paper {names[0]}" if names else "--out"
            raise ConfigError(f"--mechanism: cannot be combined with {other}. Leave one of the two out.")
        own_audit(mechanism, as_json=as_json, **own)
    elif out is not None:
        _audit_cells(ctx, names, out)
    elif len(names) > 1:
        raise ConfigError(f"audit: got {len(names)} papers; must be one. Use --out to run several audits.")
    else:
        _show(ctx, names[0] if names else None, as_json)


def _show(ctx: click.Context, paper: str | None, as_json: bool) -> None:
    """Print the audits of the last run, for one paper or for all."""
    project = find_judged_project(ctx, only=paper)
    records = list(audit_records(project, paper))
    if as_json:
        click.echo(letters.as_json(records))
        return
    from dpbandits.text.audit_terminal import print_audits

    print_audits(records, project.scale)
    table = results(project) / "audit/all.csv"
    if table.is_file():
        click.echo(f"For spreadsheets: {table.relative_to(project.root)}")


def audit_records(project: Project, paper: str | None) -> Iterator[Mapping[str, Any]]:
    """Audit records of the last run, for one paper or for all."""
    for key in [find_paper(project, paper).key] if paper else project.papers:
        path = record_file(project, "audit", key)
        if not path.is_file():
            raise ConfigError(
                f"{path.relative_to(project.root)}: does not exist yet. Run `make {project.scale}` first."
            )
        yield from read_json_file(path)["records"]


def _audit_cells(ctx: click.Context, names: tuple[str, ...], out: Path) -> None:
    """Run the audit stage for the mechanisms of each audit (paper/name)."""
    if not names:
        raise ConfigError("audit: --out needs at least one audit. Add its name, such as hu2021/sums.")
    papers = list(dict.fromkeys(name.partition("/")[0] for name in names))
    known = known_keys(find_root(ctx))
    for each in papers:
        one_of("audit", each, known)
    project = project_of_stage(ctx, papers=papers)
    every = [f"{key}/{name}" for key, name in sections_of(project)]
    for each in names:
        one_of("audit", each, every)
    from dpbandits.stages.audit import audit as stage

    for each in names:
        key, _, name = each.partition("/")
        paper = project.papers[key]
        source = dependencies.digest(dependencies.audit(paper, name))
        words = described(paper, name)
        place = out / key / f"{name}.json"
        found = stage(words, cells(project, paper, name), project.root_seed, project.scale, source, place)
        print(f"{each}: {len(found)} cells", flush=True)


@click.command
@click.argument("names", nargs=-1, required=True, metavar="AUDIT...")
@click.option("--cells", "folder", type=FOLDER, required=True, help="Folder of the records of every audit.")
@click.option("--out", type=FOLDER, required=True, help="Folder for <paper>.json and all.csv.")
@click.pass_context
def collect(ctx: click.Context, names: tuple[str, ...], folder: Path, out: Path) -> None:
    """Collect the records of each AUDIT (paper/name, or the key of a paper without audits)."""
    from dpbandits.stages.collect import collect as stage
    from dpbandits.stages.quarantine import demand_records

    found: dict[str, list[Path]] = {}
    known = known_keys(root_of_stage(ctx))
    for each in names:
        if not re.fullmatch(NAMED, each):
            raise ConfigError(f"audit: {got(each, f'must match {NAMED}')}")
        paper, _, name = each.partition("/")
        one_of("paper", paper, known)
        found.setdefault(paper, []).extend([folder / paper / f"{name}.json"] if name else [])
    every = (path for paths in found.values() for path in paths)
    demand_records({path: {"audit": f"{path.parent.name}/{path.stem}"} for path in every})
    stage(found, out)
