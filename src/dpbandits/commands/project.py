"""What every command asks of the project: where it is, what is in it, where its results go."""

import fcntl
import os
from contextlib import suppress
from pathlib import Path
from typing import Any

import click

from dpbandits.experiments.config import ConfigError, Paper, Project, listed, load_project, shown
from dpbandits.experiments.curves import Curve
from dpbandits.experiments.faults import check
from dpbandits.experiments.grid import curves
from dpbandits.experiments.remembered import recall
from dpbandits.project_folder import CONFIGURATION, JOBS_LOCK, TOLD, nearest

PATH = click.Path(dir_okay=False, path_type=Path)
FOLDER = click.Path(file_okay=False, path_type=Path)


def find_project(ctx: click.Context, only: str | None = None, instances: bool = True) -> Project:
    """The validated project of a command: at --project, or in the nearest folder above that has a configuration.

    With `only`, of its papers no other is read. Stages that draw no instance need not check that there are any, and
    nothing is checked that Snakemake has planned with.
    """
    root, scale = find_root(ctx), ctx.obj[1]
    os.environ.setdefault("NUMBA_CACHE_DIR", str(root.resolve() / ".cache/numba"))
    os.environ[TOLD] = str(root.resolve())
    known = recall(root).known
    project = load_project(root, {"scale": scale} if scale else {}, only, known)
    if not known:
        check(project, instances)
    return project


def find_root(ctx: click.Context) -> Path:
    """The folder of the project."""
    root: Path | None = ctx.obj[0]
    if root is None:
        root = nearest()
        if root is None:
            raise ConfigError(f"{CONFIGURATION}: not found here or above; name its folder with --project DIR")
    elif not os.path.isfile(root / CONFIGURATION):  # which no name is too long for
        raise ConfigError(f"--project {root}: has no {CONFIGURATION}")
    return root


def project_of_stage(ctx: click.Context, only: str | None = None, instances: bool = True) -> Project:
    """As `find_project`, for a stage: where its Snakemake is killed, the next one waits until the stage has ended."""
    with suppress(FileNotFoundError):  # no Snakemake has run here
        lock = ctx.with_resource(open(find_root(ctx) / JOBS_LOCK))  # noqa: SIM115 - closed with the context
        fcntl.flock(lock, fcntl.LOCK_SH)
    return find_project(ctx, only, instances)


def one_of(name: str, value: str, allowed: Any) -> str:
    """The value where it is allowed; else a fault that lists what is."""
    if value not in allowed:
        raise ConfigError(f"{name}: {shown(value)} is not allowed; allowed: {listed(value, allowed)}")
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


def figures_folder(project: Project) -> Path:
    """Where figures go: to the top for `full`, among the results otherwise."""
    return project.root / "figures" if project.scale == "full" else results(project) / "figures"
