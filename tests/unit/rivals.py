"""What the tests of the private rivals share: their settings, their kernels as plain Python, and patches in them."""

import contextlib
from importlib import import_module

import numpy as np
import pytest

from dpbandits.base.registry import ALGORITHMS

HELPERS = (
    "dpbandits.algorithms.bernoulli.private_means",
    "dpbandits.algorithms.shared.tree_noise",
    "dpbandits.privacy.mechanisms",
)
SETTINGS = {  # constants of `run` in its order, in the units of the table
    "dp_se": {"eps": 0.1, "beta": 0.5, "restarts": 0.0},
    "adap_ucb": {"eps": 0.8, "alpha": 0.7},
    "adap_kl_ucb": {"eps": 0.8, "alpha_kl": 0.5, "alpha_private": 0.7},
    "dp_kl_ucb": {"eps": 0.5, "ratio": 1.5, "first_batch": 2.0},
    "dp_imed": {"eps": 0.5, "ratio": 1.5, "first_batch": 2.0},
    "dp_ucb": {"eps": 4.0, "gamma": 0.1, "split_budget": 0.0},
}
NAMES = list(SETTINGS)


def module(name):
    return ALGORITHMS.module(name)


def constants(name, **changes):
    """The constants of `run`, in its order."""
    return tuple(vars(module(name).params("printed", {**SETTINGS[name], **changes}, {})).values())


def trace(name, seed, means, checkpoints, **changes):
    rounds = np.asarray(checkpoints)
    return module(name).run(np.random.default_rng(seed), np.array(means), *constants(name, **changes), rounds)


def regrets(name, seeds, means, checkpoints, **changes):
    """(runs, checkpoints) of the kernel."""
    return np.array([trace(name, seed, means, checkpoints, **changes)[:, 0] for seed in seeds])


@contextlib.contextmanager
def plain(name, **replaced):
    """`run` as plain Python, all helpers too; `replaced` are functions put in the place of helpers of that name."""
    with pytest.MonkeyPatch.context() as patch:
        for each in (module(name), *map(import_module, HELPERS)):
            for helper, function in list(vars(each).items()):
                if helper in replaced:
                    patch.setattr(each, helper, replaced[helper])
                elif helper != "run" and hasattr(function, "py_func"):
                    patch.setattr(each, helper, function.py_func)
        assert all(hasattr(module(name), helper) or helper == "laplace" for helper in replaced)
        yield module(name).run.py_func


def plain_trace(name, seed, means, checkpoints, replaced=(), **changes):
    """As `trace`, by the plain Python."""
    with plain(name, **dict(replaced)) as run:
        return run(np.random.default_rng(seed), np.array(means), *constants(name, **changes), np.asarray(checkpoints))
