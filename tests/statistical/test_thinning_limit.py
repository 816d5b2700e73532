"""The numbers of `docs/proofs/thinning.md`: rounds that no exact thinning can settle, and rounds that ours draws."""

import functools
import math
import re

import numpy as np
import pytest
from scipy import stats

from dpbandits.algorithms.bernoulli import lazy_dp_ts, thinning
from dpbandits.algorithms.shared.play import open_play
from tests.shipped import ROOT

pytestmark = pytest.mark.slow

MEANS, EPS, BONUS = np.array([0.75, 0.625, 0.5, 0.375, 0.25]), 0.25, 3.0
SEEDS = 20
DECISIONS = 2  # in the counts of a play
EDGES = np.linspace(0.0, 1.0, 1001)
ROW = re.compile(r"^\| 1e(\d) \| ([\d.]+) ± ([\d.]+) \| ([\d.]+) ± ([\d.]+) \|", re.MULTILINE)
TABLE = {
    10 ** int(power): tuple(map(float, numbers))
    for power, *numbers in ROW.findall((ROOT / "docs/proofs/thinning.md").read_text(encoding="utf-8"))
}


def likeliest(beliefs, t):
    """The arm that round t pulls with the largest probability, by the midpoint rule."""
    p = np.clip(beliefs.noisy + beliefs.bonus * math.log(t), 0.0, 1.0)
    a, b = (p * beliefs.n + 1.0)[:, None], ((1.0 - p) * beliefs.n + 1.0)[:, None]
    below, mass = stats.beta.cdf(0.5 * (EDGES[1:] + EDGES[:-1]), a, b), np.diff(stats.beta.cdf(EDGES, a, b))
    return int(np.argmax([mass[j] @ np.delete(below, j, 0).prod(0) for j in range(len(p))]))


def counted(horizon, seed):
    """Rounds that pull another arm than the likeliest one, and rounds that the kernel draws, in a run."""
    rng = np.random.default_rng([7, horizon, seed])
    play = open_play(MEANS, np.array([horizon]))
    beliefs = lazy_dp_ts.first_pulls(rng, play, MEANS, EPS, BONUS, horizon)
    now, others, drawn = len(MEANS), 0, 0
    while now < horizon:
        start, before, decisions = now, play.pulls.copy(), play.counts[DECISIONS]
        likely, ways = likeliest(beliefs, now + 1), thinning.ways_of(beliefs, now)
        if ways.total < math.inf:
            now, i = thinning.skip_plain_rounds(rng, play, beliefs, ways, now)
            drawn += play.counts[DECISIONS] - decisions - 1  # the last one plays to the end, or to a release
        else:
            now, i = lazy_dp_ts.every_round(rng, play, beliefs, now, min(ways.end, horizon))
            drawn += now - start
        others += now - start - (play.pulls - before)[likely]
        if beliefs.left[i] == 0:
            lazy_dp_ts.release(rng, play, beliefs, i, 2 * beliefs.n[i], MEANS[i], EPS, BONUS)
    return others, drawn


@functools.cache
def counts(horizon):
    """(SEEDS, 2)"""
    return np.array([counted(horizon, seed) for seed in range(SEEDS)], float)


@pytest.mark.parametrize("horizon", sorted(TABLE))
def test_the_page_has_the_numbers_of_a_simulation(horizon):
    found = counts(horizon)
    errors = found.std(axis=0, ddof=1) / math.sqrt(SEEDS)
    for k, (mean, error) in enumerate(zip(TABLE[horizon][::2], TABLE[horizon][1::2], strict=True)):
        assert abs(found[:, k].mean() - mean) < 4.0 * math.hypot(error, errors[k])


@pytest.mark.parametrize("horizon", sorted(TABLE))
def test_no_run_draws_fewer_rounds_than_the_bound_needs(horizon):
    others, drawn = counts(horizon).T
    assert (drawn > others).all()


def test_all_horizons_are_on_the_page():
    assert sorted(TABLE) == [10**5, 10**6]


def test_the_likeliest_arm_is_that_of_draws():
    beliefs = thinning.Beliefs(
        np.array([0.2, 0.6, 0.55]), np.array([0.3, 0.0, 0.001]), np.array([4, 40, 300]), np.array([8, 80, 600])
    )
    p = np.clip(beliefs.noisy + beliefs.bonus * math.log(9), 0.0, 1.0)
    draws = np.random.default_rng(1).beta(p * beliefs.n + 1.0, (1.0 - p) * beliefs.n + 1.0, (20_000, 3))
    assert likeliest(beliefs, 9) == np.bincount(draws.argmax(axis=1)).argmax()
