"""Every entry of certified noise, of every curve of every paper at the scale `full`, checked against its guarantee.

The noise comes from the accountant of the stage calibrate; the epsilon here from the closed forms and sums of the
audits.
"""

import functools

import pytest

from dpbandits.audits.mechanisms.gaussian import Gaussian
from dpbandits.audits.mechanisms.laplace import Laplace
from dpbandits.audits.mechanisms.shuffled_gaussian import ShuffledGaussian
from dpbandits.audits.mechanisms.shuffled_laplace import RANGE, summed_delta
from dpbandits.audits.mechanisms.vector_sum import VectorSum, tried_pairs
from dpbandits.base.registry import ALGORITHMS
from dpbandits.config.grid import every_curve
from dpbandits.privacy import vector_sum
from dpbandits.privacy.accounting import least_noise
from dpbandits.privacy.sensitivities import JOINT_SENSITIVITY
from dpbandits.stages.calibrate import certified
from tests.shipped import shipped

from .test_audit_vector_sum import protocol

PROJECT = shipped("full")
LARGE = 300.0  # beyond it shuffling proves nothing


@functools.cache
def requests(key):
    """What the certified curves of a paper ask for, each once."""
    found = {}
    for curve in every_curve(PROJECT, PROJECT.papers[key]):
        if curve.calibration == "certified":
            algorithm = ALGORITHMS.module(curve.algorithm)
            found |= {request: None for point in curve.settings() for request in algorithm.requests(point).values()}
    return list(found)


def epsilon(request, noise):
    """The largest epsilon at the stated delta, of whatever neighbors its audit is about."""
    if request.mechanism == "laplace":
        return Laplace(noise, (request.sensitivity,)).derived(request.eps, request.delta).epsilons[1]
    if request.mechanism == "gaussian":
        return Gaussian((request.sensitivity,), (noise,)).derived(request.eps, request.delta).epsilons[1]
    if request.mechanism == "shuffled_gaussian":
        return (
            ShuffledGaussian((request.sensitivity,), (noise,), request.n)
            .derived(request.eps, request.delta)
            .epsilons[1]
        )
    if request.mechanism == "report_noisy_max":
        return 2.0 * request.sensitivity / noise
    assert request.mechanism == "vector_sum"
    pairs = [tuple(tuple(map(float, each)) for each in pair) for pair in tried_pairs(False, request.dimension)]
    shipped = protocol(int(noise), vector_sum.granularity(request.n, request.dimension))
    users = request.n, shipped, request.dimension, JOINT_SENSITIVITY
    release = VectorSum(tuple(pairs), False, *users, request.batches)
    return release.derived(request.eps, request.delta).epsilons[1]


def keeps(request, noise):
    """Whether the guarantee holds with so much noise; of shuffled reports alone, or by the blanket."""
    if request.mechanism != "shuffled_laplace":
        return epsilon(request, noise) <= request.eps * (1.0 + 1e-9)
    assert request.sensitivity == RANGE
    local = RANGE / noise
    if local <= request.eps * (1.0 + 1e-9):
        return True
    return request.eps < LARGE and summed_delta(noise, request.n, request.eps) <= request.delta


@pytest.mark.parametrize("key", [key for key in PROJECT.papers if requests(key)])
def test_every_entry_keeps_its_guarantee(key):
    assert requests(key)
    for request in requests(key):
        assert keeps(request, certified(request)), request


@pytest.mark.parametrize("key", [key for key in PROJECT.papers if requests(key)])
def test_nine_tenths_of_the_noise_are_not_enough(key):
    """But for the vector sum's, which is more than is needed."""
    least = [request for request in requests(key) if request.mechanism != "vector_sum"]
    assert least
    kept = [request for request in least if keeps(request, 0.9 * least_noise(request))]
    assert len(kept) <= 0.1 * len(least), kept
