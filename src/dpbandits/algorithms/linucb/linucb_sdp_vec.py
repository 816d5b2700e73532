"""LinUCB with shuffled bits, P_Vec: users send noisy counts as bits, and the shuffler mixes the bits of a batch.

Chowdhury and Zhou (ICML 2022, arXiv 2202.05567), Algorithms 1 and 5 to 7.

Pseudo-code. x_a the features of arm a, x_t and y_t those of the arm played and its reward. R* of w in [-Delta, Delta]
is the integer next below or above (w + Delta) g / Delta, at random and unbiased, plus Bin(b, 1/4), as ones among bits:

    L1  V_0 = lambda I, u_0 = 0, theta_0 = 0
    L2  for every round t of every batch m = 1, 2, ... of B rounds:
    L3      play a_t = argmax_a <x_a, theta_{m-1}> + beta_{m-1} sqrt(x_a' V_{m-1}^-1 x_a), ties to the lowest index
    L4      the user sends R* of every [x_t y_t]_k, labeled k, and of every [x_t x_t']_ij, i <= j, labeled ij
    L5      at the end of the batch: the shuffler permutes all bits of the batch and groups them by label
    L6      the server computes (Delta / g) (ones - b B / 4) - B Delta for every label, the matrix by symmetry, and adds
            these to u_{m-1} and V_{m-1}; theta_m = V_m^-1 u_m

`constants` has lambda and beta_m. The kernel plays a batch at once, since its arm stays the same, and keeps V^-1 u and
the widths instead of theta and V^-1 (`server`). Of a batch it draws the number of ones of every label, exactly: users
with the same reward send the same entries, and sums of binomials are binomial.

Calibrations:
    printed     g = max(2 sqrt(B), d, 4), b = 24e4 g^2 ln^2(4 (d^2 + 1) / delta) / (eps^2 B) (Theorem C.1), both rounded
                up. For returning users, b = 1e7 ln(2 / delta) g^2 T ln^2(8 T (d^2 + 1) / (B delta)) / (eps^2 B^2)
                (Theorem E.5).
    released    g is not rounded. b = factor g^2 ln^2(d / delta) / (eps^2 B) is a real number (`released_noise`,
                `bits_factor`). NumPy draws its whole part, while the analyzer subtracts the mean of all of it
                (`fractional_bits`). Delta is the largest norm sqrt(2), ridge 2 Gamma with
                Gamma = ln(d / delta) sqrt(T d) / (4 eps sqrt(B)).
    certified   The fewest bits with which the sums of all batches that a user is in are proven to be (eps, delta)-DP
                (`privacy.vector_sum_bound`).

Deviation: the paper's R* has g + b bits, though an entry shifted by Delta needs up to 2 g + b. The sums are those of 2
g + b bits.

Privacy: shuffle. Neighboring datasets differ in one user, who is replaced; ||x|| <= 1 and y in [0, 1]. The shuffled
bits of a batch are (eps, delta)-DP at the calibration `certified`.

Cost: a factorization and K quadratic forms per batch, and one or two binomials for every entry of a batch. The sum of a
batch does not depend on L5.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from dpbandits.algorithms.base import POSITIVE, SWITCH, Algorithm, Guarantee, Look
from dpbandits.algorithms.linucb import literal as linucb_literal
from dpbandits.algorithms.linucb.constants import Params as CommonParams
from dpbandits.algorithms.linucb.constants import batch_of, batches_of, params_of
from dpbandits.algorithms.linucb.entries import COMMON, NOISY, RELEASED, USER, on_features
from dpbandits.algorithms.linucb.protocol import BITS_NOISE, ONES, Bits, add_bits, rounded
from dpbandits.algorithms.linucb.rule import Radius, choose, width
from dpbandits.algorithms.linucb.server import add, open_server, solve
from dpbandits.algorithms.linucb.trace import OUTPUTS as OUTPUTS
from dpbandits.algorithms.linucb.trace import open_play, play_batch, released
from dpbandits.base.jit import formula, kernel, round_step
from dpbandits.environments.base import BINARY
from dpbandits.privacy import vector_sum
from dpbandits.privacy.mechanisms import VectorSumRequest

ALGORITHM = Algorithm(
    label="LinUCB, shuffled bits",
    short="LinUCB-SDP-Vec",
    reference="Chowdhury and Zhou 2022, Algorithms 1 and 5 to 7",
    trust_model="shuffle",
    noise=(BITS_NOISE,),
    guarantee=Guarantee("a shuffled batch is (eps, delta)-DP", USER),
    parameters={**NOISY, "returning": SWITCH, "bits_factor": POSITIVE, "fractional_bits": SWITCH},
    arms=BINARY,
    grid=("eps",),
    outputs=OUTPUTS,
    calibrations=RELEASED,
    examples=on_features(
        {
            **COMMON,
            "eps": 400.0,
            "delta": 0.1,
            "released_noise": 0.0,
            "returning": 0.0,
            "bits_factor": 20.0,
            "fractional_bits": 0.0,
        },
        {"bits": 12.0},
        {"fractional_bits": 1.0, "eps": 5.0},
    ),
    noise_asks=("dimension",),
    look=Look("^", "-", "dark"),
    looks={"tenfold": Look("P", "--", "light")},
)

MOST_BITS = 2**63 - 1  # largest number of bits of one entry in a batch


@dataclass(frozen=True)
class Params(CommonParams):
    """Constants of the algorithm, in the order of the arguments of `run`."""

    protocol: Bits  # g, b and Delta


def requests(setting: Mapping[str, float]) -> dict[str, VectorSumRequest]:
    """Request of `certified`: the number of noise bits of every entry."""
    batches = batches_of(setting) if setting["returning"] else 1
    d, batch = int(setting["dimension"]), batch_of(setting)
    return {"bits": VectorSumRequest("vector_sum", setting["eps"], setting["delta"], batch, d, batches)}


def params(calibration: str, setting: Mapping[str, float], noise: Mapping[str, float]) -> Params:
    """Constants at one grid point; for `certified`, `noise` holds the answers to `requests`.

    Raises
    ------
    ValueError
        A batch has more noise bits than a 64-bit integer can count.
    """
    eps, delta, d, batch = setting["eps"], setting["delta"], int(setting["dimension"]), batch_of(setting)
    factor, largest = setting["bits_factor"], setting["norm"]
    granularity, bits = vector_sum.granularity(batch, d), vector_sum.bits_printed(eps, delta, batch, d)
    if setting["returning"]:
        bits = vector_sum.bits_returning(eps, delta, batch, d, setting["T"])
    if calibration == "certified":
        bits = noise["bits"]
    elif setting["released_noise"]:
        granularity = vector_sum.granularity_released(batch, d)
        bits = vector_sum.bits_released(eps, delta, batch, d, factor)
    if math.floor(bits) * batch > MOST_BITS:
        raise ValueError(f"eps = {eps:g} asks for {bits:.3g} noise bits of each of {batch} users, too many to count")
    subtracted = bits if setting["fractional_bits"] else float(math.floor(bits))
    protocol = Bits(granularity, math.floor(bits), subtracted, largest)
    total = math.sqrt(batches_of(setting) * vector_sum.variance_printed(batch, bits, granularity, largest))
    gamma = 0.25 * math.log(d / delta) / (eps * math.sqrt(batch)) * math.sqrt(setting["T"] * d)
    return Params(**vars(params_of(setting, total, gamma, 2.0 * gamma)), protocol=protocol)


@round_step
def ones_of_vector(rng: Generator, protocol: Bits, entry: float, ones: int, batch: int) -> int:
    """The number of ones among a batch's bits with label k, [x]_k = `entry`, when `ones` rewards were 1."""
    count = rounded(rng, protocol, entry, ones) + rounded(rng, protocol, 0.0, batch - ones)  # L4
    return add_bits(rng, count, protocol.bits, batch)  # L4


@round_step
def ones_of_matrix(rng: Generator, protocol: Bits, entry: float, batch: int) -> int:
    """The number of ones among a batch's bits with label ij, [x x']_ij = `entry`."""
    return add_bits(rng, rounded(rng, protocol, entry, batch), protocol.bits, batch)  # L4


@formula
def analyzed(protocol: Bits, ones: int, batch: int) -> float:
    """The server's estimate from the ones of a label: minus the mean of the noise, in the unit of the entry."""
    surplus = ones - ONES * protocol.subtracted * batch
    return surplus * protocol.largest / protocol.granularity - batch * protocol.largest  # L6


@kernel
def sums_of_bits(rng: Generator, protocol: Bits, x: np.ndarray, ones: int, batch: int, entries: np.ndarray) -> None:
    """Fill `entries` with a batch's contribution from one arm: d entries to u, then the lower triangle of V by rows."""
    d = len(x)
    # L5: one count of ones for each label does not depend on the order of the bits
    for i in range(d):
        entries[i] = analyzed(protocol, ones_of_vector(rng, protocol, x[i], ones, batch), batch)  # L4, L6
    k = d
    for i in range(d):
        for j in range(i + 1):
            entries[k] = analyzed(protocol, ones_of_matrix(rng, protocol, x[i] * x[j], batch), batch)  # L4, L6
            k += 1


@kernel
def run(
    rng: Generator,
    features: np.ndarray,
    theta: np.ndarray,
    batch: int,
    ridge: float,
    radius: Radius,
    protocol: Bits,
    checkpoints: np.ndarray,
) -> np.ndarray:
    """Play one run; return its trace, shape (len(checkpoints), len(OUTPUTS))."""
    T, d = checkpoints[-1], features.shape[1]
    play, server = open_play(features, theta, checkpoints), open_server(features, ridge, 0)  # L1
    for t in range(0, T, batch):  # L2
        a, negative = choose(server, len(features), width(radius, d, t))  # L3
        ones = play_batch(rng, play, a, negative, t, batch)
        if t + batch < T:
            sums_of_bits(rng, protocol, features[a], ones, batch, server.noise)  # L4, L6
            add(server.gram, server.target, server.noise, 1.0)  # L6
            definite, growing = solve(server)  # L6
            released(play, definite, growing)
    return play.trace


def run_literal(
    rng: Generator,
    features: np.ndarray,
    theta: np.ndarray,
    batch: int,
    ridge: float,
    radius: Radius,
    protocol: Bits,
    checkpoints: np.ndarray,
) -> np.ndarray:
    """Same as `run`, round by round, with one number of ones per label and user; returns the regret."""
    d, g, largest = len(theta), protocol.granularity, protocol.largest

    def report(entry: float) -> int:
        scaled = (entry + largest) * g / largest
        below = math.floor(scaled)
        return below + int(rng.random() < scaled - below) + int(rng.binomial(protocol.bits, ONES))

    def randomize(x: np.ndarray, y: float) -> dict[tuple[int, ...], int]:
        vector = {(i,): report(x[i] * y) for i in range(d)}
        return vector | {(i, j): report(x[i] * x[j]) for i in range(d) for j in range(i, d)}

    def analyze(messages: list[dict[tuple[int, ...], int]]) -> tuple[np.ndarray, np.ndarray]:
        vector, matrix = np.empty(d), np.empty((d, d))
        for label in messages[0]:
            ones = sum(message[label] for message in messages)
            found = largest / g * (ones - ONES * protocol.subtracted * len(messages)) - len(messages) * largest
            if len(label) == 1:
                vector[label[0]] = found
            else:
                matrix[label], matrix[label[::-1]] = found, found
        return vector, matrix

    return linucb_literal.framework(rng, features, theta, batch, ridge, radius, checkpoints, randomize, analyze)
