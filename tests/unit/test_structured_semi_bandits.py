"""Algorithms that know their super arms, and the two curves that are none: transcriptions, privacy, numbers by hand."""

import itertools
import math

import numpy as np
import pytest

from dpbandits.algorithms.semi_bandit import path_sum_ldp, structured_dp
from dpbandits.privacy import mechanisms

from .semi_bandits import DRAWS, drawn, params, trace, uneven

T, EPS = 150, 0.5
L = math.log(T)
RUNS = [
    ("path_sum_ldp", "bandit", "printed", {"eps": 30.0}),
    ("path_sum_ldp", "paths", "printed", {"eps": 30.0}),
    ("path_sum_ldp", "paths", "tuned", {"eps": 4.0, "width": 0.1}),
    ("structured_dp", "public", "certified", {"eps": 100.0}),
    ("structured_dp", "public", "certified", {"eps": 1000.0}),
]


@pytest.mark.parametrize(("name", "problem", "calibration", "changes"), RUNS)
def test_runs_are_their_transcriptions(name, problem, calibration, changes):
    """Regret after every round, and what it says of the other outputs; an odd horizon."""
    horizon, changed = 601, 0
    for seed in range(5):
        instance, rounds = uneven(problem, seed, alpha=1.0), range(1, horizon + 1)
        found = trace(name, seed, instance, rounds, calibration, **changes)
        regrets = trace(name, seed, instance, rounds, calibration, "run_literal", **changes)
        gaps = np.diff(regrets, prepend=0.0)
        t = np.array(rounds)
        np.testing.assert_allclose(found[:, 0], regrets, atol=1e-9)
        np.testing.assert_allclose(found[:, 1], np.cumsum(gaps > 1e-9) / t)
        np.testing.assert_allclose(found[:, 2], np.where(t > 300, regrets - regrets[299], 0.0), atol=1e-9)
        changed += (np.abs(np.diff(gaps)) > 1e-9).sum()
        assert 0 < found[-1, 1] < 1
    assert changed > 50


# One sum for every super arm


class Report(float):
    """Noise of a report, to which outcomes are added one by one; the last sum is kept."""

    last = math.nan

    def __add__(self, outcome):
        Report.last = float(self) + float(outcome)
        return Report(Report.last)

    def __radd__(self, nothing):
        return self + nothing


class Same:
    """A generator whose uniform draws are all the same."""

    def __init__(self, value):
        self.value = value

    def random(self):
        return self.value


@pytest.mark.parametrize("eps", [0.3, 2.0])
@pytest.mark.parametrize("size", [1, 3])
def test_a_sum_moves_by_eps_of_its_scale(size, eps, monkeypatch):
    """Users who show ones alone, or zeros alone, in a round: reports K and 0, and noise Lap(K / eps), once a round."""
    scales = []
    monkeypatch.setattr(mechanisms, "laplace", lambda rng, scale: scales.append(scale) or Report(0.0))
    reports = []
    for draw in (0.0, 0.999):
        path_sum_ldp.run.py_func(Same(draw), drawn("paths", size=size), eps, 1.0, np.array([1]))
        reports.append(Report.last)
    assert reports == [size, 0]
    assert np.abs(np.subtract(*reports)) / np.array(scales) == pytest.approx(eps)
    path_sum_ldp.run.py_func(np.random.default_rng(0), drawn("paths", size=size), eps, 1.0, np.array([40]))
    assert scales == [size / eps] * 42


def second_played(patch, module, problem, *constants):
    """The super arm of the second round, told by gaps that are the numbers of super arms."""
    number = itertools.count()
    patch.setattr(module, "mean_reward", lambda *_: -next(number))
    problem = problem._replace(values=np.zeros(3))
    regrets = module.run.py_func(np.random.default_rng(0), problem, *constants, np.array([1, 2, T]))[:2, 0]
    assert regrets[0] == 0
    return int(regrets[1])


@pytest.mark.parametrize("size", [1, 3])
@pytest.mark.parametrize("mean", [0.0, 1.0])
def test_the_index_of_a_sum_by_hand(size, mean, monkeypatch):
    """The first super arm is left as soon as sum + noise + 4 K sqrt(2 ln T / eps^2) / 2 is below K."""
    problem = drawn("paths", size=size)
    problem = problem._replace(means=np.full(len(problem.means), mean))
    room = size - size * mean - 0.5 * 4 * size * math.sqrt(2 * L) / EPS
    for noise, second in ((room + 1e-9, 0), (room - 1e-9, 1)):
        monkeypatch.setattr(mechanisms, "laplace", lambda rng, scale, noise=noise: noise)
        assert second_played(monkeypatch, path_sum_ldp, problem, EPS, 0.5) == second


# One tree for the public arms


def outcomes_of(problem, arms):
    """Mean outcomes of some arms, over all draws of their coins."""
    coins = len({int(problem.coins[i]) for i in arms})

    class Given:
        def __init__(self, draws):
            self.draws = iter(draws)

        def random(self):
            return next(self.draws)

    every = itertools.product((0.0, 0.999), repeat=coins)
    return [structured_dp.mean_outcome(Given(draws), problem, np.array(arms)) for draws in every]


@pytest.mark.parametrize("size", [2, 4])
def test_a_round_costs_eps(size, monkeypatch):
    """It moves the leaves of one private tree and of the public one, or of that of S*, by 1 each; 8 nodes a leaf."""
    problem, leaves, shown = drawn("public", size=size), [], []
    mean_outcome, noise = structured_dp.mean_outcome, np.random.default_rng(0)

    def drawn_now(rng, nodes, place, n, scale):
        leaves.append((place, n, scale))
        return noise.laplace(0.0, 500.0)

    def outcome(rng, problem, arms):
        shown.append(arms.tolist())
        return mean_outcome(rng, problem, arms)

    monkeypatch.setattr(structured_dp, "advance", drawn_now)
    monkeypatch.setattr(structured_dp, "mean_outcome", outcome)
    scale = params("structured_dp", T, "certified", eps=EPS).scale
    for seed in range(4):
        structured_dp.run.py_func(np.random.default_rng(seed), drawn("public", seed, size=size), scale, np.array([T]))
    assert {place for place, _, _ in leaves} == set(range(len(problem.own) + 1))
    spent, at = [], 0
    while at < len(leaves):
        both = at + 1 < len(leaves) and leaves[at + 1][0] == len(problem.own)
        now = slice(at, at + 1 + both)
        for arms in shown[now]:
            assert {min(outcomes_of(problem, arms)), max(outcomes_of(problem, arms))} == {0.0, 1.0}
        assert [len(arms) for arms in shown[now]] == ([1, size - 1] if both else [size])
        spent.append(sum(8 / scale for _, _, scale in leaves[now]))
        at = now.stop
    assert len(spent) == 4 * T
    assert spent == pytest.approx([EPS] * len(spent))


def needed(nodes, exponent):
    """Chernoff's bound on the sum of so many Lap(1)."""
    s = np.linspace(1e-4, 1 - 1e-6, 1_000_001)
    return np.min((exponent - nodes * np.log(1 - s**2)) / s)


@pytest.mark.parametrize("mean", [0.0, 1.0])
@pytest.mark.parametrize("tree", ["private", "public", "star"])
def test_indices_of_trees_by_hand(tree, mean, monkeypatch):
    """The first super arm is left as soon as outcome + noise + bonus is below 1, for one of the trees that it is in.

    8 nodes of noise Lap(8 / eps), or twice that for half of the budget. A public tree that is low is in all super arms
    but S*.
    """
    first = next(p for p in (drawn("public", seed) for seed in range(40)) if p.joins[0] == (tree != "star"))
    problem = first._replace(means=np.full(len(first.means), mean))
    place = {"private": 0, "star": 0, "public": len(problem.own)}[tree]
    left = int(np.argmin(problem.joins)) if tree == "public" else 1
    bonus = math.sqrt(1.5 * L) + (1 if tree == "star" else 2) * 8 / EPS * needed(8, 2 * L)
    room = 1 - mean - bonus
    for noise, second in ((room + 1e-4, 0), (room - 1e-4, left)):
        monkeypatch.setattr(
            structured_dp, "advance", lambda rng, _, j, *rest, noise=noise: noise if j == place else 1e9
        )
        assert second_played(monkeypatch, structured_dp, problem, 8 / EPS) == second


@pytest.mark.parametrize("name", ["path_sum_ldp", "structured_dp"])
def test_other_decision_sets_are_refused(name):
    fitting = {"path_sum_ldp": ("bandit", "paths"), "structured_dp": ("public",)}[name]
    calibration = "certified" if name == "structured_dp" else "printed"
    for problem in DRAWS:
        if problem not in fitting:
            with pytest.raises(ValueError, match=r"needs .* a linear reward"):
                trace(name, 0, drawn(problem), [10], calibration)
