"""Releases of Hanna et al.: epsilons of the specification, and the noise that the kernels draw."""

import math
from dataclasses import astuple

import numpy as np
import pytest

from dpbandits.algorithms.phased_elimination import phased_elimination_shuffled
from dpbandits.audits.constants import constants_of as constants_at
from dpbandits.audits.papers import hanna2022
from dpbandits.privacy.amplification import local_budget
from dpbandits.privacy.shuffled_laplace import shuffled_laplace_delta

from .laplace_audits import agree, constants_of, counted_epsilon

SETTING = {**constants_of("hanna2022"), "frank_wolfe": 0.0, "printed_width": 0.0, "T": 1e6}
SUMS = ["phased_elimination_central", "phased_elimination_no_core_set"]
DELTA = SETTING["delta"]


def shuffled(calibration, eps, **changes):
    return hanna2022.shuffled("phased_elimination_shuffled", calibration, {**SETTING, "eps": eps, **changes})


@pytest.mark.parametrize("calibration", ["printed", "tuned", "certified"])
@pytest.mark.parametrize("eps", [0.1, 1.0, 10.0])
def test_sums_and_reports(calibration, eps):
    """Twice the claimed epsilon, with delta 1 - e^(-eps/2) at the claimed one; certified, the claim exactly."""
    releases = [hanna2022.sums(name, calibration, {**SETTING, "eps": eps}) for name in SUMS]
    releases += [hanna2022.reports("phased_elimination_local", calibration, {**SETTING, "eps": eps})]
    twice = calibration != "certified"
    for release in releases:
        found = agree(release, eps)
        assert found.epsilons == pytest.approx(((2.0 if twice else 1.0) * eps,) * 2, rel=1e-6)
        assert found.deltas == pytest.approx((1.0 - math.exp(-0.5 * eps) if twice else 0.0,) * 2, abs=1e-7)


def test_shuffled_as_printed_is_refuted_from_four_tenths_on():
    """Counts show more than the claim from about 0.36 on, and nothing up to 0.35; the blanket proves it up to 0.2."""
    for eps, refuted in (
        (0.1, False),
        (0.2, False),
        (0.3, False),
        (0.35, False),
        (0.4, True),
        (0.5, True),
        (5.0, True),
    ):
        release = shuffled("printed", eps)
        assert (release.accounted(eps, DELTA).epsilons[0] > eps) == refuted
        assert release.shown[1] == (191 if eps == 0.1 else 297171)
    assert shuffled("printed", 0.2).accounted(0.2, DELTA).epsilons[1] < 0.2
    assert shuffled("printed", 0.3).accounted(0.3, DELTA).epsilons[1] > 0.3


def test_shuffled_by_the_events_of_the_specification():
    """At 0.5 with the threshold 1 and N >= k: refuted already; many orders of magnitude of delta at 1."""
    scale, n = shuffled("printed", 0.5).shown
    assert 0.5 < counted_epsilon(scale, n, DELTA) < shuffled("printed", 0.5).accounted(0.5, DELTA).epsilons[0]
    assert shuffled("printed", 1.0).accounted(1.0, DELTA).deltas[0] > 1e4 * DELTA


@pytest.mark.parametrize("eps", [0.1, 0.5, 1.0, 5.0])
def test_certified_shuffled_keeps_the_claim(eps):
    release = shuffled("certified", eps)
    found = agree(release, eps, DELTA)
    assert 0.999 * eps < found.epsilons[0] <= found.epsilons[1] <= eps * (1.0 + 1e-9)
    assert found.deltas[1] <= DELTA
    for scale, n in release.batches:
        assert shuffled_laplace_delta(eps + 1e-8, 2.0 / scale, n) <= DELTA


@pytest.mark.parametrize("calibration", ["printed", "certified"])
def test_few_users(calibration):
    """T = 60, up to 34 users: their reports are drawn one by one."""
    release = shuffled(calibration, 5.0, T=60.0)
    assert release.sizes == (4, 11, 34)
    found = agree(release, 5.0, DELTA)
    assert (found.epsilons[0] > 5.0) == (calibration == "printed")
    assert release.draw(np.random.default_rng(0), 1, 10).shape == (10, release.shown[1])


def test_batches_of_the_horizon():
    """q = (2T)^(1/ln T) = 2.85814 at T = 1e6, twelve batches; one more where the configuration has it."""
    release = shuffled("printed", 1.0)
    assert release.sizes[0] == 3
    assert release.sizes[-1] == pytest.approx(2.85814**12, rel=1e-4)
    assert release.sizes == tuple(math.ceil((2e6 ** (1.0 / math.log(1e6))) ** i) for i in range(1, 13))
    assert release.scales[0] == pytest.approx(1.0 / local_budget(1.0, 3, DELTA))
    assert len(shuffled("certified", 1.0, extra_batches=1.0).sizes) == 13


@pytest.mark.parametrize("calibration", ["printed", "certified"])
def test_shuffled_noise_is_that_of_the_kernel(calibration):
    """The last batch's scale in a run: printed, of a batch with at most as many more reports as actions."""
    setting = {**SETTING, "eps": 2.0, "T": 2000.0}
    constants = astuple(constants_at("phased_elimination_shuffled", calibration, setting))
    rng = np.random.default_rng(0)
    actions = rng.normal(size=(4, 2))
    actions /= np.linalg.norm(actions, axis=1)[:, None]
    reading = constants_at("phased_elimination_shuffled", calibration, setting).reading
    trace = phased_elimination_shuffled.run(rng, actions, actions[0], reading, *constants[1:], np.array([2000]))
    column = phased_elimination_shuffled.OUTPUTS.index("noise_scale")
    scales = shuffled(calibration, 2.0, T=2000.0).scales
    assert trace[0, column] == pytest.approx(scales[-1], rel=1e-12 if calibration == "certified" else 0.01)
