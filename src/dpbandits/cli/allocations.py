"""The command that computes seed allocations from pilots."""

from collections.abc import Sequence
from pathlib import Path

import click

from dpbandits.base.storage import copy_file, replaceable, write_text
from dpbandits.cli.project import FOLDER, find_project
from dpbandits.config import allocations as files
from dpbandits.config.loading import Project
from dpbandits.config.models.experiments import PILOT
from dpbandits.config.plain_yaml import ConfigError
from dpbandits.planning import pilots


@click.command()
@click.argument("papers", nargs=-1, metavar="[PAPER]...")
@click.option(
    "--pilot",
    "folder",
    type=FOLDER,
    help="Folder of a pilot, such as results/pilot: copy its forecasts to config/pilots first.",
)
@click.pass_context
def allocate(ctx: click.Context, papers: tuple[str, ...], folder: Path | None) -> None:
    """Choose the seeds of every experiment with `seeds: allocated`, and write config/allocations/PAPER.yaml.

    The numbers come only from config/pilots/PAPER.json, so everyone gets the same ones. Without PAPER the command
    allocates for all papers that have `seeds: allocated`. `make pilot` runs the pilot.
    """
    from dpbandits.text.allocation_terminal import print_allocation

    if folder is not None and not folder.is_dir():
        raise ConfigError(f"--pilot {folder}: does not exist. Run `make pilot`, or name the folder of another pilot.")
    project = find_project(ctx, papers=papers, scale=PILOT)
    chosen = [project.papers[key] for key in _chosen(project, papers)]
    sources = {paper.key: folder and folder / "forecasts" / f"{paper.key}.json" for paper in chosen}
    read = [(paper, pilots.read_pilot(project, paper.key, sources[paper.key])) for paper in chosen]
    found = [(paper, pilot, pilots.allocations(project, paper, pilot)) for paper, pilot in read]
    for key in sources:  # all files are checked before any is written
        for name in (files.pilot_of(key), files.file_of(key)):
            replaceable(project.root / name)
    for paper, _, by_scale in found:
        if source := sources[paper.key]:
            copy_file(source, project.root / files.pilot_of(paper.key))
        write_text(project.root / files.file_of(paper.key), pilots.written(paper, by_scale))
    for paper, pilot, by_scale in found:
        for scale, allocation in by_scale.items():
            studies = pilots.studies_of(project, paper, scale)
            forecasts = pilots.forecasts_of(paper, pilot, scale)
            print_allocation(paper.key, scale, studies, forecasts, allocation, paper.allocated[scale])
        click.echo(f"Written: {files.file_of(paper.key)}")
        if newer := pilots.newer_claims(paper, pilot):
            click.echo(
                f"Claims newer than the pilot, ignored until you run `make pilot PAPER={paper.key}`: {', '.join(newer)}"
            )


def _chosen(project: Project, papers: Sequence[str]) -> list[str]:
    """Papers whose seeds to allocate; ConfigError if a paper has no allocated seeds."""
    for key in papers:
        if not project.papers[key].allocated:
            raise ConfigError(f"{project.papers[key].file}: no size has `seeds: allocated`. Add it to use a pilot.")
    found = [key for key, paper in project.papers.items() if paper.allocated]
    if not found:
        raise ConfigError("config/papers: no size of these papers has `seeds: allocated`. Add it to use a pilot.")
    return found
