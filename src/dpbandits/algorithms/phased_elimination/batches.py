"""Shared by the batched phased-elimination algorithms of Hanna et al. (arXiv 2207.03445).

Batch schedule (Section 4 of the paper), core set and allocation (Lemma 2), least squares on the core set, elimination,
and the computation of regret. The algorithms differ in their confidence width and in the noise on the reward sums;
these two lines are in their own modules.

Inside a batch the allocation is fixed before any reward is seen, so that only batch sums matter. Rounds can therefore
be skipped without changing any distribution. Regret at a checkpoint inside a batch, or at a horizon that cuts a batch,
follows from the pulls made so far, which are hypergeometric under the random order of the batch.

The algorithms use coordinates of the span of the active actions (`linalg.scaled_coordinates`), so that a rank-deficient
active set needs no pseudo-inverse.
"""

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from dpbandits.base.jit import formula, kernel
from dpbandits.environments.linear.linear import arm_means, reward_sum
from dpbandits.numerics.draws import hypergeometric
from dpbandits.numerics.linalg import cholesky, solve
from dpbandits.numerics.optimal_design import near_optimal_design
from dpbandits.numerics.points import scaled_coordinates, weighted_gram

Array = np.ndarray

RANK_TOLERANCE = 1e-9  # directions with a smaller relative length do not count towards the rank
CEILING_SLACK = 1e-12  # so that rounding does not add a pull if pi(a) q^i is an integer

OUTPUTS = (
    *("regret", "active", "core", "gamma", "noise_scale"),
    *("misses", "largest_core", "fallbacks", "bound", "over_bound"),
)
"""Columns of every trace: pseudo-regret so far; for the current or last batch, the number of active actions and of
actions in the core set, the confidence width gamma_i and the scale of the Laplace noise (0 without noise); so far, the
number of batches in which the estimate of an active action missed its mean by more than gamma_i, the largest core set,
the number of batches in which no active action would have survived, the bound on the regret that the widths imply on
the good event (`allowance`), and whether the regret exceeds it (0 or 1)."""
ACTIVE, CORE, GAMMA, SCALE, MISSES, LARGEST, FALLBACKS, BOUND, OVER = range(1, len(OUTPUTS))
LARGEST_GAP = 2.0  # between two means in [-1, 1]


class Reading(NamedTuple):
    """How a run resolves what the paper leaves open; the configuration states the choices and their reasons."""

    width: float  # multiplier c_w of every gamma_i; 1 as printed
    extra_batches: int  # batches beyond floor(ln T) - 1
    tolerance: float  # of the design
    whole_maximum: bool  # L of the elimination: the maximum over all actions instead of the active ones
    reward_sd: float  # 0 for sign rewards, otherwise the standard deviation of normal rewards


class Progress(NamedTuple):
    """State of one run: the instance, which the algorithm does not see, and what has been played and recorded."""

    reading: Reading
    actions: Array  # (K, d)
    means: Array  # (K,)
    gaps: Array  # (K,) to the best mean
    checkpoints: Array  # rounds to record; the last one is the horizon
    plays: Array  # (K,) int64 pulls so far
    proven: Array  # (1,) width of the last batch with estimates; infinite before
    state: Array  # columns of `OUTPUTS`; `record` fills in the regret at index 0
    trace: Array  # (checkpoints, outputs)


def reading_of(setting: Mapping[str, float]) -> Reading:
    """The reading from the constants of a setting."""
    return Reading(
        width=setting["width"],
        extra_batches=int(setting["extra_batches"]),
        tolerance=setting["tolerance"],
        whole_maximum=bool(setting["whole_maximum"]),
        reward_sd=setting["reward_sd"],
    )


@formula
def batch_schedule(horizon: int) -> tuple[float, int]:
    """Growth factor q = (2T)^(1/ln T) and number of batches L = floor(ln T) - 1 (`1 : log(T) - 1` of the paper)."""
    log_horizon = math.log(horizon)
    return math.e * 2.0 ** (1.0 / log_horizon), math.floor(log_horizon) - 1


@formula
def log_confidence(active: int, horizon: int) -> float:
    """ln(4 |A_i| T^2), the logarithm in every confidence width of the paper."""
    return math.log(4.0 * active) + 2.0 * math.log(horizon)


@kernel
def coordinates_of(actions: Array, active: Array) -> Array:
    """Coordinates (n, m) of the active actions in a basis of their span."""
    return scaled_coordinates(actions[active], RANK_TOLERANCE, len(active))


@kernel
def core_set(coordinates: Array, nominal: float, tolerance: float) -> tuple[Array, Array]:
    """Lemma 2: the design's support C_i and the pulls n_ia = ceil(pi_i(a) q^i).

    Parameters
    ----------
    coordinates : (n, m) of the active actions.
    nominal : q^i.
    tolerance : of the design.

    Returns
    -------
    core : (c,) indices into the active actions; pulls : (c,) int64.
    """
    return allocation(near_optimal_design(coordinates, tolerance), nominal)  # L1, L2 of phased_elimination_g_optimal


@kernel
def allocation(weights: Array, nominal: float) -> tuple[Array, Array]:
    """Core set (c,) and pulls (c,) int64 of a design: ceil(weight * `nominal`) where the weight is positive."""
    core = np.flatnonzero(weights > 0.0)
    pulls = np.empty(len(core), np.int64)
    for k in range(len(core)):
        pulls[k] = math.ceil(weights[core[k]] * nominal - CEILING_SLACK)
    return core, pulls


@kernel
def reward_sums(rng: Generator, progress: Progress, active: Array, core: Array, pulls: Array) -> Array:
    """Sum of the rewards of each action of the core set over the batch, (c,)."""
    sums = np.empty(len(core))
    for k in range(len(core)):
        sums[k] = reward_sum(rng, progress.means[active[core[k]]], pulls[k], progress.reading.reward_sd)
    return sums


@kernel
def estimates(coordinates: Array, core: Array, pulls: Array, sums: Array) -> Array:
    """<a, theta_hat_i> of every active action, (n,), with theta_hat_i the least-squares solution on the core set."""
    n, m = coordinates.shape
    points = coordinates[core]
    factor = cholesky(weighted_gram(points, pulls.astype(np.float64)))
    target = np.zeros(m)
    for k in range(len(core)):
        for a in range(m):
            target[a] += sums[k] * points[k, a]
    theta_hat = solve(factor, target)
    values = np.zeros(n)
    for j in range(n):
        for a in range(m):
            values[j] += coordinates[j, a] * theta_hat[a]
    return values


@kernel
def survivors(values: Array, width: float, top: float) -> tuple[Array, np.signedinteger]:
    """Indices of the actions with an estimate of at least `top` - 2 width, and the index of the largest estimate."""
    return np.flatnonzero(values >= top - 2.0 * width), np.argmax(values)


@kernel
def missed(values: Array, means: Array, width: float) -> int:
    """1 if an estimate differs from its mean by more than `width` (the good event of the proofs fails), else 0."""
    for j in range(len(values)):
        if abs(values[j] - means[j]) > width:
            return 1
    return 0


@kernel
def start(actions: Array, theta: Array, reading: Reading, checkpoints: Array) -> Progress:
    """The state before the first round."""
    means = arm_means(actions, theta)
    plays = np.zeros(len(means), np.int64)
    state = np.zeros(len(OUTPUTS))
    trace = np.empty((len(checkpoints), len(OUTPUTS)))
    return Progress(
        reading, actions, means, np.max(means) - means, checkpoints, plays, np.full(1, np.inf), state, trace
    )


@kernel
def allowance(progress: Progress, widths: float) -> float:
    """Upper bound on the regret of a round on the good event, if gaps are at most `widths` times the last width."""
    return min(LARGEST_GAP, widths * progress.proven[0])


@kernel
def record(progress: Progress, row: int) -> None:
    """Write one checkpoint: pseudo-regret from the integer pull counts, and the state of the current batch."""
    regret = 0.0
    for a in range(len(progress.gaps)):
        regret += progress.plays[a] * progress.gaps[a]
    progress.state[0] = regret
    progress.state[OVER] = 1.0 if regret > progress.state[BOUND] else 0.0
    progress.trace[row] = progress.state


@kernel
def play(
    rng: Generator,
    progress: Progress,
    active: Array,
    core: Array,
    pulls: Array,
    width: float,
    noise_scale: float,
    now: int,
) -> int:
    """Play a batch in random order and record the checkpoints that it reaches.

    Parameters
    ----------
    active : (n,) active actions; core : (c,) indices of those played in the batch; pulls : (c,) number of pulls.
    width, noise_scale : values of the batch, for the record.
    now : rounds played before the batch.

    Returns
    -------
    Rounds played so far: now + sum(pulls), or the horizon if it cuts the batch.
    """
    state, checkpoints = progress.state, progress.checkpoints
    state[ACTIVE], state[CORE], state[GAMMA], state[SCALE] = len(active), len(core), width, noise_scale
    state[LARGEST] = max(state[LARGEST], len(core))
    cost = allowance(progress, 4.0)
    left = pulls.copy()
    remaining = np.sum(left)
    row = np.searchsorted(checkpoints, now, side="right")
    while row < len(checkpoints) and checkpoints[row] < now + remaining:
        step = checkpoints[row] - now
        still, draw = remaining, step
        for k in range(len(core)):
            drawn = hypergeometric(rng, left[k], still - left[k], draw)
            still -= left[k]
            left[k] -= drawn
            draw -= drawn
            progress.plays[active[core[k]]] += drawn
        now += step
        remaining -= step
        state[BOUND] += step * cost
        record(progress, row)
        row += 1
    if row == len(checkpoints):
        return now
    for k in range(len(core)):
        progress.plays[active[core[k]]] += left[k]
    now += remaining
    state[BOUND] += remaining * cost
    if checkpoints[row] == now:
        record(progress, row)
    return now


@kernel
def eliminate(
    progress: Progress, active: Array, coordinates: Array, core: Array, pulls: Array, sums: Array, width: float
) -> tuple[int, Array]:
    """Least squares and elimination after a batch: the action with the best estimate, and the remaining actions.

    If the maximum is taken over all actions, no active action may be near it. Then the best active action stays, and
    the fallback is counted. Line marks refer to the named algorithms.
    """
    # L3 of phased_elimination_g_optimal; L4 of phased_elimination; L6 of phased_elimination_shuffled
    # L5 of phased_elimination_central, phased_elimination_local, phased_elimination_no_core_set
    values = estimates(coordinates, core, pulls, sums)
    top = np.max(values)
    if progress.reading.whole_maximum and len(active) < len(progress.means):
        order = active
        for a in range(len(progress.means)):
            if not np.any(active == a):
                order = np.append(order, a)
        points = scaled_coordinates(progress.actions[order], RANK_TOLERANCE, len(active))
        top = max(top, np.max(estimates(points, core, pulls, sums)))
    progress.state[MISSES] += missed(values, progress.means[active], width)
    progress.proven[0] = width
    # L4 of phased_elimination_g_optimal; L5 of phased_elimination; L7 of phased_elimination_shuffled
    # L6 of phased_elimination_central, phased_elimination_local, phased_elimination_no_core_set
    kept, best = survivors(values, width, top)
    if len(kept) == 0:
        progress.state[FALLBACKS] += 1
        kept = np.full(1, best)
    return active[best], active[kept]


@kernel
def commit(progress: Progress, action: int, now: int) -> None:
    """Play one action until the horizon."""
    cost = allowance(progress, 2.0)
    for row in range(np.searchsorted(progress.checkpoints, now, side="right"), len(progress.checkpoints)):
        step = progress.checkpoints[row] - now
        progress.plays[action] += step
        progress.state[BOUND] += step * cost
        now += step
        record(progress, row)
