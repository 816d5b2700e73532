"""Run a plan in this process or in several processes."""

import os
import sys
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import pairwise
from multiprocessing import get_context
from pathlib import Path

import numpy as np

from dpbandits.api.folders import set_for_a_while, told
from dpbandits.api.plans import Plan
from dpbandits.base.threads import THREADS
from dpbandits.config.plain_yaml import ConfigError
from dpbandits.stages.simulate import run_seeds
from dpbandits.stages.single import noise_of

Columns = dict[str, np.ndarray]


def runs(plan: Plan, root_seed: int, seeds: int, n_jobs: int, root: Path | None) -> Columns:
    """Columns `point, seed, replicate, t` and the outputs of all runs, in this order for any `n_jobs`."""
    with told(root):
        noise = [] if plan.own else noise_of(plan.curve)
        play = partial(_part, plan, root_seed, noise)
        return play(range(seeds)) if n_jobs == 1 else _in_processes(plan, play, seeds, min(n_jobs, seeds))


def _part(plan: Plan, root_seed: int, noise: list[Mapping[str, float]], seeds: range) -> Columns:
    for kind, name, own in plan.declared:  # a new process does not know them
        kind.declare(name, own)
    if plan.own is None:
        return run_seeds(plan.curve, root_seed, seeds, noise)
    from dpbandits.stages.own import run_class

    return run_class(plan.own.load(), plan.curve, root_seed, seeds)


def _in_processes(plan: Plan, play: "partial[Columns]", seeds: int, n_jobs: int) -> Columns:
    """Run consecutive blocks of seeds in new processes, and restore the order of a single process.

    Raises
    ------
    ConfigError
        The user's own code cannot be sent to other processes.
    """
    _check_sent(plan)
    ends = [seeds * k // n_jobs for k in range(n_jobs + 1)]
    parts = [range(first, end) for first, end in pairwise(ends)]
    one_thread = {name: os.environ.get(name, number) for name, number in THREADS.items()}
    with set_for_a_while(one_thread), ProcessPoolExecutor(n_jobs, mp_context=get_context("spawn")) as pool:
        found = list(pool.map(play, parts))
    joined = {name: np.concatenate([each[name] for each in found]) for name in found[0]}
    order = np.argsort(joined["point"], kind="stable")  # within a point, the parts are in seed order
    return {name: values[order] for name, values in joined.items()}


def _check_sent(plan: Plan) -> None:
    rule = [plan.own.source] if plan.own else []
    for own in (*rule, *(code for _, _, code in plan.declared)):
        if isinstance(own, str):
            continue
        home = sys.modules.get(own.__module__)
        if getattr(home, own.__qualname__, None) is not own or not hasattr(home, "__file__"):
            kind = "class" if isinstance(own, type) else "function"
            remedy = f'Put it in a file and use "my_file.py:{own.__name__}", or leave n_jobs out.'
            raise ConfigError(f"n_jobs: other processes cannot import the {kind} `{own.__name__}`. {remedy}")
