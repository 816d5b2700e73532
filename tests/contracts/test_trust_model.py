"""The trust model that an entry declares, against what its kernel does and what its certified noise is asked for.

Not checkable are algorithms with Gaussian noise that play no batches: one such message looks like one such sum.
"""

from dataclasses import replace
from inspect import signature

import numpy as np
import pytest

from dpbandits.algorithms.registry import TABLE
from dpbandits.audits.constants import constants_of
from dpbandits.base.checkpoints import log_spaced
from dpbandits.base.registry import ALGORITHMS
from dpbandits.config.values import number_of
from dpbandits.stages.simulate import arguments_of
from tests.shipped import shipped

from .runs import plain_python, setting
from .same_noise import plain, played, put

TRUSTED = {
    "laplace": {"central", "local"},
    "laplace sum": {"local", "shuffle"},
    "gaussian": {"central", "local", "shuffle"},
    "tree": {"central"},
    "tree over rounds": {"central"},
    "l2 ball": {"local"},
    "bits": {"shuffle"},
}
"""By the kind of noise, the trust models for which it is made."""
EVERY_USER, LONGER = 0.25, 4  # noised reports per round from which every user adds noise, at so many times the horizon
BY_USERS = ("local", "shuffle")
PRIVATE = [name for name, entry in TABLE.items() if entry.private]
COUNTED = [name for name in PRIVATE if {noise.kind for noise in TABLE[name].noise} <= {"laplace", "laplace sum"}]
BATCHED = [
    name
    for name in PRIVATE
    if {noise.kind for noise in TABLE[name].noise} == {"gaussian"} and "batch" in TABLE[name].parameters
]


def calls(name, k, times=1, parameters=None):
    """Arguments, by name, of every call that adds noise in one run of example `k` at so many times its horizon."""
    found, given, module = [], played(name, k, {}), ALGORITHMS.module(name)
    given = replace(given, horizon=times * given.horizon)
    constants = constants_of(
        name, TABLE[name].examples[k].calibration, {**given.setting, **(parameters or {}), "T": float(given.horizon)}
    )
    with plain_python() as patch:
        for noise in TABLE[name].noise:
            add = plain(noise)
            names = list(signature(add).parameters)
            put(patch, add, lambda *a, add=add, names=names: found.append(dict(zip(names, a, strict=True))) or add(*a))
        rounds = log_spaced(given.horizon, 1)
        module.run(np.random.default_rng(2), *given.instance, *arguments_of(constants), rounds)
    return found, given.horizon


VARIANTS = {
    (entry.algorithm, entry.variant): {
        name: number_of(name, constant, TABLE[entry.algorithm].parameters)
        for name, constant in (entry.parameters or {}).items()
    }
    for paper in shipped("quick").papers.values()
    for experiment in paper.experiments.values()
    for entry in experiment.entries
    if entry.algorithm in PRIVATE and entry.variant
}
"""Parameters of the variants of private algorithms."""


@pytest.mark.parametrize("name", TABLE)
def test_noise_is_of_a_kind_for_the_trust_model(name):
    entry = TABLE[name]
    assert bool(entry.noise) == entry.private
    assert all(entry.trust_model in TRUSTED[noise.kind] for noise in entry.noise)


@pytest.mark.parametrize("name", [name for name in TABLE if "certified" in TABLE[name].own_calibrations()])
def test_certified_noise_counts_on_other_users_with_a_shuffler_alone(name):
    module = ALGORITHMS.module(name)
    together = [
        request.n
        for example in TABLE[name].examples
        if example.calibration == "certified"
        for request in getattr(module, "requests", lambda _: {})(setting(name, example)).values()
    ]
    assert any(n > 1 for n in together) == (TABLE[name].trust_model == "shuffle")


@pytest.mark.parametrize("name", COUNTED)
def test_every_user_adds_noise_unless_a_server_does(name):
    """A server adds noise to sums, of which longer runs have ever fewer in a round."""
    for k in range(len(TABLE[name].examples)):
        added, horizon = calls(name, k, LONGER)
        reports = sum(each.get("reports", 1) for each in added)
        assert (reports >= EVERY_USER * horizon) == (TABLE[name].trust_model in BY_USERS), reports / horizon


@pytest.mark.parametrize("name", BATCHED)
def test_noise_of_a_batch_is_that_of_all_its_users_unless_a_server_adds_it(name):
    for k, example in enumerate(TABLE[name].examples):
        added, _ = calls(name, k)
        users = example.setting["batch"] if TABLE[name].trust_model in BY_USERS else 1.0
        assert users > 1.0 or TABLE[name].trust_model == "central"
        assert {round(each["times"] ** 2, 6) for each in added} == {users}


@pytest.mark.parametrize(("name", "variant"), VARIANTS, ids=map(":".join, VARIANTS))
def test_a_variant_without_privacy_adds_no_noise_and_every_other_does(name, variant):
    added, _ = calls(name, 0, LONGER, VARIANTS[name, variant])
    amounts = [each[noise.amount] for each in added for noise in TABLE[name].noise if noise.amount in each]
    assert any(amounts) == (variant not in TABLE[name].without_privacy)


def test_variants_without_privacy_are_in_the_configuration():
    declared = {(name, variant) for name in TABLE for variant in TABLE[name].without_privacy}
    assert declared <= VARIANTS.keys()
