"""What all commands share: where the project is, what it contains, and where results go."""

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
"""Path of the running package."""


class Choice(click.Choice):
    """Choice among words whose error message suggests the word that was probably meant."""

    def get_invalid_choice_message(self, value: Any, ctx: click.Context | None) -> str:
        """Error message: what is wrong, and which values are allowed."""
        return not_known("", value, self.choices)


class Place(click.Path):
    """A non-empty path whose name is valid UTF-8. An empty path would mean the working folder."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if value == "":
            self.fail("must name a file" if self.file_okay else "must name a folder", param, ctx)
        try:
            str(value).encode()
        except UnicodeEncodeError:
            self.fail(f"{got(value, 'must be text in UTF-8')}. Choose another name.", param, ctx)
        return super().convert(value, param, ctx)


class Record(Place):
    """Path of a regular file, read whole. A device such as `/dev/zero` could never be read to its end."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        path = super().convert(value, param, ctx)
        if os.path.exists(path) and not os.path.isfile(path):
            self.fail(f"{got(value, 'must be a regular file')}. Choose another one.", param, ctx)
        return path


PATH = Place(dir_okay=False, path_type=Path)
RECORD = Record(dir_okay=False, path_type=Path)
FOLDER = Place(file_okay=False, path_type=Path)
PICTURES = ("pdf", "png", "svg")
"""File types of figures."""


def find_project(
    ctx: click.Context,
    only: str | None = None,
    instances: bool = False,
    papers: Sequence[str] = (),
    scale: str | None = None,
) -> Project:
    """Validated project of a command: at --project, or in the nearest folder above that has a configuration.

    `only` limits which papers are read, `papers` replaces those of the configuration, and `scale` replaces --scale.
    Commands that draw `instances` check that instances exist. What Snakemake checked in planning is not checked again.
    """
    root, (_, chosen, asked) = find_root(ctx), ctx.obj
    os.environ[TOLD] = str(root.resolve())
    known = recall(root, (only,) if only else papers or None).known
    given = {"scale": scale or chosen, "papers": list(papers) or asked}
    overrides = {name: value for name, value in given.items() if value is not None}
    return load_and_check(root, overrides, only, known, instances)


def find_judged_project(ctx: click.Context, only: str | None = None) -> Project:
    """Like `find_project`, for a command that shows verdicts or audits. The scale pilot has neither."""
    return with_verdicts(ctx, find_project(ctx, only))


def with_verdicts(ctx: click.Context, project: Project) -> Project:
    """The project; ConfigError at the scale pilot, which has neither verdicts nor audits."""
    if project.scale == PILOT:
        place, option = ("--scale", "") if ctx.obj[1] else (f"{CONFIGURATION}: scale", "--scale ")
        said = got(PILOT, "the pilot judges no claims and runs no audits")
        raise ConfigError(f"{place}: {said}. Use {option}{', '.join(SCALES[:-1])} or {SCALES[-1]}.")
    return project


def find_root(ctx: click.Context) -> Path:
    """Root folder of the project."""
    root: Path | None = ctx.obj[0]
    if root is None:
        root = nearest()
        if root is None:
            raise ConfigError(
                f"{CONFIGURATION}: not found in this folder or above it. Use --project DIR to name its folder."
            )
    elif not os.path.isfile(root / CONFIGURATION):  # no name is too long for this call
        raise ConfigError(f"--project {root}: does not contain {CONFIGURATION}. Name the folder of a project.")
    own = root / "src/dpbandits"
    if (own / "__init__.py").is_file() and not own.samefile(PACKAGE):
        raise ConfigError(f"{root}: has its own package, but this command uses {PACKAGE}. Run `make setup`.")
    return root


def project_of_stage(
    ctx: click.Context, only: str | None = None, instances: bool = False, papers: Sequence[str] = ()
) -> Project:
    """Like `find_project`, for a stage."""
    root_of_stage(ctx)
    return find_project(ctx, only, instances, papers)


def root_of_stage(ctx: click.Context) -> Path:
    """Like `find_root`, for a stage. If its Snakemake is killed, the next one waits until the stage ends."""
    root = find_root(ctx)
    with suppress(FileNotFoundError):  # Snakemake has never run here
        lock = ctx.with_resource(open(root / JOBS_LOCK))  # noqa: SIM115 - closed with the context
        fcntl.flock(lock, fcntl.LOCK_SH)
    return root


def keep_kernels(root: Path | None) -> None:
    """Keep compiled kernels where runs of the project keep them, unless the user names a folder or may not write there.

    A cache may run anything when it is read. So only that of a project whose package this command is counts, and not
    that of a certificate.

    Parameters
    ----------
    root : the folder that the user names; if None, the nearest project above the working folder.
    """
    place = root or nearest()
    if place is None or not os.path.isdir(own := place / "src/dpbandits") or not os.path.samefile(own, PACKAGE):
        return
    kernels = place.resolve() / ".cache/numba"
    there = next(each for each in (kernels, *kernels.parents) if each.is_dir())
    if os.access(there, os.W_OK):
        os.environ.setdefault("NUMBA_CACHE_DIR", str(kernels))


def one_of(name: str, value: str, allowed: Any) -> str:
    """The value if it is allowed; else a ConfigError that lists the allowed values."""
    if value not in allowed:
        raise ConfigError(f"{name}: {not_known(name, value, allowed)}")
    return value


def find_paper(project: Project, key: str) -> Paper:
    """Configured paper with this key."""
    return project.papers[one_of("paper", key, project.papers)]


def find_experiment(project: Project, name: str) -> tuple[Paper, str]:
    """Paper and experiment named `paper/name`."""
    every = [f"{paper.key}/{experiment}" for paper in project.papers.values() for experiment in paper.experiments]
    key, _, experiment = one_of("experiment", name, every).partition("/")
    return project.papers[key], experiment


def all_curves(project: Project, paper: Paper) -> dict[str, tuple[Curve, ...]]:
    """Curves of every experiment of a paper."""
    return {experiment: curves(project, paper, experiment) for experiment in paper.experiments}


def results(project: Project) -> Path:
    """Folder of results at the project's scale."""
    return project.root / "results" / project.scale


def record_file(project: Project, kind: str, key: str) -> Path:
    """File of a paper's `claims` or `audit` records. At full, the committed file if no run has made one."""
    own = results(project) / f"{kind}/{key}.json"
    committed = project.root / f"figures/{key}/data/{kind}.json"
    return committed if project.scale == "full" and not own.is_file() and committed.is_file() else own


def figures_folder(project: Project) -> Path:
    """Folder for figures: the top of the project for `full`, the results folder otherwise."""
    return project.root / "figures" if project.scale == "full" else results(project) / "figures"


def check_ending(option: str, path: Path) -> None:
    """Raise ConfigError unless a figure file has one of the supported extensions."""
    if path.suffix.removeprefix(".") not in PICTURES:
        every = ", ".join(f".{kind}" for kind in PICTURES)
        raise ConfigError(f"{option}: {got(path.name, f'must end in {every}')}")
