"""What every command asks of the project: where it is, what is in it, where its results go."""

import fcntl
import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import click

from dpbandits.base.project_folder import CONFIGURATION, TOLD, nearest
from dpbandits.base.snakemake_files import JOBS_LOCK
from dpbandits.config.curves import Curve
from dpbandits.config.faults.check import load_and_check
from dpbandits.config.grid import curves
from dpbandits.config.loading import SCALES, Paper, Project
from dpbandits.config.models.experiments import PILOT
from dpbandits.config.plain_yaml import ConfigError
from dpbandits.config.wording import got, not_known
from dpbandits.planning.planning_cache import recall

PACKAGE = Path(__file__).parents[1]
"""The package that runs."""


class Choice(click.Choice):
    """One of some words, with the question which is meant where another is given."""

    def get_invalid_choice_message(self, value: Any, ctx: click.Context | None) -> str:
        """What is wrong, and what is allowed."""
        return not_known("", value, self.choices)


class Place(click.Path):
    """A path, which has a name: an empty text would stand for the working folder. The name is text in UTF-8."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if value == "":
            self.fail("must name a file" if self.file_okay else "must name a folder", param, ctx)
        try:
            str(value).encode()
        except UnicodeEncodeError:
            self.fail(f"{got(value, 'must be text in UTF-8')}. Choose another name.", param, ctx)
        return super().convert(value, param, ctx)


class Record(Place):
    """The path of a file that is read whole, which a device need not be able to: `/dev/zero` never ends."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        path = super().convert(value, param, ctx)
        if os.path.exists(path) and not os.path.isfile(path):
            self.fail(f"{got(value, 'must be a regular file')}. Choose another one.", param, ctx)
        return path


PATH = Place(dir_okay=False, path_type=Path)
RECORD = Record(dir_okay=False, path_type=Path)
FOLDER = Place(file_okay=False, path_type=Path)
PICTURES = ("pdf", "png", "svg")
"""Kinds of files that figures are written to."""


def find_project(
    ctx: click.Context,
    only: str | None = None,
    instances: bool = False,
    papers: Sequence[str] = (),
    scale: str | None = None,
) -> Project:
    """The validated project of a command: at --project, or in the nearest folder above that has a configuration.

    With `only`, of its papers no other is read, and with `papers` these take the place of its own. `scale` takes the
    place of --scale. Commands that draw `instances` check that there are any. Nothing is checked that Snakemake has
    planned with.
    """
    root, (_, chosen, asked) = find_root(ctx), ctx.obj
    os.environ.setdefault("NUMBA_CACHE_DIR", str(root.resolve() / ".cache/numba"))
    os.environ[TOLD] = str(root.resolve())
    known = recall(root).known
    given = {"scale": scale or chosen, "papers": list(papers) or asked}
    overrides = {name: value for name, value in given.items() if value is not None}
    return load_and_check(root, overrides, only, known, instances)


def find_judged_project(ctx: click.Context, only: str | None = None) -> Project:
    """As `find_project`, for a command that shows verdicts or audits, which the scale pilot does not have."""
    return with_verdicts(ctx, find_project(ctx, only))


def with_verdicts(ctx: click.Context, project: Project) -> Project:
    """The project; ConfigError where its scale is the pilot, which has neither verdicts nor audits."""
    if project.scale == PILOT:
        place, option = ("--scale", "") if ctx.obj[1] else (f"{CONFIGURATION}: scale", "--scale ")
        said = got(PILOT, "the pilot judges no claims and runs no audits")
        raise ConfigError(f"{place}: {said}. Use {option}{', '.join(SCALES[:-1])} or {SCALES[-1]}.")
    return project


def find_root(ctx: click.Context) -> Path:
    """The folder of the project."""
    root: Path | None = ctx.obj[0]
    if root is None:
        root = nearest()
        if root is None:
            raise ConfigError(
                f"{CONFIGURATION}: not found in this folder or above it. Use --project DIR to name its folder."
            )
    elif not os.path.isfile(root / CONFIGURATION):  # which no name is too long for
        raise ConfigError(f"--project {root}: does not contain {CONFIGURATION}. Name the folder of a project.")
    own = root / "src/dpbandits"
    if (own / "__init__.py").is_file() and not own.samefile(PACKAGE):
        raise ConfigError(f"{root}: has a package of its own, and this command is that of {PACKAGE}. Run `make setup`.")
    return root


def project_of_stage(
    ctx: click.Context, only: str | None = None, instances: bool = False, papers: Sequence[str] = ()
) -> Project:
    """As `find_project`, for a stage: where its Snakemake is killed, the next one waits until the stage has ended."""
    with suppress(FileNotFoundError):  # no Snakemake has run here
        lock = ctx.with_resource(open(find_root(ctx) / JOBS_LOCK))  # noqa: SIM115 - closed with the context
        fcntl.flock(lock, fcntl.LOCK_SH)
    return find_project(ctx, only, instances, papers)


def one_of(name: str, value: str, allowed: Any) -> str:
    """The value where it is allowed; else a fault that lists what is."""
    if value not in allowed:
        raise ConfigError(f"{name}: {not_known(name, value, allowed)}")
    return value


def find_paper(project: Project, key: str) -> Paper:
    """A configured paper by its key."""
    return project.papers[one_of("paper", key, project.papers)]


def find_experiment(project: Project, name: str) -> tuple[Paper, str]:
    """Paper and experiment by `paper/name`."""
    every = [f"{paper.key}/{experiment}" for paper in project.papers.values() for experiment in paper.experiments]
    key, _, experiment = one_of("experiment", name, every).partition("/")
    return project.papers[key], experiment


def all_curves(project: Project, paper: Paper) -> dict[str, tuple[Curve, ...]]:
    """The curves of every experiment of a paper."""
    return {experiment: curves(project, paper, experiment) for experiment in paper.experiments}


def results(project: Project) -> Path:
    """Where the results of the project's scale are."""
    return project.root / "results" / project.scale


def record_file(project: Project, kind: str, key: str) -> Path:
    """The `claims` or `audit` records of a paper; the committed ones where the scale full has none of its own."""
    own = results(project) / f"{kind}/{key}.json"
    committed = project.root / f"figures/{key}/data/{kind}.json"
    return committed if project.scale == "full" and not own.is_file() and committed.is_file() else own


def figures_folder(project: Project) -> Path:
    """Where figures go: to the top for `full`, among the results otherwise."""
    return project.root / "figures" if project.scale == "full" else results(project) / "figures"


def check_ending(option: str, path: Path) -> None:
    """ConfigError if a file for a picture has no ending of a kind that is drawn."""
    if path.suffix.removeprefix(".") not in PICTURES:
        every = ", ".join(f".{kind}" for kind in PICTURES)
        raise ConfigError(f"{option}: {got(path.name, f'must end in {every}')}")
