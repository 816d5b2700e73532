"""Closed forms and exact checks behind claims of Chen et al., arXiv 2006.00706: what its formulas say by themselves.

Every function takes the arguments that the claim's section of the YAML gives, and the calibration where the noise
matters, and returns labelled numbers; the range in which the claim wants them stands in the YAML. m base arms, at most
K of them in a super arm, L = ln T, delta the gap of an arm. As printed, LDP1 has noise Lap(K/eps) and bonus
4 sqrt(2 K L / (eps^2 n)), LDP2 the same with K = 1, and DP nodes Lap(2 K log T / eps) and bonus
sqrt(4 ln(mT) / n) + 12 K L^3 / (n eps).
"""

import ast
import math
from collections.abc import Callable
from dataclasses import astuple
from itertools import pairwise
from pathlib import Path
from types import ModuleType

import numpy as np
from scipy import optimize, special, stats

from dpbandits.algorithms import cucb, cucb_dp, cucb_dp_least, cucb_ldp1, cucb_ldp2, semi_bandit, widths
from dpbandits.algorithms.widths import Width, laplace_sum_bound
from dpbandits.checkpoints import log_spaced
from dpbandits.environments import disjoint_sets
from dpbandits.privacy.accounting import least_noise
from dpbandits.privacy.mechanisms import NoiseRequest
from dpbandits.privacy.tree import levels, printed_scale, tree_sensitivity
from dpbandits.semi_bandit_floors import bernoulli_floor, channel_floor, local_floor

Numbers = list[tuple[str, float]]
DIGITS = 9  # to which levels are compared
VARIANCE = 0.25  # of a Bernoulli reward of mean 1/2, the largest


# Bonus of the local algorithms against their noise


def local_width(horizon: float, eps: float, size: float, power: float) -> float:
    """The printed bonus times sqrt(n); `power` of K under the root, 1 as printed."""
    return 4.0 * math.sqrt(2.0 * size**power * math.log(horizon)) / eps


def failure_exponents(eps: list[float], size: list[float], power: float) -> Numbers:
    """e where a mean of many reports leaves the bonus, on one side, with probability about T^-e: Gaussian form.

    exp(-W^2 / (2 (v + 2 b^2))) with bonus W / sqrt(n), noise scale b = K / eps and rewards of variance v = 1/4. That of
    LDP2 is at K = 1; as printed it is 64 K / (eps^2 + 8 K^2).
    """
    return [
        (f"exponent of 1/T at K = {k:g}, eps = {each:g}", 64.0 * k**power / (each**2 + 8.0 * k**2))
        for each in eps
        for k in size
    ]


def exact_exponents(horizon: float, eps: list[float], size: list[float], reports: list[int], power: float) -> Numbers:
    """The same from the exact law of the mean of n reports, rewards of mean 1/2."""
    return [
        (
            f"exact exponent of 1/T at K = {k:g}, eps = {each:g} after {n} reports",
            -math.log(failure(n, k / each, local_width(horizon, each, k, power))) / math.log(horizon),
        )
        for each in eps
        for k in size
        for n in reports
    ]


def chernoff_exponents(
    horizon: float, eps: list[float], size: list[float], reports: list[int], power: float
) -> Numbers:
    """The same by Chernoff's bound, which the exponent is never below."""
    return [
        (
            f"proven exponent of 1/T at K = {k:g}, eps = {each:g} after {n} reports",
            log_failure_bound(n, k / each, local_width(horizon, each, k, power)) / -math.log(horizon),
        )
        for each in eps
        for k in size
        for n in reports
    ]


def failure(n: int, scale: float, width: float) -> float:
    """P(mean of n reports > 1/2 + `width` / sqrt(n)); reports are Bernoulli(1/2) + Lap(`scale`)."""
    ones = np.arange(n + 1)
    rest = (width * math.sqrt(n) - (ones - 0.5 * n)) / scale
    tails = laplace_sum_tail(n, np.abs(rest))
    return float(stats.binom.pmf(ones, n, 0.5) @ np.where(rest < 0.0, 1.0 - tails, tails))


def laplace_sum_tail(n: int, x: np.ndarray) -> np.ndarray:
    """P(sum of n Lap(1) > x) for x >= 0.

    The sum is a difference of two sums of n exponentials, which end in turn by fair coins: the second one ends first,
    while the other still lacks k of them, with the chance of n - k losses before n wins, and then Gamma(k) is left.
    """
    lost = np.arange(n)
    found: np.ndarray = special.gammaincc(n - lost, x[:, None]) @ stats.nbinom.pmf(lost, n, 0.5)
    return found


def log_failure_bound(n: int, scale: float, width: float) -> float:
    """ln of Chernoff's bound on `failure`: a report X has E exp(s (X - 1/2)) = cosh(s/2) / (1 - s^2 b^2)."""

    def bound(share: float) -> float:
        s = share / scale
        half = 0.5 * s
        log_cosh = half + math.log1p(math.exp(-s)) - math.log(2.0)
        return n * (log_cosh - math.log1p(-share * share)) - s * width * math.sqrt(n)

    least = optimize.minimize_scalar(bound, bounds=(0.0, 1.0), method="bounded", options={"xatol": 1e-12})
    return float(least.fun)


def bonus_in_sds(horizon: float, size: list[float]) -> Numbers:
    """The printed bonus of LDP1 in standard deviations of its noise, 4 sqrt(L / K); rewards add nothing here."""
    return [
        (
            f"bonus in standard deviations of the noise at K = {k:g}",
            local_width(horizon, 1.0, k, 1.0) / (math.sqrt(2.0) * k),
        )
        for k in size
    ]


# Bonus of the central algorithm against the noise of its tree


def tree_bonus_over_needed(horizon: list[int]) -> Numbers:
    """12 L^3 against what bounds the noise of a prefix, D nodes, but for T^-2; the unit K / (n eps) cancels."""
    found = []
    for T in horizon:
        printed, nodes = printed_noise_bonus(T), laplace_sum_bound(levels(T), 2.0 * math.log(T))
        for name, scale in (("printed", printed_scale(1, T, 1.0)), ("least", tree_sensitivity(1, T))):
            found.append((f"printed bonus over that for the {name} noise at T = {T:g}", printed / (scale * nodes)))
    return found


def printed_noise_bonus(horizon: float) -> float:
    """12 L^3, in units of K / (n eps)."""
    return 12.0 * math.log(horizon) ** 3


def needed_bonus_powers(horizon: list[int]) -> Numbers:
    """Power of L with which the bonus grows that the printed noise needs, between neighbouring horizons; 3 is printed.

    D jumps at powers of two: the horizons should be some.
    """
    needed = {T: printed_scale(1, T, 1.0) * laplace_sum_bound(levels(T), 2.0 * math.log(T)) for T in horizon}
    return [
        (f"power of ln T from T = {s:g} to {t:g}", math.log(needed[t] / needed[s]) / math.log(math.log(t, s)))
        for s, t in pairwise(horizon)
    ]


# Levels of privacy


def tree_level_over_eps(calibration: str, size: list[int], horizon: list[int]) -> Numbers:
    """Theorem 7: exact level of all nodes of the tree relative to eps, for either base of the printed logarithm."""
    found = []
    for k in size:
        for T in horizon:
            moved = tree_sensitivity(k, T)
            if calibration == "certified":
                scales = {"least noise": least_noise(NoiseRequest("laplace", moved, 1.0, 0.0, 1))}
            else:
                scales = {
                    "natural logarithm": printed_scale(k, T, 1.0),
                    "binary logarithm": printed_scale(k, T, 1.0, 2.0),
                }
            found += [
                (f"true level / eps at K = {k}, T = {T:g}, {name}", round(moved / scale, DIGITS))
                for name, scale in scales.items()
            ]
    return found


def report_level_over_eps(eps: list[float], size: list[int]) -> Numbers:
    """Theorems 1 and 3: exact level relative to eps of K numbers with Lap(K/eps), and of one with Lap(1/eps)."""
    found = []
    for each in eps:
        for k in size:
            found.append((f"true level / eps of {k} numbers at eps = {each:g}", report_level(k, k / each) / each))
        found.append((f"true level / eps of one of them at eps = {each:g}", report_level(1, 1.0 / each) / each))
    return [(label, round(level, DIGITS)) for label, level in found]


def report_level(numbers: int, scale: float) -> float:
    """Largest log-ratio of the densities of 0 .. 0 and of 1 .. 1 with Lap(`scale`), which is that at y <= 0."""
    y = np.zeros(numbers)
    return float(np.sum(np.abs(y - 1.0) - np.abs(y)) / scale)


# Horizons at which something is learnt


def _width_of_local(power: float, horizon: float, eps: float, size: float) -> Width:
    return Width(local_width(horizon, eps, size, power), 0.0, 0.0, 0.0)


WIDTHS: dict[str, Callable[[float, float, float, float], Width]] = {
    "CUCB-LDP2": lambda T, m, K, eps: _width_of_local(0.0, T, eps, K),
    "CUCB-LDP1": lambda T, m, K, eps: _width_of_local(1.0, T, eps, K),
    "CUCB-LDP1, K^2": lambda T, m, K, eps: _width_of_local(2.0, T, eps, K),
    "CUCB-DP": lambda T, m, K, eps: Width(2.0 * math.sqrt(math.log(m * T)), K * printed_noise_bonus(T) / eps, 0.0, 0.0),
    "CUCB": lambda T, m, K, eps: Width(math.sqrt(1.5 * math.log(T)), 0.0, 0.0, 0.0),
}
"""Printed bonus by T, m, K and eps; of LDP1 also with K^2 under the root; of CUCB with ln T in place of ln t."""
LARGEST = 1e60  # a horizon from which the search comes down; source: our choice
SETTLED = 1e-13


def reports_until(width: Width, gap: float) -> float:
    """n where root / sqrt(n) + linear / n is the gap."""
    root = 0.5 * (width.root + math.sqrt(width.root**2 + 4.0 * gap * width.linear)) / gap
    return root * root


def plays_until(name: str, horizon: float, arms: float, size: float, gap: float, eps: float) -> float:
    """Plays of a path of K arms until its bonuses sum to K times the gap; LDP2 updates one arm in a play."""
    reports = reports_until(WIDTHS[name](horizon, arms, size, eps), gap)
    return size * reports if name == "CUCB-LDP2" else reports


def learnable_horizon(name: str, arms: float, size: float, gap: float, eps: float) -> float:
    """Horizon from which on all suboptimal ones of m / K disjoint paths, reward linear, can be told from the best.

    T = (m/K - 1) n(T) with `plays_until` as n: the best path's own bonus is neglected, as are its plays. The largest
    solution; m / K plays, one of each path, where there is none.
    """
    paths = arms / size
    return settled(lambda T: (paths - 1.0) * plays_until(name, T, arms, size, gap, eps), paths)


def settled(needed: Callable[[float], float], least: float) -> float:
    """The largest T >= `least` with T = needed(T), which grows like a power of ln T; `least` where there is none.

    Raises
    ------
    ValueError
        It is beyond the largest horizon from which is sought.
    """
    T = LARGEST
    if needed(T) > T:
        raise ValueError(f"no horizon below {LARGEST:g}")
    while True:
        below = max(least, needed(T))
        if below >= T * (1.0 - SETTLED):
            return below
        T = below


def learnable_horizons(arms: float, size: float, gap: float, eps: list[float]) -> Numbers:
    """`learnable_horizon` of every algorithm."""
    return [
        (f"smallest T of {name} at eps = {each:g}", learnable_horizon(name, arms, size, gap, each))
        for name in WIDTHS
        for each in eps
    ]


def informed_horizon(name: str, arms: float, size: float, mean: float, eps: float) -> float:
    """Horizon from which on an arm has an index below 1 at the end, if it is updated in all rounds and noise is 0.

    Before, the oracle sees nothing but ones; `settled` with 1 - mean as the gap.
    """
    return settled(lambda T: reports_until(WIDTHS[name](T, arms, size, eps), 1.0 - mean), 2.0)


def informed_horizons(arms: float, size: float, mean: float, eps: list[float]) -> Numbers:
    """`informed_horizon` of every algorithm."""
    return [
        (
            f"smallest T of {name} with an index below 1 at eps = {each:g}",
            informed_horizon(name, arms, size, mean, each),
        )
        for name in WIDTHS
        for each in eps
    ]


# Smoothness of probabilistic maximum coverage


STEPS = (1e-4, 0.01, 0.1, 0.5, 1.0)  # sizes of t that are tried, shares of the range of the means


def covered(means: np.ndarray, right: np.ndarray) -> float:
    """Right vertices that a super arm covers, in expectation; `right` is the right vertex of each of its edges."""
    missed = np.ones(int(right.max()) + 1)
    np.multiply.at(missed, right, 1.0 - means)
    return float(np.sum(1.0 - missed))


def smoothness(right: np.ndarray, low: float, high: float) -> float:
    """Largest (r(mu + t 1) - r(mu)) / t found, mu and mu + t 1 in [low, high]: at mu = low, and by ascent in mu."""
    best = 0.0
    for step in STEPS:
        t = step * (high - low)
        last = max(low, high - t)

        def fall(mu: np.ndarray, t: float = t) -> float:
            return (covered(mu, right) - covered(mu + t, right)) / t

        start = np.full(len(right), 0.5 * (low + last))
        found = optimize.minimize(fall, start, method="L-BFGS-B", bounds=[(low, last)] * len(right))
        best = max(best, -fall(np.full(len(right), low)), -float(found.fun))
    return best


def edges_of(right: int, seen: int) -> np.ndarray:
    """Right vertex of every edge of a super arm, so many of whose left vertices see each of them; 1: disjoint."""
    return np.repeat(np.arange(right), seen)


def coverage_smoothness(right: list[int], seen: list[int], low: float, high: float) -> Numbers:
    """Section 2.1: B_infinity of maximum coverage over the edges of the super arm, means in [low, high]."""
    return [
        (f"B / edges of {n} right vertices seen {k} times", smoothness(edges_of(n, k), low, high) / (n * k))
        for n, k in zip(right, seen, strict=True)
    ]


def coverage_smoothness_slope(right: list[int], seen: list[int], low: float, high: float, divided: int) -> Numbers:
    """Slope of ln B_infinity in ln(edges), least squares; `divided` 1: of the reward over the number of right vertices.

    A slope of 0 is a constant.
    """
    edges, values = [], []
    for n, k in zip(right, seen, strict=True):
        edges.append(n * k)
        values.append(smoothness(edges_of(n, k), low, high) / (n if divided else 1))
    slope = float(np.polyfit(np.log(edges), np.log(values), 1)[0])
    return [(f"slope of B_infinity in the edges, means in [{low:g}, {high:g}]", slope)]


# Floors


def squared_loss_over_eps(eps: list[float]) -> Numbers:
    """Theorems 5 and 6: (e^eps - 1)^2 / eps^2, which must be at most 2 for the weaker form at eps <= 1/2."""
    return [(f"(e^eps - 1)^2 / eps^2 at eps = {each:g}", (math.expm1(each) / each) ** 2) for each in eps]


def local_regret_over_printed_floor(eps: list[float]) -> Numbers:
    """Theorem 5: leading regret 32 / (eps^2 delta) of an arm under LDP2 over that of the theorem."""
    return [
        (f"leading regret over the printed floor at eps = {each:g}", local_regret(each) / local_floor(each, 1, 2, 1, 1))
        for each in eps
    ]


def local_regret_over_channel_floor(mean: float, best: float, eps: list[float]) -> Numbers:
    """The same over the floor of rewards seen through Lap(1/eps)."""
    return [
        (
            f"leading regret over the floor of the channel at eps = {each:g}",
            local_regret(each) / (best - mean) / channel_floor(mean, best, each),
        )
        for each in eps
    ]


def local_regret_over_open_floor(mean: float, best: float, eps: list[float]) -> Numbers:
    """The same over the floor of rewards that are seen as they are; below 1 the algorithm is not consistent."""
    return [
        (
            f"leading regret over the floor without privacy at eps = {each:g}",
            local_regret(each) / (best - mean) / bernoulli_floor(mean, best),
        )
        for each in eps
    ]


def local_regret(eps: float) -> float:
    """Regret / ln T of an arm of LDP2 times its gap, to leading order: (4 sqrt 2 / eps)^2."""
    return 32.0 / eps**2


# Properties of the code


BAD_ARMS, GAP = 7, 0.25  # of the bandit on which two algorithms are compared
PER_DECADE = 20  # checkpoints at which two runs are compared


def identity_of_one(calibration: str, horizon: int, seeds: int, eps: list[float]) -> Numbers:
    """Section 3.2: largest difference of the traces of Algorithms 1 and 2 for K = 1 under the same generators."""
    (problem,) = disjoint_sets.draw(np.random.default_rng(0), BAD_ARMS, 1, GAP, "linear")
    rounds = log_spaced(horizon, PER_DECADE)
    found = []
    for each in eps:
        width = 0.5 if calibration == "tuned" else 1.0
        setting = {"eps": each, "T": float(horizon), "width": width, "square": 0.0, "negative": 0.0}
        differences = []
        for seed in range(seeds):
            one, other = (
                algorithm.run(np.random.default_rng(seed), problem, *constants, rounds)
                for algorithm in (cucb_ldp1, cucb_ldp2)
                for constants in [constants_of(algorithm, calibration, setting)]
            )
            differences.append(np.max(np.abs(one - other)))
        found.append((f"largest difference at eps = {each:g}", float(np.max(differences))))
    return found


def constants_of(algorithm: ModuleType, calibration: str, setting: dict[str, float]) -> tuple[float, ...]:
    """Constants of an algorithm in the order of its `run`."""
    noise = {name: least_noise(request) for name, request in algorithm.requests(setting).items()}
    return astuple(algorithm.params(calibration, setting, noise))


NAME = "delta"
PLACE = 3  # of delta among the arguments of a request


def delta_reads() -> Numbers:
    """Section 3: how often the five algorithms, and what they share, name delta; requests at delta = 0 apart."""
    found = []
    for module in (cucb, cucb_ldp1, cucb_ldp2, cucb_dp, cucb_dp_least, semi_bandit, widths):
        source = Path(module.__file__ or "").read_text(encoding="utf-8")
        found.append((f"reads of delta in {module.__name__.rpartition('.')[2]}", float(reads_of(source))))
    return found


def reads_of(source: str) -> int:
    """Names, attributes, arguments and whole strings `delta` in a source, but for requests whose delta is 0."""
    count, seen = 0, set()
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] == NoiseRequest.__name__:
            keywords = [each for each in node.keywords if each.arg == NAME]
            given = [each.value for each in keywords] + node.args[PLACE : PLACE + 1]
            seen |= {id(each) for each in keywords}
            count += not (given and all(isinstance(each, ast.Constant) and each.value == 0.0 for each in given))
    return count + sum(texts(node).count(NAME) for node in ast.walk(tree) if id(node) not in seen)


def texts(node: ast.AST) -> list[str]:
    """Whatever a node of the syntax tree holds as text: identifiers and strings."""
    found = [value for _, value in ast.iter_fields(node)]
    return [
        each for value in found for each in (value if isinstance(value, list) else [value]) if isinstance(each, str)
    ]
