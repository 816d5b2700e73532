"""LinUCB with shuffled bits, P_Vec: Algorithms 1 and 5 to 7 of Chowdhury and Zhou, arXiv 2202.05567.

    R*  of x in [0, 2 Delta]: the integer next below or above x g / Delta, unbiased, and Bin(b, 1/4), as ones among bits
    R1  R* of every [x y]_k + Delta, labelled k     R2  R* of every [x x']_ij + Delta, i <= j, labelled ij
    S   permutes all bits of a batch, and groups them by label
    A   Delta/g (ones - b B / 4) - B Delta for every label; the matrix by symmetry

g = max(2 sqrt B, d, 4), b = 24e4 g^2 ln^2(4 (d^2 + 1) / delta) / (eps^2 B) (Theorem C.1), both rounded up; for
returning users b = 1e7 ln(2 / delta) g^2 T ln^2(8 T (d^2 + 1) / (B delta)) / (eps^2 B^2) (Theorem E.5). The paper's
R* has g + b bits, though an entry shifted by Delta needs up to 2 g + b; the sums are those of 2 g + b bits.

`certified`: the fewest bits for which the exact privacy loss of all sums together proves (eps, delta)-DP; M times as
many for returning users. Released: g is not rounded, b = factor g^2 ln^2(d / delta) / (eps^2 B) is a real number
(`released_noise`, `bits_factor`), of which NumPy draws the whole part while the analyser subtracts the mean of all of
it (`fractional_bits`); Delta is the largest norm sqrt 2, Gamma = ln(d / delta) sqrt(T d) / (4 eps sqrt B), ridge 2
Gamma.

Privacy: the shuffled bits of a batch are (eps, delta)-DP for ||x|| <= 1, y in [0, 1], at the calibration `certified`.
Cost: as `linucb_local`, with one or two binomials for every entry of a batch.
"""

import math
from collections.abc import Mapping

import numpy as np
from numpy.random import Generator

from dpbandits.algorithms import linucb_framework, linucb_literal
from dpbandits.algorithms.linucb_constants import Params as Params
from dpbandits.algorithms.linucb_constants import batch_of, batches_of, params_of
from dpbandits.algorithms.linucb_framework import OUTPUTS as OUTPUTS
from dpbandits.algorithms.linucb_framework import Radius
from dpbandits.algorithms.linucb_protocol import ONES, VECTOR_SUM, Protocol
from dpbandits.privacy import vector_sum
from dpbandits.privacy.mechanisms import VectorSumRequest

run = linucb_framework.run


def requests(setting: Mapping[str, float]) -> dict[str, VectorSumRequest]:
    """What `certified` asks for: the number of noise bits of every entry."""
    batches = batches_of(setting) if setting["returning"] else 1
    d, batch = int(setting["dimension"]), batch_of(setting)
    return {"bits": VectorSumRequest("vector_sum", setting["eps"], setting["delta"], batch, d, batches)}


def params(calibration: str, setting: Mapping[str, float], noise: Mapping[str, float]) -> Params:
    """Constants at one point of a grid; `noise` answers `requests` for `certified`."""
    eps, delta, d, batch = setting["eps"], setting["delta"], int(setting["dimension"]), batch_of(setting)
    factor, largest = setting["bits_factor"], setting["norm"]
    levels, bits = vector_sum.levels(batch, d), vector_sum.bits_printed(eps, delta, batch, d)
    if setting["returning"]:
        bits = vector_sum.bits_returning(eps, delta, batch, d, setting["T"])
    if calibration == "certified":
        bits = noise["bits"]
    elif setting["released_noise"]:
        levels = vector_sum.levels_released(batch, d)
        bits = vector_sum.bits_released(eps, delta, batch, d, factor)
    subtracted = bits if setting["fractional_bits"] else float(math.floor(bits))
    protocol = Protocol(VECTOR_SUM, 0.0, 0.0, 0.0, levels, math.floor(bits), subtracted, largest)
    total = math.sqrt(batches_of(setting) * vector_sum.variance_printed(batch, bits, levels, largest))
    gamma = 0.25 * math.log(d / delta) / (eps * math.sqrt(batch)) * math.sqrt(setting["T"] * d)
    return params_of(setting, protocol, total, gamma, 2.0 * gamma)


def run_literal(
    rng: Generator,
    features: np.ndarray,
    theta: np.ndarray,
    batch: int,
    ridge: float,
    radius: Radius,
    protocol: Protocol,
    checkpoints: np.ndarray,
) -> np.ndarray:
    """The same, round by round, with one number of ones for every label and user; returns the regret, as `run`."""
    d, g, largest = len(theta), protocol.levels, protocol.largest

    def report(entry: float) -> int:
        scaled = (entry + largest) * g / largest
        below = math.floor(scaled)
        return below + int(rng.random() < scaled - below) + int(rng.binomial(protocol.bits, ONES))

    def randomise(x: np.ndarray, y: float) -> dict[tuple[int, ...], int]:
        vector = {(i,): report(x[i] * y) for i in range(d)}
        return vector | {(i, j): report(x[i] * x[j]) for i in range(d) for j in range(i, d)}

    def analyse(messages: list[dict[tuple[int, ...], int]]) -> tuple[np.ndarray, np.ndarray]:
        vector, matrix = np.empty(d), np.empty((d, d))
        for label in messages[0]:
            ones = sum(message[label] for message in messages)
            found = largest / g * (ones - ONES * protocol.subtracted * len(messages)) - len(messages) * largest
            if len(label) == 1:
                vector[label[0]] = found
            else:
                matrix[label], matrix[label[::-1]] = found, found
        return vector, matrix

    return linucb_literal.framework(rng, features, theta, batch, ridge, radius, checkpoints, randomise, analyse)
