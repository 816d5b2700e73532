"""No pair of neighboring inputs is worse than an audit states, as far as an optimizer can find one.

Of every audit of a mechanism or a statement of a published paper, all cells of the full scale. `families.py` says what
attacks which audit.
"""

import functools
import math

import pytest

from dpbandits.planning.audits import cells, sections_of
from dpbandits.stages.audit import release_of
from tests.shipped import COMMITTED, shipped

from .families import FAMILIES

PRECISION, NOTHING = 1e-6, 1e-9  # relative and absolute, of epsilons
TIGHT = 1e-3  # relative distance of lower and upper ends up to which the adversary must come within 0.5 % of both
PROJECT = shipped("full")
ATTACKED = [
    f"{paper}/{name}"
    for paper, name in sections_of(PROJECT)
    if paper in COMMITTED and PROJECT.papers[paper].audits[name].target != "actions"
]

every_audit = pytest.mark.parametrize("audit", [each for each in ATTACKED if each in FAMILIES])


@functools.cache
def attacked(audit):
    """Cells of an audit with their releases, and what is stated of each: the bounds on epsilon. Equal cells once."""
    paper, _, name = audit.partition("/")
    found = {}
    for cell in cells(PROJECT, PROJECT.papers[paper], name):
        release = release_of(cell)
        found.setdefault((release, cell.eps, cell.delta, cell.calibration), cell)
    return [(cell, key[0], stated(*key[:3])) for key, cell in found.items()]


@functools.cache
def stated(release, eps, delta):
    """Bounds on epsilon at `delta` that a release states."""
    return release.derived(eps, delta).epsilons


def described(cell):
    """A cell in a message."""
    return f"{cell.audit}, {cell.algorithm}, {cell.calibration}, {dict(cell.point)}"


@every_audit
def test_no_pair_is_worse_than_stated(audit):
    family = FAMILIES[audit]
    for cell, release, (low, high) in attacked(audit):
        found = family.attack(cell, release, 1.0)
        says = f"{described(cell)}: the adversary found epsilon {found:.10g}, stated are {low:.10g} to {high:.10g}"
        assert found <= high * (1.0 + PRECISION) + NOTHING, f"a worse pair: {says}"
        reaches = 0.995 if math.isfinite(high) and low >= high * (1.0 - TIGHT) else family.reaches
        assert found >= reaches * low - NOTHING, f"a weak search: {says}"


@every_audit
def test_a_mechanism_with_less_noise_than_stated_is_found(audit):
    """Wherever the stated bound is tight, and else in one cell; an audit may state no bound at all."""
    family, broken = FAMILIES[audit], False
    bounded = [each for each in attacked(audit) if 0.0 < each[2][1] < math.inf]
    for cell, release, (low, high) in sorted(bounded, key=lambda each: -each[2][0] / each[2][1]):
        tight = low >= high * (1.0 - TIGHT)
        if tight or not broken:
            found = family.attack(cell, release, family.mutant)
            broken = found > high * (1.0 + PRECISION) + NOTHING
            assert broken or not tight, f"{described(cell)}: found {found:.6g} of {high:.6g} with {family.mutant}"
    assert broken or not bounded, f"{audit}: no cell is broken with {family.mutant} times the noise"
