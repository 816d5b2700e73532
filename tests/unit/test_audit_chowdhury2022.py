"""Releases of chowdhury2022: the noise of the shipped algorithms, the worst pairs, and the epsilons at the figures."""

import math

import numpy as np
import pytest

from dpbandits.algorithms.linucb.linucb_jdp import depth
from dpbandits.audits.constants import constants_of
from dpbandits.audits.mechanisms.least_squares import farthest_contexts, lower
from dpbandits.audits.papers import chowdhury2022 as releases
from dpbandits.privacy import gaussian_scales, vector_sum
from dpbandits.privacy.sensitivities import JOINT_SENSITIVITY, message_sensitivity

from .audit_settings import setting

EPS = (0.2, 1.0, 10.0)
LOCAL, SHUFFLED, BITS, TREE = (
    "linucb_ldp",
    "linucb_sdp_amp",
    "linucb_sdp_vec",
    "linucb_jdp",
)


def of(function, algorithm, calibration, eps, **others):
    given = {"dimension": 5.0, "T": 20000.0, "eps": eps, **others}
    return function(algorithm, calibration, setting("chowdhury2022", calibration, **given))


def epsilons(function, algorithm, calibration, **others):
    return [of(function, algorithm, calibration, eps, **others).derived(eps, 0.1) for eps in EPS]


def test_local_reports():
    """Released 0.14, 3.6, 210 and deltas 0.081, 0.485, 1; printed 0, 0, 4.1; certified the nominal ones."""
    released = epsilons(releases.reports, LOCAL, "released")
    assert [truth.epsilons[0] for truth in released] == pytest.approx([0.14, 3.6, 210], rel=0.01)
    assert [truth.deltas[0] for truth in released] == pytest.approx([0.081, 0.485, 1.0], rel=0.01)
    printed = epsilons(releases.reports, LOCAL, "printed")
    assert [truth.epsilons[1] for truth in printed] == pytest.approx([0, 0, 4.1], rel=0.01)
    certified = epsilons(releases.reports, LOCAL, "certified")
    assert [truth.epsilons[1] for truth in certified] == pytest.approx(EPS, rel=1e-9)
    for calibration, scale in (
        ("printed", gaussian_scales.local_sd_printed),
        ("released", gaussian_scales.local_sd_released),
    ):
        assert of(releases.reports, LOCAL, calibration, 1.0).noise == scale(1.0, 0.1)


def test_distances_are_the_sensitivities():
    for calibration, size in (
        ("printed", JOINT_SENSITIVITY),
        ("certified", JOINT_SENSITIVITY),
        ("released", math.sqrt(12)),
    ):
        for function, algorithm in ((releases.reports, LOCAL), (releases.shuffled_reports, SHUFFLED)):
            release = of(function, algorithm, calibration, 1.0, batch=20.0)
            assert release.mu * release.noise == pytest.approx(size, rel=1e-12)


def test_released_entries():
    """z = e_1 against -e_1: y z_1 moves by -2, and z_1 times 1 in the last row by -2; noise there sqrt 2 less."""
    release = of(releases.reports, LOCAL, "released", 1.0)
    moved = [(shift, sd) for shift, sd in zip(release.shifts, release.sds, strict=True) if shift]
    sd = gaussian_scales.local_sd_released(1.0, 0.1)
    assert moved == [(-2.0, sd), (-2.0, pytest.approx(sd / math.sqrt(2), rel=1e-12))]
    assert len(release.shifts) == 20


def test_shuffled_reports():
    """Released: not certified at 0.2, refuted at 1 and 10; printed: 0, 0.07, 11.7 from above; delta 0.195 at 10."""
    released = epsilons(releases.shuffled_reports, SHUFFLED, "released", batch=20.0)
    assert released[0].deltas[0] >= 0.042
    assert released[0].deltas[1] == pytest.approx(0.41, abs=0.005)
    assert released[1].deltas[0] >= 0.936
    assert released[1].epsilons[0] >= 15
    assert released[2].epsilons[0] > 1000
    printed = epsilons(releases.shuffled_reports, SHUFFLED, "printed", batch=20.0)
    assert [truth.epsilons[1] for truth in printed] == pytest.approx([0.0, 0.068, 11.7], rel=0.03)
    assert printed[2].deltas[1] == pytest.approx(0.195, rel=0.005)
    assert printed[2].epsilons[0] < 10
    certified = epsilons(releases.shuffled_reports, SHUFFLED, "certified", batch=20.0)
    assert all(truth.epsilons[1] <= eps * (1 + 1e-9) for truth, eps in zip(certified, EPS, strict=True))


def test_shuffled_bits():
    for calibration, bits in (("certified", [527, 121, 11]), ("released", [1530, 61, 0])):
        assert [of(releases.shuffled_bits, BITS, calibration, eps, batch=20.0).noise for eps in EPS] == bits
    tenfold = [of(releases.shuffled_bits, BITS, "released", eps, batch=20.0, bits_factor=10.0).noise for eps in EPS]
    assert tenfold == [15303, 612, 6]
    printed = of(releases.shuffled_bits, BITS, "printed", 0.2, batch=20.0)
    assert printed.noise == vector_sum.bits_printed(0.2, 0.1, 20, 5)
    assert (printed.protocol.granularity, printed.protocol.largest, printed.crowd) == (9.0, 1.0, False)
    released = of(releases.shuffled_bits, BITS, "released", 1.0, batch=20.0)
    assert (released.protocol.granularity, released.crowd) == (math.sqrt(80), True)


@pytest.mark.parametrize("dimension", [10.0, 15.0])
def test_shuffled_bits_in_more_dimensions(dimension):
    """Released bits: broken for d = 10, at the edge for d = 15, and kept with ten times as many; else kept."""
    given = {"batch": 20.0, "dimension": dimension}
    once, tenfold = (
        of(releases.shuffled_bits, BITS, "released", 1.0, bits_factor=factor, **given).derived(1.0, 0.1).deltas
        for factor in (1.0, 10.0)
    )
    assert once[0] > 0.12 if dimension == 10.0 else once[0] == pytest.approx(0.1, rel=0.03)
    assert once[1] > 0.1
    assert tenfold[1] < 1e-3
    printed, certified = (
        of(releases.shuffled_bits, BITS, each, 1.0, **given).derived(1.0, 0.1) for each in ("printed", "certified")
    )
    assert printed.deltas[1] < 1e-9
    assert 1e-3 < certified.deltas[0] <= certified.deltas[1] <= 0.1
    assert 0.0 <= certified.epsilons[0] <= certified.epsilons[1] <= 1.0


def test_sums():
    """Printed 590, 118, 11.8 and far from its budget; certified 18.9, 8.92, 2.32; released nothing is hidden."""
    printed = [of(releases.sums, TREE, "printed", eps) for eps in EPS]
    assert [release.noise for release in printed] == pytest.approx([590, 118, 11.8], rel=1e-3)
    assert [release.derived(eps, 0.1).epsilons[1] for release, eps in zip(printed, EPS, strict=True)][2] < 0.6
    assert printed[0].mus == (pytest.approx(2 / printed[0].noise, rel=1e-12),) * 15
    certified = [of(releases.sums, TREE, "certified", eps) for eps in EPS]
    assert [release.noise for release in certified] == pytest.approx([18.9, 8.92, 2.32], rel=3e-3)
    found = [release.derived(eps, 0.1).epsilons for release, eps in zip(certified, EPS, strict=True)]
    assert found == [pytest.approx((eps, eps), rel=1e-9) for eps in EPS]
    released = of(releases.sums, TREE, "released", 1.0)
    assert released.derived(1.0, 0.1).epsilons == (math.inf, math.inf)
    assert released.columns == math.floor(math.log(20000)) + 1 == 10
    assert released.noise == pytest.approx(10.13, abs=0.005)


def test_the_most_that_a_node_of_the_printed_tree_moves():
    """Squares 2 - 2c + (1 - c^2) for unit vectors, and less for shorter ones: 4."""
    lengths, cosines = np.linspace(0, 1, 41), np.linspace(-1, 1, 201)
    a, b, c = np.meshgrid(lengths, lengths, cosines, indexing="ij")
    squares = a**2 + b**2 - 2 * a * b * c + 0.5 * (a**4 + b**4 - 2 * (a * b * c) ** 2)
    assert squares.max() == pytest.approx(4.0, rel=1e-12)


def test_returning_users():
    """Epsilon at most the nominal one where certified; the user's own rounds in a row from below."""
    given = {"T": 1000.0, "user_exponent": 1 / 3}
    release = of(releases.sums, TREE, "certified", 1.0, **given)
    truth = release.derived(1.0, 0.1)
    assert 0.5 < truth.epsilons[0] < truth.epsilons[1] == pytest.approx(1.0, rel=1e-9)
    assert max(release.leaves) == 10
    given = {"T": 1000.0, "batch": 0.0, "batch_exponent": 2 / 3, "returning": 1.0}
    reports = of(releases.shuffled_reports, SHUFFLED, "certified", 1.0, **given)
    assert (reports.reports, reports.batches) == (100, 10)
    assert reports.derived(1.0, 0.1).epsilons[1] == pytest.approx(1.0, rel=1e-9)
    bits = of(releases.shuffled_bits, BITS, "certified", 1.0, **given)
    assert (bits.users, bits.batches) == (100, 10)
    assert bits.derived(1.0, 0.1).epsilons[1] <= 1.0


@pytest.mark.parametrize("weight", [0.1, 0.5, 0.7, 1.0, 2.0])
def test_farthest_contexts(weight):
    first, second = farthest_contexts(weight, 3)
    assert [np.linalg.norm(x) for x in (first, second)] == pytest.approx([1.0, 1.0], rel=1e-14)
    squares = np.sum((first - second) ** 2) + weight * np.sum((lower(first) - lower(second)) ** 2)
    assert squares == pytest.approx(message_sensitivity(weight) ** 2, rel=1e-12)


def test_noise_is_that_of_the_algorithm():
    given = setting("chowdhury2022", "certified", dimension=5.0, T=20000.0, eps=1.0)
    protocol = constants_of(TREE, "certified", given).protocol
    assert of(releases.sums, TREE, "certified", 1.0).sds == (protocol.vector_sd,) * 20
    assert depth(given) == 15
