"""How often verdicts are wrong at the boundary, and right away from it: the rule of `limits` for many samples at once.

A comparison is a mean whose truth is 1, or a ratio or difference of two; a claim has one or 20 of them, independent but
for the pool, which they share: other cells of the same distribution, as many runs each as a comparison has seeds. Where
they are *alike*, as settings of one curve, they are pooled with each other as well. Without a pool, a comparison has
its own runs alone. Large runs are *known* where other experiments show their size.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy import special

from dpbandits.claims.judgements import ALPHA
from dpbandits.claims.unseen import RARE, enough
from dpbandits.numerics.limits import FARTHEST, FEW, OUTER, TINY, WIDER
from dpbandits.numerics.statistics import ROUNDING
from dpbandits.numerics.tails import BETWEEN, FEWEST_LARGE, LARGE, MOST_LARGE, UNEQUAL

JOINT = 20  # comparisons of a claim
SEEDS = (8, 20, 100, 400)
RULES = ("t", "t and Hall", "engine")
BLOCK = 2**21  # numbers that are drawn at a time
SETTLED, BEYOND = 0.6, 1.6  # true means over the bound, for power

Draw = Callable[[np.random.Generator, tuple[int, ...]], np.ndarray]
Reach = tuple[np.ndarray, np.ndarray]
"""How far limits lie below and above estimates."""


# Distributions, all of mean 1


def normal(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Deviation 0.3."""
    return 1.0 + 0.3 * rng.standard_normal(shape)


def lognormal(sigma: float) -> Draw:
    return lambda rng, shape: np.exp(sigma * rng.standard_normal(shape) - 0.5 * sigma**2)


def rare(share: float, factor: float = 20.0, sigma: float = 0.3) -> Draw:
    """Lognormal, and so many times that in a share of runs, as regret that is linear in them."""
    mean = math.exp(0.5 * sigma**2) * (1.0 + (factor - 1.0) * share)

    def draw(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
        x = np.exp(sigma * rng.standard_normal(shape)) / mean
        x[rng.random(shape) < share] *= factor
        return x

    return draw


KNOWN = 20.0 / (1.0 + 19.0 / 400.0)  # what a linear run of `rare(1 / 400)` is on average
SEEN = 4.5 / (math.exp(0.045) * (1.0 + 19.0 / 400.0))  # more than any run of `rare(1 / 400)` that is not linear


@dataclass(frozen=True)
class Kind:
    """A kind of large run: its rate, a size that all of its runs exceed and no others, and the mean without it."""

    rate: float
    least: float
    mean_without: float


LINEAR = Kind(1 / 400, SEEN, 1.0 / (1.0 + 19.0 / 400.0))
"""The linear runs of `rare(1 / 400)`."""
DISTRIBUTIONS: Mapping[str, tuple[Draw, tuple[int, ...]]] = {
    "normal, cv 0.3": (normal, (160, 400, 4000)),
    "lognormal(0.5)": (lognormal(0.5), (160, 400, 4000)),
    "lognormal(1)": (lognormal(1.0), (160, 400, 4000)),
    "5 % linear": (rare(0.05), (400, 4000)),
    "5 % linear, calm": (rare(0.05, sigma=0.15), (400, 4000)),
    "10 % linear": (rare(0.1), (400, 4000)),
    "30 % linear": (rare(0.3), (400, 4000)),
    "1 in 400 linear": (rare(1 / 400), (400, 4000)),
}
"""Each with the runs of its pools."""


# The rule, for samples (..., seeds)


@dataclass(frozen=True)
class Tails:
    """What many pools show, of shapes that broadcast against samples without their seeds.

    `large` has of the large runs their number among how many, of their sizes the sums of first to third powers, and the
    variation of their mean from cell to cell; `ordinary` the tails of the others. `counted` are runs above the limit
    for large ones, whether a kind or not, and all runs; `known` is the size that other experiments have shown.
    """

    skewness: np.ndarray
    spread: np.ndarray
    large: "tuple[np.ndarray, ...] | None" = None
    ordinary: "Tails | None" = None
    counted: "tuple[np.ndarray, np.ndarray] | None" = None
    known: float | None = None


@dataclass(frozen=True)
class Many:
    """Many statistics at once: estimates, influences (..., seeds), and samples with derivatives and tails."""

    estimate: np.ndarray
    influence: np.ndarray
    parts: tuple[tuple[np.ndarray, np.ndarray | float, Tails], ...]


def means(x: np.ndarray, tails: Tails) -> Many:
    center = x.mean(axis=-1)
    return Many(center, x - center[..., None], ((x, 1.0, tails),))


def differences(x: np.ndarray, y: np.ndarray, first: Tails, second: Tails) -> Many:
    found = means(x - y, first)
    return Many(found.estimate, found.influence, ((x, 1.0, first), (y, -1.0, second)))


def ratios(x: np.ndarray, y: np.ndarray, first: Tails, second: Tails) -> Many:
    """By Fieller: the ratio is below 1 where the difference is below 0."""
    return differences(x, y, first, second)


def sums(cells: np.ndarray) -> np.ndarray:
    """What cells (..., runs) add to a pool, (18, ...).

    Squares, cubes and runs of values over the mean of their cell, and the same of ordinary runs. Of cells of positive
    runs: large runs, runs between, all runs, three sums of powers of sizes, the cells, the squared number of large runs
    over all, and 1 over all. Of those with large runs: the squared sum of sizes over their number, the squared number,
    and the cells.
    """
    n, center = cells.shape[-1], cells.mean(axis=-1)
    counts = (center != 0.0) & (n > 2)
    positive = counts & (cells.min(axis=-1) > 0.0)
    quartile = np.partition(cells, (n - 1) // 4, axis=-1)[..., (n - 1) // 4]
    quartile = np.where(positive, quartile, np.inf)[..., None]
    large = cells > LARGE * quartile
    between = (cells > 0.5 * LARGE * quartile) & ~large
    ordinary = (~large).sum(axis=-1)
    middle = np.where(large, 0.0, cells).sum(axis=-1) / ordinary
    every = squares_and_cubes(cells, np.ones(cells.shape, dtype=bool), center, counts)
    calm = squares_and_cubes(cells, ~large, middle, positive & (ordinary > 2))
    sizes = np.where(large, cells, 0.0) / np.where(middle != 0.0, middle, 1.0)[..., None]
    powers = [(sizes**k).sum(axis=-1) for k in (1, 2, 3)]
    count = large.sum(axis=-1)
    rates = [positive, positive * count**2 / n, positive / n]
    groups = [np.where(count > 0, powers[0] ** 2 / np.maximum(count, 1), 0.0), count**2, count > 0]
    return np.stack([*every, *calm, count, between.sum(axis=-1), positive * n, *powers, *rates, *groups])


def squares_and_cubes(cells: np.ndarray, kept: np.ndarray, center: np.ndarray, counts: np.ndarray) -> list[np.ndarray]:
    """Of the runs that are kept, and those cells that count."""
    n = np.where(counts, kept.sum(axis=-1), 3)
    d = np.where(kept, cells / np.where(counts, center, 1.0)[..., None] - 1.0, 0.0)
    square = d * d
    squares = np.where(counts, n * square.sum(axis=-1) / (n - 1), 0.0)
    cubes = np.where(counts, n * n * (square * d).sum(axis=-1) / ((n - 1) * (n - 2)), 0.0)
    return [squares, cubes, n * counts]


def tails_of(found: np.ndarray) -> Tails:
    """The tails of pools, given sums of what `sums` returns."""
    skewness, spread = of_moments(*found[:3])
    count, between, runs, first, second, third, cells, squares, inverses, of_cells, square, groups = found[6:]
    share = np.where(count > 0, count / np.maximum(runs, 1), 0.5)
    width = np.maximum(share * (1.0 - share), TINY)
    chi = (squares - share * count) / width
    variance = np.maximum(2.0 * (cells - 1) + inverses * (1.0 - 6.0 * width) / width, 0.0)
    kind = (count >= FEWEST_LARGE) & (count <= MOST_LARGE * runs) & (between <= BETWEEN * count)
    kind &= ~(chi > cells - 1 + UNEQUAL * np.sqrt(variance))
    k, m = np.where(kind, count, FEWEST_LARGE), np.where(kind, groups, 2)
    within = (second - of_cells) / np.maximum(k - m, 1)
    among = (of_cells - first**2 / k) / np.maximum(m - 1, 1)
    typical = (k - square / k) / np.maximum(m - 1, 1)
    anova = np.sqrt(np.maximum((among - within) / np.maximum(typical, TINY), 0.0))
    single = np.sqrt(np.maximum(second - first**2 / k, 0.0) / (k - 1))
    variation = np.where(m == 1, 0.0, np.where(k == m, single, anova))
    large = np.where(kind, count, 0), np.maximum(runs, 1), first, second, third, variation
    return Tails(skewness, spread, large, Tails(*of_moments(*found[3:6])), (count, found[2]))


def of_moments(squares: np.ndarray, cubes: np.ndarray, runs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Skewness and spread."""
    variance = squares / np.maximum(runs, 1)
    cube = cubes / np.maximum(runs, 1)
    return np.divide(cube, variance**1.5, out=0.0 * cube, where=variance > 0.0), np.sqrt(variance)


def pooled(draw: Draw, rng: np.random.Generator, groups: int, pool: int, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Sums (18, groups, 1) of pools of so many runs in cells of n, and the largest run (groups, 1) of each."""
    cells = math.ceil(pool / n)
    x = draw(rng, (groups, cells, pool // cells))
    return sums(x).sum(axis=-1, keepdims=True), x.max(axis=(1, 2))[:, None]


def halls(found: Many, q: float) -> np.ndarray:
    return halls_of_moments(*moments_of(found), found.influence.shape[-1], q)


def moments_of(found: Many) -> tuple[np.ndarray, np.ndarray]:
    """Second and third moments of influences."""
    square = found.influence**2
    return square.mean(axis=-1), (square * found.influence).mean(axis=-1)


def skewness_of(variance: np.ndarray, cube: np.ndarray) -> np.ndarray:
    return np.divide(cube, np.maximum(variance, 0.0) ** 1.5, out=0.0 * cube, where=variance > 0.0)


def halls_of_moments(variance: np.ndarray, cube: np.ndarray, n: int | np.ndarray, q: float | np.ndarray) -> np.ndarray:
    g = skewness_of(variance, cube)
    flat = np.abs(g) < TINY
    g = np.where(flat, 1.0, g)
    turned = 3.0 / g * (np.cbrt(1.0 + g * (-q / np.sqrt(n) - g / (6.0 * n))) - 1.0) * np.sqrt(n)
    return np.where(flat, np.abs(q), -np.sign(q) * turned)


def factors(
    rates: tuple[np.ndarray, ...], sizes: tuple[np.ndarray, ...], own: np.ndarray, n: int, alpha: float
) -> tuple[np.ndarray, ...]:
    """What large runs make of the mean of ordinary ones, and how far its limits lie below and above: of rates, sizes.

    Parameters
    ----------
    rates : large runs, and of how many.
    sizes : large runs whose sizes are known, the sums of first to third powers, the variation from cell to cell.
    own : large runs of the sample of n.

    Returns
    -------
    The factors, the reaches below and above, each (2, ...), and where the sample may have another rate. Without large
    runs 1, 0 and False.
    """
    count, runs, known, first, second, third, variation, own = np.broadcast_arrays(
        *(np.asarray(each, dtype=float) for each in (*rates, *sizes, own))
    )
    k, m = np.where(count > 0, count, FEWEST_LARGE), np.where(count > 0, known, FEWEST_LARGE)
    runs = np.maximum(runs, k + 1)
    rate, size = k / runs, first / m
    variance = np.maximum(second / m - size**2, 0.0)
    cube = third / m - 3.0 * size * second / m + 2.0 * size**3
    sd, q = np.sqrt(variance * m / (m - 1)), special.stdtrit(m - 1, 1.0 - alpha)
    sides = [np.maximum(q * sd, sd * halls_of_moments(variance, cube, m, sign * q)) / np.sqrt(m) for sign in (-1, 1)]
    sides = [np.hypot(side, q * variation) for side in sides]
    sides[0] = np.minimum(sides[0], np.maximum(size - 1.0, 0.0))
    low, high = special.betaincinv(k, runs - k + 1, alpha), special.betaincinv(k + 1, runs - k, 1.0 - alpha)
    other = np.minimum(special.bdtr(own, n, rate), special.bdtrc(own - 1.0, n, rate)) < OUTER
    least = np.where(own > 0, special.betaincinv(np.maximum(own, 1), n - own + 1, alpha), 0.0)
    most = np.where(own < n, special.betaincinv(own + 1, np.maximum(n - own, 1), 1.0 - alpha), 1.0)
    low, high = np.where(other, np.minimum(low, least), low), np.where(other, np.maximum(high, most), high)
    below, above = (
        np.where(count > 0, np.stack([of_rate * (size - 1.0), rate * of_size]), 0.0)
        for of_rate, of_size in zip((rate - low, high - rate), sides, strict=True)
    )
    return np.where(count > 0, 1.0 + rate * (size - 1.0), 1.0), below, above, other & (count > 0)


def taken_apart(found: Many, alpha: float, alone: bool) -> tuple[Reach, np.ndarray, np.ndarray]:
    """Reaches of statistics whose means are taken apart, by more runs or by samples alone.

    Two masks follow: the statistics to which this applies, and those whose sample may have its own rate.
    """
    estimate, influence, parts = found.estimate, found.influence, []
    apart, enough = np.zeros(found.estimate.shape, dtype=bool), np.ones(found.estimate.shape, dtype=bool)
    unlikely = np.zeros(found.estimate.shape, dtype=bool)
    spread = [np.zeros((2, *found.estimate.shape)), np.zeros((2, *found.estimate.shape))]
    for x, weight, tails in found.parts:
        if tails.large is None or tails.ordinary is None:
            parts.append((x, weight, tails))
            continue
        positive = x.min(axis=-1) > 0.0
        count = np.where(positive, tails.large[0], 0)
        apart |= count > 0
        n = x.shape[-1]
        quartile = np.partition(x, (n - 1) // 4, axis=-1)[..., (n - 1) // 4]
        large = (count > 0)[..., None] & (x > LARGE * quartile[..., None])
        center = np.where(large, 0.0, x).sum(axis=-1) / (~large).sum(axis=-1)
        calm = np.where(large, center[..., None], x)
        own = large.sum(axis=-1)
        enough &= (count == 0) | (own >= FEWEST_LARGE)
        many = (count > 0) & (own >= FEWEST_LARGE)
        rates = (np.where(many, own, 0), n) if alone else (count, tails.large[1])
        ratios_of = np.where(large, x, 0.0) / center[..., None]
        of_sample = own, *((ratios_of**k).sum(axis=-1) for k in (1, 2, 3)), 0.0
        sizes = [np.where(many, a, b) for a, b in zip(of_sample, (count, *tails.large[2:]), strict=True)]
        factor, *sides, far = factors(rates, tuple(sizes), own, n, alpha)
        unlikely |= far
        estimate = estimate + weight * (factor * center - x.mean(axis=-1))
        change = factor[..., None] * (calm - center[..., None]) - (x - x.mean(axis=-1, keepdims=True))
        influence = influence + weight * change
        ordinary = [np.where(count > 0, a, b) for a, b in zip(plain(tails.ordinary), plain(tails), strict=True)]
        parts.append((calm, weight * factor, Tails(*ordinary)))
        for k, side in enumerate(sides if weight > 0.0 else sides[::-1]):
            spread[k] = spread[k] + abs(weight) * center * side
    calm = Many(estimate, influence, tuple(parts))
    ends = of_one_sample(calm, alpha) if len(parts) == 1 else reaches(calm, alpha)["engine"]
    below, above = (np.sqrt(end**2 + (side**2).sum(axis=0)) for end, side in zip(ends, spread, strict=True))
    shift = estimate - found.estimate  # a limit may lie beyond the mean of the sample
    return (below - shift, above + shift), apart & enough if alone else apart, unlikely


def of_one_sample(found: Many, alpha: float) -> Reach:
    """Reaches of means of ordinary runs: with the spread of more runs, unless the sample is spread more widely."""
    ((x, weight, tails),) = found.parts
    n, q = x.shape[-1], float(special.ndtri(1.0 - alpha))
    center, root = weight * x.mean(axis=-1), math.sqrt(n)
    size = np.abs(center) * tails.spread
    square = weight**2 * x.var(axis=-1, ddof=1)
    wider = special.chdtrc(n - 1, (n - 1) * np.divide(square, size**2, out=0.0 * square, where=size > 0.0)) < WIDER
    shift = np.sign(center) * tails.skewness * (2.0 * q * q + 1.0) / (6.0 * root)
    grown = 1.0 / np.maximum(1.0 - q / root * tails.spread, 1.0 / FARTHEST)
    below = np.maximum(q - shift, q * np.where(center < 0.0, grown, 1.0)) * size / root
    above = np.maximum(q + shift, q * np.where(center > 0.0, grown, 1.0)) * size / root
    ends = zip((below, above), reaches(found, alpha)["engine"], strict=True)
    known = (np.ptp(x, axis=-1) > 0.0) & (size > 0.0) & ~wider
    low, high = (np.where(known, one, other) for one, other in ends)
    return low, high


def plain(tails: Tails) -> tuple[np.ndarray, np.ndarray]:
    return tails.skewness, tails.spread


def reaches(found: Many, alpha: float) -> dict[str, Reach]:
    """By rule the limits."""
    n = found.influence.shape[-1]
    q, root = float(special.stdtrit(n - 1, 1.0 - alpha)), math.sqrt(n)
    own = found.influence.std(axis=-1, ddof=1)
    own = np.where(np.ptp(found.influence, axis=-1) <= ROUNDING * np.abs(found.estimate), 0.0, own)
    student, hall = q * own, (own * halls(found, -q), own * halls(found, q))
    both = np.maximum(student, hall[0]), np.maximum(student, hall[1])
    variance = up = down = own**2
    own_skewness = np.abs(skewness_of(*moments_of(found)))
    constant, moments = np.zeros(own.shape, dtype=bool), []
    for x, weight, tails in found.parts:
        center, square = weight * x.mean(axis=-1), weight**2 * x.var(axis=-1, ddof=1)
        lacking = np.maximum((tails.spread * center) ** 2 - square, 0.0)
        growth = 1.0 / np.maximum(1.0 - q / root * tails.spread, 1.0 / FARTHEST) ** 2
        variance = variance + lacking
        up = up + lacking * np.where(center > 0.0, growth, 1.0)
        down = down + lacking * np.where(center < 0.0, growth, 1.0)
        constant |= (square <= (ROUNDING * center) ** 2) & ((ROUNDING * center) ** 2 < lacking)
        moments.append((square + lacking, np.sign(center) * tails.skewness))
    shares = [np.divide(each, variance, out=0.0 * variance, where=variance > 0.0) for each, _ in moments]
    terms = [np.minimum(1.0, share) ** 1.5 * each for share, (_, each) in zip(shares, moments, strict=True)]
    skewness, size = sum(terms), sum(map(np.abs, terms))
    trusted = ~constant & (n >= FEW * (1.0 + np.maximum(size, own_skewness) ** 2) * q**2)
    wide, up, down = (np.where(trusted, own, np.sqrt(each)) for each in (variance, up, down))
    shift = skewness * (2.0 * q * q + 1.0) / (6.0 * root)
    below = np.maximum.reduce([both[0], (q - shift) * wide, q * down])
    above = np.maximum.reduce([both[1], (q + shift) * wide, q * up])
    every = (student, student), both, (below, above)
    by_rule = {rule: (low / root, high / root) for rule, (low, high) in zip(RULES, every, strict=True)}
    if any(tails.large is not None for _, _, tails in found.parts):
        own_runs, enough, _ = taken_apart(found, alpha, alone=True)
        more_runs, apart, unlikely = taken_apart(found, alpha, alone=False)
        counted = trusted | ~apart, enough, apart & ~(unlikely & (trusted | enough))
        every_reach = zip(by_rule["engine"], own_runs, more_runs, strict=True)
        by_rule["engine"] = tuple(
            np.minimum.reduce([np.where(where, reach, np.inf) for where, reach in zip(counted, each, strict=True)])
            for each in every_reach
        )
    reach_and_known = zip(by_rule["engine"], of_known(found, alpha), strict=True)
    by_rule["engine"] = tuple(np.where(by > 0.0, np.hypot(reach, by), reach) for reach, by in reach_and_known)
    return by_rule


def of_known(found: Many, alpha: float) -> Reach:
    """How far large runs may move means, down and up, that are known and that neither samples nor pools have."""
    down = up = np.zeros(found.estimate.shape)
    for x, weight, tails in found.parts:
        if tails.known is None or tails.counted is None:
            continue
        count, runs = tails.counted
        own = x > LARGE * np.partition(x, (x.shape[-1] - 1) // 4, axis=-1)[..., (x.shape[-1] - 1) // 4, None]
        center = x.mean(axis=-1)
        part = (1.0 - alpha ** (1.0 / runs)) * np.maximum(tails.known / center - 1.0, 0.0)
        moved = weight * center * np.where((count == 0) & ~own.any(axis=-1), part, 0.0)
        down, up = down + np.maximum(-moved, 0.0), up + np.maximum(moved, 0.0)
    return down, up


# Rates


@dataclass(frozen=True)
class Rate:
    """A rate, and its standard error over groups of comparisons that share a pool."""

    value: float
    error: float


Rates = Mapping[tuple[str, str], Rate]
"""By rule and by what is wrong or right, as `outcomes` has it."""


@dataclass(frozen=True)
class Limits:
    """Limits of comparisons, (groups, comparisons): reaches by rule, the truth, and the runs that were seen.

    The engine decides nothing where these are too few. They may differ from comparison to comparison.
    """

    reach: Mapping[str, Reach]
    truth: "float | np.ndarray" = 1.0
    seen: "float | np.ndarray" = math.inf

    def ends(self, rule: str, estimate: np.ndarray, alpha: float) -> tuple[np.ndarray, np.ndarray]:
        """The lower and the upper limits by a rule; infinite where it decides nothing."""
        below, above = self.reach[rule]
        short = (rule == "engine") & (np.asarray(self.seen) < enough(alpha))
        return np.where(short, -np.inf, estimate - below), np.where(short, np.inf, estimate + above)


MANY, ALIKE = "fails of many", "fails of many alike"


def outcomes(
    estimate: np.ndarray, single: Limits, many: Mapping[str, Limits], power: bool = True
) -> Iterator[tuple[tuple[str, str], np.ndarray]]:
    """By rule and kind the share of comparisons of each group, (groups,), out of (groups, comparisons).

    `holds` and `fails` are wrong ones of a comparison whose truth is the bound, by what is claimed. `MANY` and `ALIKE`
    are those of a claim of `JOINT` such comparisons, of curves that have nothing to do with each other and of settings
    of one curve. `holds at 0.6` and `fails at 1.6` are right ones of `at most`, the true mean being that part of the
    bound.
    """
    for rule in single.reach:
        low, high = single.ends(rule, estimate, ALPHA)
        yield (rule, "holds, at most"), (high < single.truth).mean(axis=1)
        yield (rule, "holds, at least"), (low > single.truth).mean(axis=1)
        yield (rule, "fails, at most"), (low > single.truth).mean(axis=1)
        yield (rule, "fails, at least"), (high < single.truth).mean(axis=1)
        for kind, each in many.items():
            joint_low, joint_high = each.ends(rule, estimate, ALPHA / JOINT)
            yield (rule, f"{kind}, at most"), (joint_low > each.truth).any(axis=1)
            yield (rule, f"{kind}, at least"), (joint_high < each.truth).any(axis=1)
        if power:
            yield (rule, "holds at 0.6"), (SETTLED * high <= single.truth).mean(axis=1)
            yield (rule, "fails at 1.6"), (BEYOND * low > single.truth).mean(axis=1)


WRONG = [f"{kind}, at {side}" for kind in ("holds", "fails", MANY, ALIKE) for side in ("most", "least")]


def collected(blocks: Iterator[tuple[tuple[str, str], np.ndarray]]) -> Rates:
    found: dict[tuple[str, str], list[np.ndarray]] = {}
    for key, shares in blocks:
        found.setdefault(key, []).append(shares)
    whole = {key: np.concatenate(each) for key, each in found.items()}
    return {key: Rate(float(x.mean()), float(x.std() / math.sqrt(x.size))) for key, x in whole.items() if x.size}


def parts_of(groups: int, size: int) -> list[int]:
    """Groups in blocks of at most `BLOCK` numbers."""
    most = max(1, BLOCK // size)
    return [min(most, groups - start) for start in range(0, groups, most)]


def rates(
    draw: Draw,
    pool: int,
    n: int,
    groups: int,
    seed: int = 1,
    seen: float = 0.0,
    known: float | None = None,
    kind: Kind | None = None,
) -> Rates:
    """Rates of means of n runs; with `seen` of the groups alone whose pool has a run above that.

    `known` is the size of large runs that other experiments have shown. With a `kind`, a verdict speaks about what its
    resolution says: the mean without this kind of run where neither sample nor pool has one, and it is too rare.
    """
    rng = np.random.default_rng((seed, pool, n))

    def blocks():
        for part in parts_of(groups, max(pool, JOINT * n)):
            others, largest = pooled(draw, rng, part, pool, n)
            x = draw(rng, (part, JOINT, n))
            alone = means(x, replace(tails_of(others), known=known))
            together = means(x, replace(tails_of(others + sums(x).sum(axis=-1, keepdims=True)), known=known))
            own = x.max(axis=-1)
            truth = truth_of(np.maximum(largest, own), pool + n, kind)
            of_all = truth_of(np.maximum(largest, own.max(axis=-1, keepdims=True)), pool + JOINT * n, kind)
            kept = largest[:, 0] > seen
            many = {
                MANY: Limits(reaches(alone, ALPHA / JOINT), truth),
                ALIKE: Limits(reaches(together, ALPHA / JOINT), of_all),
            }
            every = outcomes(alone.estimate, Limits(reaches(alone, ALPHA), truth), many)
            yield from ((key, shares[kept]) for key, shares in every)

    return collected(blocks())


def truth_of(largest: np.ndarray, runs: int, kind: Kind | None) -> "float | np.ndarray":
    """What verdicts speak about: the mean 1, or that without a kind of run that none of so many runs has shown."""
    if kind is None or RARE / runs <= kind.rate:
        return 1.0
    return np.where(largest > kind.least, 1.0, kind.mean_without)


def rates_alone(draw: Draw, n: int, groups: int, seed: int = 1, kind: Kind | None = None) -> Rates:
    """Rates of means of n runs that nothing else is known about: each sample is its own pool."""
    rng = np.random.default_rng((seed, 0, n))

    def blocks():
        for part in parts_of(groups, JOINT * n):
            x = draw(rng, (part, JOINT, n))
            found, truth = means(x, tails_of(sums(x))), truth_of(x.max(axis=-1), n, kind)
            single, many = (Limits(reaches(found, alpha), truth, n) for alpha in (ALPHA, ALPHA / JOINT))
            yield from outcomes(found.estimate, single, {MANY: many})

    return collected(blocks())


def rates_of_two(kind, draws: Sequence[Draw], pool: int, n: int, groups: int, seed: int = 1) -> Rates:
    """Rates of ratios or differences of two independent means of n runs."""
    rng = np.random.default_rng((seed, pool, n))

    def blocks():
        for part in parts_of(groups, max(pool, 2 * JOINT * n)):
            tails = [tails_of(pooled(draw, rng, part, pool, n)[0]) for draw in draws]
            x, y = (draw(rng, (part, JOINT, n)) for draw in draws)
            found = kind(x, y, *tails)
            single, many = (Limits(reaches(found, alpha), 0.0) for alpha in (ALPHA, ALPHA / JOINT))
            yield from outcomes(found.estimate, single, {MANY: many}, power=False)
            less, more = (kind(factor * x, y, *tails) for factor in (SETTLED, BEYOND))
            for rule, (_, above) in reaches(less, ALPHA).items():
                yield (rule, "holds at 0.6"), (less.estimate + above <= 0.0).mean(axis=1)
            for rule, (below, _) in reaches(more, ALPHA).items():
                yield (rule, "fails at 1.6"), (more.estimate - below > 0.0).mean(axis=1)

    return collected(blocks())


# Pairs of curves


CALM = "lognormal(0.3)"
PAIRS = [
    (ratios, ("lognormal(0.5)", "lognormal(0.5)")),
    (ratios, ("lognormal(1)", "lognormal(1)")),
    (ratios, ("5 % linear", "5 % linear")),
    (ratios, ("5 % linear", CALM)),
    (ratios, (CALM, "5 % linear")),
    (ratios, ("10 % linear", "10 % linear")),
    (ratios, ("30 % linear", CALM)),
    (ratios, (CALM, "30 % linear")),
    (differences, ("lognormal(1)", CALM)),
    (differences, ("5 % linear", "5 % linear")),
    (differences, ("30 % linear", CALM)),
]


def draws_of(names: Sequence[str]) -> list[Draw]:
    return [lognormal(0.3) if name == CALM else DISTRIBUTIONS[name][0] for name in names]
