"""No pair of neighboring inputs is worse than an audit states, as far as an optimizer can find one.

Of every audit of a mechanism or a statement of a published paper, all cells of the full scale. `families.py` says what
attacks which audit.
"""

import functools
import math

import numpy as np
import pytest

from dpbandits.planning.audits import cells, sections_of
from dpbandits.stages.audit import release_of
from tests.shipped import COMMITTED, shipped

from .families import FAMILIES, gaps

PRECISION, NOTHING = 1e-6, 1e-9  # relative and absolute, of epsilons
TIGHT = 1e-3  # relative distance of lower and upper ends up to which the adversary must come within 0.5 % of both
UNBOUNDED = 20.0  # that the adversary must find where the lower end is infinite: odds of e^20 hide nothing
PROJECT = shipped("full")
AUDITS = {
    f"{paper}/{name}": PROJECT.papers[paper].audits[name] for paper, name in sections_of(PROJECT) if paper in COMMITTED
}

every_audit = pytest.mark.parametrize("audit", list(FAMILIES))


def released(audit):
    """Cells of an audit with their releases, equal ones once."""
    paper, _, name = audit.partition("/")
    found = {}
    for cell in cells(PROJECT, PROJECT.papers[paper], name):
        release = release_of(cell)
        found.setdefault((release, cell.eps, cell.delta, cell.algorithm, cell.calibration), (cell, release))
    return list(found.values())


@functools.cache
def attacked(audit):
    """Cells of an audit with their releases, and what is stated of each: the bounds on epsilon."""
    return [(cell, release, stated(release, cell.eps, cell.delta)) for cell, release in released(audit)]


@functools.cache
def stated(release, eps, delta):
    """Bounds on epsilon at `delta` that a release states."""
    return release.derived(eps, delta).epsilons


def described(cell):
    """A cell in a message."""
    return f"{cell.audit}, {cell.algorithm}, {cell.calibration}, {dict(cell.point)}"


def test_every_audit_of_a_published_paper_has_an_adversary():
    assert not (missing := gaps(AUDITS)), "\n".join(missing)


def test_an_audit_without_an_adversary_is_named():
    """A new mechanism, new actions, actions of another algorithm than the mechanism's, and an audit that is gone."""
    mechanism, actions = AUDITS["hanna2022/sums"], AUDITS["hanna2022/actions"]
    reports = AUDITS["hanna2022/reports"]
    assert gaps({**AUDITS, "new2099/sums": mechanism, "new2099/actions": actions}) == [
        "new2099/sums has no adversary: add its family to FAMILIES of tests/adversary/families.py",
        "new2099/actions is about actions: add the audit of the mechanism that it post-processes to COVERED_BY of "
        "tests/adversary/families.py",
    ]
    (line,) = gaps({**AUDITS, "hanna2022/sums": reports})
    assert line.startswith("hanna2022/actions is about phased_elimination_central, hanna2022/sums is not")
    (line,) = gaps({name: each for name, each in AUDITS.items() if name != "hanna2022/reports"})
    assert line == "hanna2022/reports is no audit: remove it from families.py"


@every_audit
def test_no_pair_is_worse_than_stated(audit, say):
    """Where the adversary does not come close to what is stated, it says how close."""
    family, parts = FAMILIES[audit], []
    for cell, release, (low, high) in attacked(audit):
        found = family.attack(cell, release, 1.0)
        says = f"{described(cell)}: the adversary found epsilon {found:.10g}, stated are {low:.10g} to {high:.10g}"
        assert found <= high * (1.0 + PRECISION) + NOTHING, f"a worse pair: {says}"
        if 0.0 < high < math.inf:
            parts.append(found / high)
        reaches = 0.995 if math.isfinite(high) and low >= high * (1.0 - TIGHT) else family.reaches
        assert found >= reaches * (low if math.isfinite(low) else UNBOUNDED) - NOTHING, f"a weak search: {says}"
    if parts and min(parts) < 0.995:
        say(f"adversary: {audit}: found {min(parts):.3f} to {max(parts):.3f} of the stated epsilons")


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


def opposite(weight, dimension):
    """Two opposite contexts, which are not the farthest apart in x x' and r x."""
    return np.eye(dimension)[0], -np.eye(dimension)[0]


@pytest.mark.parametrize(
    ("name", "mistake", "audit"),
    [
        ("papers.han2021.farthest_contexts", opposite, "han2021/least_squares_message"),
        ("papers.chowdhury2022.farthest_contexts", opposite, "chowdhury2022/sums"),
        ("papers.hanna2022.RANGE", 1.9, "hanna2022/reports"),
        ("mechanisms.laplace_tree.layers", lambda horizon: horizon.bit_length() - 1, "chen2020/trees_short"),
    ],
)
def test_a_mistake_in_the_stated_pair_is_found(name, mistake, audit, monkeypatch):
    """Inputs of a release that are not the worst, in at least one cell."""
    monkeypatch.setattr(f"dpbandits.audits.{name}", mistake)
    found = [
        FAMILIES[audit].attack(cell, release, 1.0) > release.derived(cell.eps, cell.delta).epsilons[1] + PRECISION
        for cell, release in released(audit)
    ]
    assert any(found)
