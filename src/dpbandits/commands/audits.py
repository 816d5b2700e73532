"""The audit as a command: for people, for Snakemake, and for a mechanism of the user's own."""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from dpbandits.commands.own_audit import AuditCommand, own_audit, own_options
from dpbandits.commands.project import FOLDER, find_paper, find_project, one_of, project_of_stage, results
from dpbandits.experiments import dependencies
from dpbandits.experiments.audits import cells, described, sections_of
from dpbandits.experiments.config import ConfigError, Project, shown
from dpbandits.storage import read_json

NAMED = "[a-z]+[0-9]{4}(/[a-z][a-z0-9_]*)?"
"""What `audit-bind` takes for names: those of the configuration, which it does not read, become names of files."""


@click.command(cls=AuditCommand)
@click.argument("paper", required=False)
@click.option("--json", "as_json", is_flag=True)
@own_options
@click.pass_context
def audit(ctx: click.Context, paper: str | None, as_json: bool, mechanism: str | None, **own: Any) -> None:
    """Show how private the algorithms of PAPER, or of all papers, are; or audit a mechanism of your own.

    A line for every algorithm and calibration: what it claims, its true level by calculation, what runs alone show,
    and the verdict. `dpbandits explain hanna2022/sums` explains a line.
    """
    if mechanism is not None:
        if paper is not None:
            raise ConfigError(f"--mechanism: is not allowed with a paper, {paper}")
        own_audit(mechanism, as_json=as_json, **own)
        return
    project = find_project(ctx, only=paper, instances=False)
    records = list(audit_records(project, paper))
    if as_json:
        click.echo(json.dumps(records, indent=2, ensure_ascii=False))
        return
    from dpbandits.report.audit_terminal import print_audits

    print_audits(records, project.scale)
    table = results(project) / "audit/all.csv"
    if table.is_file():
        click.echo(f"For spreadsheets: {table.relative_to(project.root)}")


def audit_records(project: Project, paper: str | None) -> Iterator[Mapping[str, Any]]:
    """The audit records of the last run, of a paper or of all."""
    for key in [find_paper(project, paper).key] if paper else project.papers:
        path = results(project) / f"audit/{key}.json"
        if not path.is_file():
            raise ConfigError(f"{path.relative_to(project.root)}: not there yet; run `make` or `snakemake` first")
        yield from read_json(path)["records"]


@click.command(name="audit-cells")
@click.argument("names", nargs=-1, required=True, metavar="AUDIT...")
@click.option("--out", type=FOLDER, required=True, help="Folder of the records: <paper>/<audit>.json.")
@click.pass_context
def audit_cells(ctx: click.Context, names: tuple[str, ...], out: Path) -> None:
    """Audit the mechanisms of each AUDIT (paper/name)."""
    project = project_of_stage(ctx, instances=False)
    every = [f"{key}/{name}" for key, name in sections_of(project)]
    for each in names:
        one_of("audit", each, every)
    from dpbandits.stages.audit import audit as stage

    for each in names:
        key, _, name = each.partition("/")
        paper = project.papers[key]
        source = dependencies.digest(dependencies.audit(paper, name))
        words = described(paper.audits[name])
        place = out / key / f"{name}.json"
        found = stage(words, cells(project, paper, name), project.root_seed, project.scale, source, place)
        print(f"{each}: {len(found)} cells", flush=True)


@click.command(name="audit-bind")
@click.argument("names", nargs=-1, required=True, metavar="AUDIT...")
@click.option("--cells", "folder", type=FOLDER, required=True, help="Folder of the records of every audit.")
@click.option("--out", type=FOLDER, required=True, help="Folder for <paper>.json and all.csv.")
def audit_bind(names: tuple[str, ...], folder: Path, out: Path) -> None:
    """Bind the records of each AUDIT (paper/name, or a paper that has none)."""
    from dpbandits.stages.audit_bind import audit_bind as stage

    found: dict[str, list[Path]] = {}
    for each in names:
        if not re.fullmatch(NAMED, each):
            raise ConfigError(f"audit: {shown(each)} is not allowed; allowed: text that matches {NAMED}")
        paper, _, name = each.partition("/")
        found.setdefault(paper, []).extend([folder / paper / f"{name}.json"] if name else [])
    stage(found, out)
