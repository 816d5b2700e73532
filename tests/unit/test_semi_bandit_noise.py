"""What semi-bandits release: noise drawn in every round against what a user changes, and where it enters."""

import math
from collections import Counter

import numpy as np
import pytest

from dpbandits.algorithms.registry import TABLE
from dpbandits.algorithms.semi_bandit import trees
from dpbandits.privacy import mechanisms
from dpbandits.privacy.accounting import least_noise
from dpbandits.privacy.mechanisms import NoiseRequest

from .semi_bandits import DRAWS, FRAMEWORK, column, drawn, in_plain_python, module, params, trace, uneven

NOISY = [name for name in FRAMEWORK if TABLE[name].private]
T, EPS = 150, 0.5
every = pytest.mark.parametrize("name", NOISY)


def local(name):
    """Whether users add the noise, not a server."""
    return TABLE[name].trust_model == "local"


class Draws:
    """The loop in plain Python, its draws of noise written down: of every round the arms and scales.

    What is drawn is -`size`, for every draw of a report and for the whole noise of a sum.
    """

    def __init__(self, monkeypatch, name, size=0.0):
        self.found, self.size, self.name = [], size, name
        monkeypatch.setattr(mechanisms, "laplace", lambda rng, scale: self.drawn(None, scale))
        self.run = in_plain_python(monkeypatch, name)
        monkeypatch.setattr(trees, "advance", lambda rng, noise, i, n, scale: self.drawn((i, n), scale))
        monkeypatch.setattr(trees, "advance_to", lambda rng, noise, last, i, t, s: self.drawn((i, t), s))

    def drawn(self, leaf, scale):
        self.found.append((leaf, scale))
        return -self.size

    def trace(self, problem, rounds, calibration="printed", **changes):
        constants = vars(params(self.name, rounds[-1], calibration, **changes)).values()
        rng = np.random.default_rng(1)
        return self.run(rng, problem, *constants, np.array(rounds))


# Scales


def test_scales_by_hand():
    """eps = 1/2, T = 1e6: ln T = 13.815511, log2 T = 19.931569, D = 20; of one arm, K of them need K times as much."""
    for name in ("cucb_ldp1", "cucb_ldp2"):
        assert params(name, 10**6, eps=EPS).scale == 2.0
        assert params(name, 10**6, "certified", eps=EPS).scale == 2.0
    for name in ("cucb_dp", "cucb_dp_least"):
        assert params(name, 10**6, eps=EPS).scale == pytest.approx(4 * 13.815511, rel=1e-7)
        assert params(name, 10**6, eps=EPS, base_two=1.0).scale == pytest.approx(4 * 19.931569, rel=1e-7)
        assert params(name, 10**6, "certified", eps=EPS).scale == pytest.approx(40.0, rel=1e-12)
    assert params("structured_dp", 10**6, "certified", eps=EPS).scale == pytest.approx(40.0, rel=1e-12)


@every
def test_certified_noise_is_asked_for_and_used(name):
    (request,) = module(name).requests({"T": 1000.0, "eps": EPS}).values()
    (key,) = module(name).requests({"T": 1000.0, "eps": EPS})
    assert request == NoiseRequest("laplace", 1.0 if local(name) else 10.0, EPS, 0.0, 1)
    setting = dict.fromkeys(("k_squared", "fallback", "cucb_root", "over_rounds", "base_two"), 0.0)
    setting |= {"eps": EPS, "T": 1000.0, "width": 1.0}
    assert module(name).params("certified", setting, {key: 77.0}).scale == 77.0
    for calibration in ("printed", "tuned"):
        assert module(name).params(calibration, setting, {key: 77.0}).scale != 77.0
    assert least_noise(request) == pytest.approx(request.sensitivity / EPS)


SHARES = {"cucb_ldp1": "all", "cucb_ldp2": "one", "cucb_dp": "all", "cucb_dp_least": "one"}


@every
@pytest.mark.parametrize("problem", DRAWS)
@pytest.mark.parametrize("calibration", ["printed", "certified"])
def test_every_round_draws_noise_for_what_it_shows(name, problem, calibration, monkeypatch):
    """A report of every arm with Lap(K / eps), K the most arms of a super arm, or of one arm with Lap(1 / eps).

    Nodes of trees: Lap(2 K ln T / eps) or Lap(2 ln T / eps), certified Lap(8 K / eps) or Lap(8 / eps) for T = 150.
    """
    instance = uneven(problem)
    draws = Draws(monkeypatch, name)
    draws.trace(instance, [T], calibration, eps=EPS)
    K = instance.size if SHARES[name] == "all" else 1
    unit = (1 if local(name) else 8 if calibration == "certified" else 2 * math.log(T)) / EPS
    assert [scale for _, scale in draws.found] == pytest.approx([K * unit] * len(draws.found), rel=1e-12)
    sizes = {"coverage": (T, T * K)}.get(problem, (T * K, T * K)) if SHARES[name] == "all" else (T, T)
    assert sizes[0] <= len(draws.found) <= sizes[1]


@pytest.mark.parametrize("name", ["cucb_dp", "cucb_dp_least"])
@pytest.mark.parametrize("over_rounds", [0.0, 1.0])
@pytest.mark.parametrize("calibration", ["printed", "certified"])
def test_a_round_adds_one_leaf_to_the_trees_of_the_arms_shown(name, over_rounds, calibration, monkeypatch):
    """Together with the nodes that a leaf is in, 8 of trees over 150 leaves, it costs at most eps."""
    draws = Draws(monkeypatch, name)
    instance = uneven("paths")
    draws.trace(instance, [T], calibration, eps=EPS, over_rounds=over_rounds)
    K = 3 if name == "cucb_dp" else 1
    rounds = [draws.found[K * t : K * (t + 1)] for t in range(T)]
    counts = Counter()
    for t, drawn_now in enumerate(rounds, start=1):
        arms = [leaf[0] for leaf, _ in drawn_now]
        assert len(set(arms)) == K
        counts.update(arms)
        assert [leaf[1] for leaf, _ in drawn_now] == [t if over_rounds else counts[arm] for arm in arms]
        spent = sum(8 / scale for _, scale in drawn_now)
        assert spent <= EPS * (1 + 1e-12)
        assert spent == pytest.approx(EPS if calibration == "certified" else 8 * EPS / (2 * math.log(T)))


@pytest.mark.parametrize("name", ["cucb_ldp1", "cucb_ldp2"])
@pytest.mark.parametrize("problem", ["paths", "public", "public, least", "subsets"])
def test_a_report_moves_by_no_more_than_its_noise_allows(name, problem, monkeypatch):
    """All outcomes of a round replaced: an l1 change of 1 for every draw, over its scale."""
    draws = Draws(monkeypatch, name)
    draws.trace(uneven(problem), [T], eps=EPS)
    a_round = len(draws.found) // T
    assert all(
        sum(1 / scale for _, scale in draws.found[t * a_round : (t + 1) * a_round]) == pytest.approx(EPS)
        for t in range(T)
    )


# Where the noise enters


def bonus(name, calibration, arms, size):
    """After one report; T = 150, eps = 1/2, width 1/2. Certified: Chernoff's bound for one draw and for eight nodes."""
    L = math.log(T)
    noise = size if SHARES[name] == "all" else 1
    if calibration == "certified":
        s = np.linspace(1e-4, 1 - 1e-6, 1_000_001)
        count, exponent, scale = (1, 3 * L, noise / EPS) if local(name) else (8, 2 * L, 8 * noise / EPS)
        return math.sqrt(1.5 * L) + scale * np.min((exponent - count * np.log(1 - s**2)) / s)
    if local(name):
        return 0.5 * 4 * math.sqrt(2 * noise * L) / EPS
    return math.sqrt(4 * math.log(arms * T)) + 0.5 * 12 * noise * L**3 / EPS


@every
@pytest.mark.parametrize("mean", [0.0, 1.0])
@pytest.mark.parametrize("calibration", ["tuned", "certified"])
@pytest.mark.parametrize("size", [1, 3])
def test_an_index_is_negative_when_the_noise_outweighs_outcome_and_bonus(name, mean, calibration, size, monkeypatch):
    """In the second round, after one report of an arm that always shows 0, or 1."""
    problem = drawn("paths", size=size)
    problem = problem._replace(means=np.full(len(problem.means), mean))
    most = mean + bonus(name, calibration, len(problem.means), size)
    for noise, negative in ((most * (1 - 1e-5), 0), (most * (1 + 1e-5), 1)):
        found = Draws(monkeypatch, name, noise).trace(problem, [1, 2, T], calibration, eps=EPS, width=0.5)
        assert column(found, "negative_rounds")[:2].tolist() == [0, negative]


@every
def test_noise_moves_the_regret_of_compiled_runs(name):
    """A budget that leaves hardly any, against one that leaves nothing else to see."""
    regrets = {
        eps: np.array([trace(name, s, drawn("bandit", s), [3000], "certified", eps=eps)[0, 0] for s in range(20)])
        for eps in (1e4, 0.1)
    }
    assert regrets[1e4].mean() < 0.6 * regrets[0.1].mean()
