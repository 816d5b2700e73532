"""What runs show of every audit of the configuration, against what is proven: at the scale `smoke`, with fresh streams.

All bounds of a test hold together with a probability of at least 95 %: m cells share it evenly, which is the first step
of Holm's procedure, so that where no bound breaks a claim none is rejected.
"""

import functools

import pytest

from dpbandits.audits.learned import learned_scores
from dpbandits.planning.audits import cells
from dpbandits.privacy.auditing import epsilon_bound
from dpbandits.stages.audit import EPSILONS_AGREE, agree, joint, release_of, scores_of, truths
from tests.shipped import shipped

PROJECT = shipped("smoke")
SEED = 20260101
CELLS = {
    (cell.audit, cell.algorithm, cell.calibration, cell.id): cell
    for paper in PROJECT.papers.values()
    for name in paper.audits
    for cell in cells(PROJECT, paper, name)
}
EACH = 0.05 / len(CELLS)


@functools.cache
def found(key):
    """The bound by runs, and the epsilons by both calculations."""
    cell = CELLS[key]
    release = release_of(cell)
    first, second = (scores_of(release, cell, SEED, side, 0) for side in (0, 1))
    if first.ndim > 1:
        first, second = learned_scores(first, second)
    both = truths(release, cell.eps, cell.delta)
    return epsilon_bound(first, second, cell.delta, EACH).epsilon, both


@pytest.mark.parametrize("key", CELLS, ids=lambda key: "-".join(key).replace("/", "-"))
def test_no_lower_bound_lies_above_an_upper_one(key):
    shown, both = found(key)
    assert agree(*both)
    for one in both:
        for other in both:
            assert one.epsilons[0] <= other.epsilons[1] * (1.0 + EPSILONS_AGREE)
            assert one.deltas[0] <= other.deltas[1] + 1e-6
    assert shown <= joint(*(truth.epsilons for truth in both))[1] * (1.0 + EPSILONS_AGREE)


@pytest.mark.parametrize(
    "key", [key for key in CELLS if key[2] == "certified"], ids=lambda key: "-".join(key).replace("/", "-")
)
def test_certified_noise_is_never_found_at_fault(key):
    shown, both = found(key)
    assert shown <= CELLS[key].eps
    assert joint(*(truth.epsilons for truth in both))[1] <= CELLS[key].eps * (
        1.0 + 1e-9
    )  # of the pairs tried, at least
