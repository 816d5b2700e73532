"""Optimism with a parameter per arm, from noisy messages: shared by LDP-UCB and LDP-GLOC.

The K parameters in R^d form one vector in R^D, D = K d, and arm a has the feature x in its block of d entries, 0
elsewhere. Let V be the sum of the matrices of the messages, u that of the vectors, and s the round of the last refresh:

    theta = (V_s + c sqrt(max(s, 1)) I)^-1 u_s,   play argmax over a of x_a' theta + beta_s |x_a|_s
    |x|_s^2 = x' (V_s + ...)^-1 x,   beta_s = base + growth s^(1/4)

The rules are refreshed after every round t < 2 `lazy`, then every floor(t / lazy) rounds; after every round if `lazy`
is 0. Noise is drawn at the refresh, when it is first used. The noise of m messages is one normal draw with variance
m sd^2 per entry, which is exact. Only the K diagonal blocks of the inverse are needed.

The matrix may fail to be positive definite. Its inverse is then still used, and the first arm with x_a' V^-1 x_a < 0 is
played, as NumPy's argmax does with the NaN of its root. Both events are counted. Ties as in `contextual.first_best`.

Line marks refer to the named algorithms.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from dpbandits.algorithms.shared.contextual import first_best
from dpbandits.base.jit import kernel, round_step
from dpbandits.numerics.linalg import add_multiple, dot, inverse, quadratic, try_inverse_factor
from dpbandits.privacy.mechanisms import add_gaussian

Array = np.ndarray


class Server(NamedTuple):
    """Constants of the rules.

    Attributes
    ----------
    sd : standard deviation of the noise on the entries of matrices and vectors.
    shift : c.
    base, growth : constants of beta.
    lazy : number of refreshes while the round number grows e-fold; 0 for one refresh per round.
    """

    sd: float
    shift: float
    base: float
    growth: float
    lazy: int


class State(NamedTuple):
    """State of the server; V is stored as its lower triangle."""

    gram: Array  # (D, D) V
    target: Array  # (D,) u
    theta: Array  # (K, d)
    blocks: Array  # (K, d, d) diagonal blocks of the inverse
    matrix: Array  # (D, D) scratch, like the next four
    work: Array  # (D, D)
    solved: Array  # (D, D)
    half: Array  # (d,)
    indices: Array  # (K,)
    beta: Array  # (1,)
    clock: Array  # (3,) int64: last refresh, next refresh, number of refreshes with a matrix not positive definite


@kernel
def open_state(server: Server, arms: int, d: int) -> State:
    """The state before the first round."""
    D = arms * d
    state = State(
        np.zeros((D, D)),
        np.zeros(D),
        np.zeros((arms, d)),
        np.zeros((arms, d, d)),
        np.empty((D, D)),
        np.empty((D, D)),
        np.empty((D, D)),
        np.empty(d),
        np.empty(arms),
        np.array([server.base]),
        np.array([0, 1, 0]),
    )
    for k in range(arms):
        for i in range(d):
            state.blocks[k, i, i] = 1.0 / server.shift
    return state


@round_step
def optimistic(state: State, x: Array) -> tuple[int, bool]:
    """The arm to play, L3 of all algorithms that use it, and whether it is played for a negative square."""
    for k in range(len(state.theta)):
        square = quadratic(state.blocks[k], x, state.half)
        bonus = state.beta[0] * math.sqrt(square) if square >= 0.0 else math.nan
        state.indices[k] = dot(state.theta[k], x) + bonus
    arm = first_best(state.indices)
    return arm, math.isnan(state.indices[arm])


@round_step
def gather(state: State, x: Array, arm: int, value: float) -> None:
    """Add a message of arm `arm` without noise; its vector is value times x."""
    d = len(x)
    first = arm * d
    for i in range(d):
        state.target[first + i] += value * x[i]  # L4, L5 of ldp_ucb_multi; L4, L6 of ldp_gloc_multi
        for j in range(i + 1):
            state.gram[first + i, first + j] += x[i] * x[j]  # L4, L5 of ldp_ucb_multi; L4, L6 of ldp_gloc_multi


@kernel
def refresh(rng: Generator, server: Server, state: State, now: int) -> None:
    """If a refresh is due after round `now`: add the noise of the messages since the last one, then update the rules.

    Noise is drawn row by row of the lower triangle, then for the vector.
    """
    if now < state.clock[1]:
        return
    times = open_refresh(server, state, now)
    if server.sd > 0.0:
        for i in range(len(state.target)):
            for j in range(i + 1):
                # L4, L5 of ldp_ucb_multi; L4, L6 of ldp_gloc_multi
                state.gram[i, j] = add_gaussian(rng, state.gram[i, j], server.sd, times)
        for i in range(len(state.target)):
            # L4, L5 of ldp_ucb_multi; L4, L6 of ldp_gloc_multi
            state.target[i] = add_gaussian(rng, state.target[i], server.sd, times)
    # L6 of ldp_ucb_multi; L8 of ldp_gloc_multi
    state.clock[2] += not rules_of_entries(state, server.shift * math.sqrt(now))


@kernel
def open_refresh(server: Server, state: State, now: int) -> float:
    """Set beta and the round of the next refresh; return the square root of the number of messages since the last."""
    times = math.sqrt(now - state.clock[0])
    state.clock[0] = now
    state.clock[1] = now + (max(1, now // server.lazy) if server.lazy > 0 else 1)
    state.beta[0] = server.base + server.growth * math.sqrt(math.sqrt(now))
    return times


@kernel
def rules_of_entries(state: State, shift: float) -> bool:
    """Compute theta and the blocks, from (L^-1)' L^-1 if possible; return whether the matrix is positive definite."""
    D, (arms, d) = len(state.target), state.theta.shape
    matrix, solved, theta = state.matrix, state.solved, state.theta.ravel()
    matrix[:] = state.gram
    for i in range(D):
        matrix[i, i] += shift
    if not try_inverse_factor(matrix, state.work, solved):
        inverse(matrix, solved)
        for k in range(arms):
            block = solved[k * d : (k + 1) * d]
            state.blocks[k] = block[:, k * d : (k + 1) * d]
            for i in range(d):
                state.theta[k, i] = dot(block[i], state.target)
        return False
    theta[:] = 0.0
    state.blocks[:] = 0.0
    for r in range(D):
        row = solved[r, : r + 1]
        add_multiple(theta[: r + 1], dot(row, state.target), row)
        for k in range(r // d + 1):
            part = solved[r, k * d : (k + 1) * d]
            for i in range(d):
                add_multiple(state.blocks[k, i], part[i], part)
    return True
