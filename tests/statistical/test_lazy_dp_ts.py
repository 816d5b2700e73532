"""Lazy-DP-TS three ways: with plain rounds skipped, with every round drawn, and as the paper has it.

A stretch that is skipped is compared with the probabilities of its rounds, by quadrature. Whole runs are compared in
distribution: regret at checkpoints and its increments, skipping against drawing every round up to T = 1e5, and that
against the plain transcription, which shares with it the draw of the noise and nothing else. Mutants of every part are
found by the same comparisons. The plain Python of the kernels gives the same bits, and the horizon touches no round
before it.
"""

import functools
import inspect
import itertools
import math

import numpy as np
import pytest
from scipy import stats

from dpbandits.algorithms.bernoulli import lazy_dp_ts as algorithm
from dpbandits.algorithms.bernoulli import thinning
from dpbandits.algorithms.bernoulli.thinning import Beliefs
from dpbandits.algorithms.registry import TABLE
from dpbandits.algorithms.shared import play as ledger
from dpbandits.numerics.beta import draw
from dpbandits.numerics.statistics import holm
from dpbandits.privacy.mechanisms import laplace

pytestmark = pytest.mark.slow

SIGNIFICANCE = 1e-3  # family-wise
PLENTY = 10**9  # pulls left of every batch of a stretch that is looked at alone
BONUS = 3.0  # at eps = 0.1 it hides the noise of the first pulls; without it that is seen
SPACED = np.array([0.5, 0.75, 0.375, 0.625, 0.25])
CLOSE = np.array([0.7, 0.7, 0.75, 0.7, 0.7])
INSTANCES = {"spaced": SPACED, "close": CLOSE, "rising": np.sort(SPACED), "falling": -np.sort(-SPACED)}
CELLS = [
    *itertools.product(("spaced", "close"), (0.1, 1.0, 500.0), (BONUS,)),
    ("spaced", 0.1, 0.0),
    ("spaced", 1.0, 0.0),
]
TRANSCRIBED = [cell for cell in CELLS if cell[0] == "spaced" or cell[1] == 1.0]
SHORT, MIDDLE, LONG = 300, 1000, 100_000
RUNS = {SHORT: 1500, MIDDLE: 600, 10_000: 200, LONG: 20}  # a side, by horizon
FEWER = 100  # of the transcription, which is slow


def checkpoints(horizon):
    return np.array([6, 25, horizon // 10, horizon // 3, horizon])


def regrets(run, name, eps, bonus, horizon, runs, side):
    """(runs, checkpoints), rounded: the sides add the same gaps in different orders."""
    rounds = checkpoints(horizon)
    found = [run(np.random.default_rng([side, seed]), INSTANCES[name], eps, bonus, rounds) for seed in range(runs)]
    return np.round([trace[:, 0] if trace.ndim == 2 else trace for trace in found], 6)


def p_values(one, other):
    """Kolmogorov-Smirnov and Welch on the regret at every checkpoint and on the increments between them."""
    found = []
    for x, y in zip(columns(one), columns(other), strict=True):
        if np.ptp(x) > 0 or np.ptp(y) > 0:
            found.append(stats.ks_2samp(x, y, method="asymp").pvalue)
            found.append(stats.ttest_ind(x, y, equal_var=False).pvalue)
    return found


def columns(found):
    return [*found.T, *np.diff(found, axis=1).T]


# One stretch


def beliefs(noisy, bonus, n):
    n = np.array(n)
    return Beliefs(np.array(noisy), np.array(bonus), n, np.full(len(n), PLENTY))


NOW = 3200  # the stretch has 200 rounds, and ln t moves by 0.06
STRETCHES = {  # p moves by about one standard deviation where the bonus is 0.3
    "drift": lambda: beliefs([0.4 - 2.4, 0.55 - 2.4, 0.47 - 2.4], [0.3, 0.3, 0.3], [100, 400, 300]),
    "equal rivals": lambda: beliefs([0.5, 0.5, 0.565, 0.5], [0.0, 0.0, 0.001, 0.0], [300, 300, 900, 300]),
    "leader drifts": lambda: beliefs([0.6 - 2.4, 0.56], [0.3, 0.0], [200, 500]),
    "clipped at 1": lambda: beliefs([1.5, -0.4, 0.6], [0.0, 0.0, 0.002], [7, 4, 10]),
    "clipped at 0": lambda: beliefs([0.5, -0.4], [0.001, 0.0], [20, 2]),
}


@functools.cache
def expected_pulls(name, length):
    """(arms,): in the first rounds of the stretch, by the midpoint rule; one round in five stands for all."""
    x, state, found = (np.arange(2000) + 0.5) / 2000, STRETCHES[name](), 0.0
    for t in range(NOW + 3, NOW + length, 5):
        p = np.clip(state.noisy + state.bonus * np.log(t), 0, 1)
        distributions = [stats.beta(each * n + 1, (1 - each) * n + 1) for each, n in zip(p, state.n, strict=True)]
        below, density = (
            np.array([distribution.cdf(x) for distribution in distributions]),
            np.array([distribution.pdf(x) for distribution in distributions]),
        )
        found += 5 * np.array([np.mean(density[j] * np.delete(below, j, 0).prod(0)) for j in range(len(p))])
    assert np.isclose(found.sum(), length, rtol=1e-5)
    return found * length / found.sum()


def pulls(name, skip, length, repeats, seed):
    """(arms,): pulls in the first rounds of the stretch, over all repeats."""
    rng, state = np.random.default_rng([5, seed]), STRETCHES[name]()
    ways = thinning.ways_of(state, NOW)
    assert ways.end == NOW + 200
    assert 0.2 < ways.total < thinning.OFTEN
    play = ledger.open_play(np.zeros(len(state.n)), np.array([PLENTY]))
    for _ in range(repeats):
        now, _ = skip(rng, play, state, ways._replace(end=NOW + length), NOW)
        assert now == NOW + length
    assert (state.left + play.pulls == PLENTY).all()
    return play.pulls.copy()


def stretch_p_values(name, skip=thinning.skip_plain_rounds, repeats=2000):
    """Of the pulls in its first quarter and in the whole of the stretch."""
    found = []
    for length in (50, 200):
        seen = pulls(name, skip, length, repeats, length)
        found.append(stats.chisquare(seen, repeats * expected_pulls(name, length)).pvalue)
    return found


def test_a_stretch_has_the_probabilities_of_its_rounds():
    found = {name: stretch_p_values(name) for name in STRETCHES}
    assert min(holm([p for each in found.values() for p in each])) > SIGNIFICANCE, found


candidate = thinning.candidate  # before it is replaced


def always_standing(rng, state, ways, t):
    """A candidate without step 3."""
    j = thinning.chosen(rng, ways.rate, ways.total)
    x = ways.cut - rng.standard_exponential() / ways.slope[j]
    return thinning.winner(rng, state, ways, j, x, math.log(t)) if 0 < x < 1 else ways.leader


def of_the_whole_distribution(rng, state, ways, t):
    """A candidate whose theta_j does not keep to its side of the cut."""
    j, log_t = thinning.chosen(rng, ways.rate, ways.total), math.log(t)
    x = draw(rng, min(1.0, max(0.0, state.noisy[j] + state.bonus[j] * log_t)), state.n[j])
    return thinning.winner(rng, state, ways, j, x, log_t)


def frozen(rng, state, ways, t):
    """A candidate that takes the bonus of the last round."""
    return candidate(rng, state, ways, ways.end)


def any_way(rng, state, ways, j, x, log_t):
    """A winner without step 4."""
    thetas = [draw(rng, min(1.0, max(0.0, m + b * log_t)), k) for m, b, k in zip(*state[:3], strict=True)]
    thetas[j] = x
    return int(np.argmax(thetas))


@pytest.mark.parametrize(
    ("part", "mutant", "name"),
    [
        ("candidate", always_standing, "drift"),
        ("candidate", always_standing, "clipped at 1"),
        ("candidate", of_the_whole_distribution, "drift"),
        ("candidate", of_the_whole_distribution, "equal rivals"),
        ("candidate", frozen, "leader drifts"),
        ("winner", any_way, "equal rivals"),
    ],
)
def test_a_stretch_with_a_wrong_step_is_found(monkeypatch, part, mutant, name):
    if part == "winner":
        monkeypatch.setattr(thinning, "candidate", thinning.candidate.py_func)
    monkeypatch.setattr(thinning, part, mutant)
    assert min(stretch_p_values(name, thinning.skip_plain_rounds.py_func, 80)) < SIGNIFICANCE / 100


# Whole runs


@pytest.fixture(scope="module")
def every_round():
    """(runs, checkpoints) by cell and horizon, every round drawn."""
    return {
        (*cell, horizon): regrets(algorithm.run_per_round, *cell, horizon, runs, 1)
        for cell, (horizon, runs) in itertools.product(CELLS, RUNS.items())
        if horizon < LONG or cell[2] == BONUS
    }


def test_skipping_has_the_distribution_of_drawing_every_round(every_round):
    found = {
        case: p_values(regrets(algorithm.run, *case, len(slow), 2), slow)
        for case, slow in every_round.items()
        if case[-1] > SHORT
    }
    assert min(holm(list(itertools.chain(*found.values())))) > SIGNIFICANCE, {case: min(p) for case, p in found.items()}


def test_drawing_every_round_has_the_distribution_of_the_transcription(every_round):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(algorithm, "laplace", laplace.py_func)  # a call from Python costs less
        slow = {cell: regrets(algorithm.run_literal, *cell, SHORT, FEWER, 3) for cell in TRANSCRIBED}
    found = {cell: p_values(every_round[*cell, SHORT], regret) for cell, regret in slow.items()}
    assert min(holm(list(itertools.chain(*found.values())))) > SIGNIFICANCE, {cell: min(p) for cell, p in found.items()}


release = algorithm.release  # before it is replaced


def silent_first_pull(rng, play, state, i, size, mean, eps, privacy_bonus):
    release(rng, play, state, i, size, mean, eps, privacy_bonus)
    if size == 1:
        state.noisy[i] = rng.binomial(1, mean)


def bonus_without_eps(rng, play, state, i, size, mean, eps, privacy_bonus):
    release(rng, play, state, i, size, mean, eps, privacy_bonus * eps)


def nothing_forgotten(rng, play, state, i, size, mean, eps, privacy_bonus):
    """Batches of 1, 2, 4, 8, ... as ever, but all rewards are behind m_j: n_j = 1, 3, 7, 15, ..."""
    known, total = (0, 0.0) if size == 1 else (state.n[i], state.n[i] * state.noisy[i])
    size = known + 1
    release(rng, play, state, i, size, mean, eps, privacy_bonus)
    state.n[i] = known + size
    state.noisy[i] = (total + state.noisy[i] * size) / state.n[i]


def half_the_noise(rng, play, state, i, size, mean, eps, privacy_bonus):
    release(rng, play, state, i, size, mean, 2 * eps, 2 * privacy_bonus)


@pytest.mark.parametrize(
    ("mutant", "eps", "bonus"),
    [
        (silent_first_pull, 0.1, 0.0),
        (silent_first_pull, 1.0, 0.0),
        (bonus_without_eps, 0.1, BONUS),
        (nothing_forgotten, 500.0, BONUS),
        (half_the_noise, 1.0, 0.0),
    ],
)
def test_a_wrong_release_is_found(monkeypatch, every_round, mutant, eps, bonus):
    monkeypatch.setattr(algorithm, "first_pulls", algorithm.first_pulls.py_func)
    monkeypatch.setattr(algorithm, "release", mutant)
    found = regrets(algorithm.run_per_round.py_func, "spaced", eps, bonus, MIDDLE, 400, 4)
    assert min(holm(p_values(found, every_round["spaced", eps, bonus, MIDDLE]))) < SIGNIFICANCE


def test_an_unfinished_batch_is_not_used_and_batches_double(monkeypatch):
    sizes = {}

    def noted(rng, play, state, i, size, *others):
        sizes.setdefault(i, []).append((int(size), int(play.pulls[i])))
        release(rng, play, state, i, size, *others)

    monkeypatch.setattr(algorithm, "first_pulls", algorithm.first_pulls.py_func)
    monkeypatch.setattr(algorithm, "release", noted)
    for run in (algorithm.run, algorithm.run_per_round):
        sizes.clear()
        run.py_func(np.random.default_rng(7), SPACED, 1.0, BONUS, np.array([5000]))
        for each in sizes.values():
            assert [size for size, _ in each] == [2**r for r in range(len(each))]
            assert [pulls for _, pulls in each] == [0, *(2 ** (r + 1) - 1 for r in range(1, len(each)))]


# Bits, ends and cost


def all_plain(patch):
    for module in (algorithm, thinning, ledger):
        for name, function in list(vars(module).items()):
            if hasattr(function, "py_func") and not name.startswith("run"):
                patch.setattr(module, name, function.py_func)


@pytest.mark.parametrize("name", ["run", "run_per_round"])
@pytest.mark.parametrize("eps", [0.1, 1.0, 500.0])
def test_kernels_and_their_plain_python_agree_in_bits(name, eps):
    run, cases = getattr(algorithm, name), [(2, 1), (3, 2), (8, 3), (60, 4), (1000, 5), (4000, 6)]
    fast = [run(np.random.default_rng(seed), SPACED, eps, BONUS, np.array([T // 2, T])) for T, seed in cases]
    with pytest.MonkeyPatch.context() as patch:
        all_plain(patch)
        plain = [
            run.py_func(np.random.default_rng(seed), SPACED, eps, BONUS, np.array([T // 2, T])) for T, seed in cases
        ]
    assert all(np.array_equal(a, b) for a, b in zip(fast, plain, strict=True))


@pytest.mark.parametrize("name", ["run", "run_per_round"])
def test_rounds_before_the_horizon_do_not_know_it(name):
    run, rounds = getattr(algorithm, name), np.array([2, 8, 100, 1234, 5000, 20_000])
    for seed, eps in itertools.product(range(5), (0.1, 1.0, 500.0)):
        whole = run(np.random.default_rng(seed), CLOSE, eps, BONUS, rounds)
        for k in range(1, len(rounds)):
            early = run(np.random.default_rng(seed), CLOSE, eps, BONUS, rounds[:k])
            assert np.array_equal(early, whole[:k])


@pytest.mark.parametrize("name", ["run", "run_per_round", "run_literal"])
def test_every_round_is_played_whatever_the_horizon(name):
    for means in (CLOSE, np.array([0.3, 0.6]), np.array([0.4])):
        for horizon in (1, 2, 4, 5, 6, 8, 300):
            rounds = np.unique([1, max(1, horizon // 2), horizon])
            for eps in (0.1, 500.0):
                trace = getattr(algorithm, name)(np.random.default_rng(horizon), means, eps, BONUS, rounds)
                regret = trace if trace.ndim == 1 else trace[:, 0]
                assert (np.diff(regret) >= 0).all()
                gaps = np.append(means.max() - means, 0.0)
                assert regret[0] == gaps[0], "arms are first pulled in turn"
                if trace.ndim == 2 and len(means) == 2:  # all other pulls are of the other arm
                    np.testing.assert_allclose(regret, (rounds - trace[:, 1]) * gaps.max())
                if trace.ndim == 2 and len(set(means[means < means.max()])) == 1:
                    np.testing.assert_allclose(regret, (rounds - trace[:, 1]) * gaps.max())


def test_equal_arms_have_no_regret():
    trace = algorithm.run(np.random.default_rng(0), np.full(3, 0.4), 1.0, BONUS, np.array([10, 5000]))
    assert not trace[:, 0].any()
    assert trace[:, 1].tolist() == [10, 5000]


def test_order_of_the_arms_does_not_matter():
    first, last = (regrets(algorithm.run, name, 1.0, BONUS, MIDDLE, 400, 8) for name in ("rising", "falling"))
    assert min(holm(p_values(first[:, 2:], last[:, 2:]))) > SIGNIFICANCE


def test_cost_grows_as_the_logarithm_of_the_horizon():
    rounds = np.array([10**5, 10**7])
    steps = np.mean(
        [algorithm.run(np.random.default_rng(s), SPACED, 1.0, BONUS, rounds)[:, 3] for s in range(20)], axis=0
    )
    assert steps[0] < 2e4
    assert steps[1] < 1.7 * steps[0]  # ln 1e7 / ln 1e5 = 1.4


def test_params_are_those_of_the_table():
    entry = TABLE["lazy_dp_ts"]
    setting = dict.fromkeys((*entry.grid, *entry.parameters), 2.5)
    found = algorithm.params("printed", setting, {})
    assert list(vars(found)) == ["eps", "privacy_bonus"]
    assert vars(found) == setting
    assert entry.outputs == algorithm.OUTPUTS
    for run in (algorithm.run.py_func, algorithm.run_per_round.py_func, algorithm.run_literal):
        assert list(inspect.signature(run).parameters) == ["rng", "means", *vars(found), "checkpoints"]
