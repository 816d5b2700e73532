"""Claims that read audits: verdicts from calculations alone, and the mutants that turn every one of them.

Records are those of the scale `quick`, with nothing shown by runs. A claim that holds must fail with less noise, and
one that fails must hold with more, or with certified noise: else it would be about something other than the noise.
"""

import functools
import math

import pytest

from dpbandits.algorithms.registry import TABLE
from dpbandits.audits.mechanisms.gaussian import Gaussian
from dpbandits.audits.mechanisms.laplace import Laplace
from dpbandits.audits.mechanisms.shuffled_laplace import ShuffledLaplace
from dpbandits.audits.release import SEARCHED
from dpbandits.audits.repair import scaled
from dpbandits.config.models.claims import AuditTest
from dpbandits.config.sections import cases
from dpbandits.planning.audits import cells
from dpbandits.privacy.auditing import ALPHA, cap, verdict_of
from dpbandits.stages.audit import heading, joint, release_of, status
from dpbandits.stages.judge import judge_closed_forms
from tests.shipped import COMMITTED, shipped

from .closed_verdicts import table

PROJECT = shipped("quick")
COINCIDES = {name: algorithm.calibrations for name, algorithm in TABLE.items()}
TIMES = (1, 2, 4, 8, 16, 32)  # that noise is halved or doubled, until the verdict turns
ALL = ("printed", "released", "certified")
VERDICTS = {
    **{("hanna2022", claim, "", each): "fails" for claim in ("C18", "C19", "C20") for each in ("printed", "tuned")},
    **{("hanna2022", claim, "", "certified"): "holds" for claim in ("C18", "C19", "C20")},
    ("hanna2022", "C20", "few_users", "printed"): "fails",
    ("hanna2022", "C20", "few_users", "certified"): "holds",
    ("chowdhury2022", "C24", "", "printed"): "holds",
    ("chowdhury2022", "C24", "", "released"): "fails",
    ("chowdhury2022", "C24", "", "certified"): "holds",
    ("chowdhury2022", "C24", "tenfold", "released"): "fails",
    **{("chowdhury2022", claim, "", "printed"): "holds" for claim in ("C32", "C33", "C34", "C35", "C36", "C37")},
    **{("chowdhury2022", claim, "", "certified"): "holds" for claim in ("C32", "C33", "C34", "C35", "C37")},
    ("chowdhury2022", "C32", "", "released"): "unclear",
    ("chowdhury2022", "C33", "", "released"): "fails",
    ("chowdhury2022", "C34", "", "released"): "fails",
    ("chowdhury2022", "C36", "", "certified"): "holds",
    **{("chen2020", claim, "", each): "holds" for claim in ("C26", "C27", "C29") for each in ("printed", "certified")},
    **{("chen2020", "C29", "least_arm", each): "holds" for each in ("printed", "certified")},
    ("chen2020", "C28", "", "printed"): "fails",
    ("chen2020", "C28", "", "certified"): "holds",
    ("chen2020", "C29", "sums_of_few_rounds", "printed"): "fails",
    ("chen2020", "C29", "sums_of_few_rounds", "certified"): "holds",
    ("hu2021", "C19", "", "printed"): "holds",
    ("hu2021", "C20", "", "printed"): "fails",
    ("hu2021", "C20", "", "certified"): "holds",
    **{("hu2021", claim, "", "printed"): "holds" for claim in ("C24", "C25")},
    **{("han2021", claim, "", each): "holds" for claim in ("C24", "C25", "C32") for each in ALL},
    **{("han2021", "C31", variant, each): "holds" for variant in ("", "all_arms") for each in ("printed", "certified")},
    **{("han2021", "C31", variant, "released"): "unclear" for variant in ("", "all_arms")},
    ("han2021", "C24", "large_budgets", "printed"): "fails",
    ("han2021", "C24", "large_budgets", "released"): "holds",
    ("han2021", "C24", "large_budgets", "certified"): "holds",
    ("han2021", "C24", "unclipped_gradients", "released"): "fails",
    ("han2021", "C24", "estimator", "released"): "fails",
    ("han2021", "C25", "gaussian_contexts", "released"): "fails",
}
"""Of the audits of a claim; what its closed forms say stands elsewhere."""


def audit_cases():
    """Paper, claim, variant and calibration -> section with its tests of audits alone, of the claims that have some.

    Of the papers with committed results: a new paper needs no entry in `VERDICTS` before it has some.
    """
    found = {}
    for key, paper in [(key, PROJECT.papers[key]) for key in COMMITTED]:
        closed = {name: claim for name, claim in paper.claims.items() if claim.kind == "audit"}
        for claim, variant, calibration, section in cases(closed):
            if tests := [test for test in section.tests_of(calibration) if isinstance(test, AuditTest)]:
                found[key, claim, variant, calibration] = section.model_copy(update={"tests": tests})
    return found


CASES = audit_cases()


def cells_of(case, calibration):
    """The cells that a claim reads at a calibration, but for their ranges."""
    return [
        cell
        for test in CASES[case].tests
        for cell in cells(PROJECT, PROJECT.papers[case[0]], test.audit)
        if cell.algorithm in (test.algorithms or [cell.algorithm])
        if cell.calibration == COINCIDES[cell.algorithm].get(calibration)
    ]


@functools.cache
def layers_of(release, eps, delta):
    """Between which the actual epsilon lies, by both calculations, and whether that is proven of all pairs."""
    one, other = release.accounted(eps, delta), release.derived(eps, delta)
    return joint(one.epsilons, other.epsilons), one.proven and other.proven


def record_of(cell, release):
    """What the stage writes that claims read."""
    epsilons, proven = layers_of(release, cell.eps, cell.delta)
    known = status(proven and cell.named, epsilons)
    verdict = verdict_of(0.0, epsilons, cell.eps, cap(cell.trials // 2, cell.delta, ALPHA))
    ends = [end if math.isfinite(end) else None for end in epsilons]
    found = {"epsilons": ends, "lower": 0.0, "verdict": verdict, "status": known, "noise": release.noise}
    return {**heading(cell, PROJECT.scale), **found, "inputs": "", "moves": None, "repair": None}


def shipped(found):
    """The records of cells."""
    return [record_of(cell, release_of(cell)) for cell in found]


def judged(case, records):
    """The verdict on the audits of a claim."""
    return judge_closed_forms(case[0], CASES[case], case[-1], records, COINCIDES)["verdict"]


# Mutants


def halved(release):
    return release.halved()


def doubled(release):
    return scaled(release, 2.0)


def noised(case, change):
    """Number of times, and the records with the noise of the cells of a claim changed so many times."""
    found = [(cell, release_of(cell)) for cell in cells_of(case, case[-1])]
    for times in range(1, TIMES[-1] + 1):
        found = [(cell, change(release)) for cell, release in found]
        if times in TIMES:
            yield times, [record_of(*each) for each in found]


def certified(case):
    """The records of certified cells in the place of those that a claim reads; none if it reads others as well."""
    found, own = cells_of(case, "certified"), cells_of(case, case[-1])
    places = [{(cell.audit, cell.algorithm, *cell.point.items()) for cell in each} for each in (found, own)]
    records = [{**each, "calibration": COINCIDES[each["algorithm"]][case[-1]]} for each in shipped(found)]
    return records if places[0] == places[1] else []


@functools.cache
def mutant(case):
    """What turns the verdict, into which one, and its records.

    Less noise turns it into `fails`; certified noise, or more, into `holds`.
    Where no epsilon holds for all neighbors, more noise takes away that the claim fails, and no more.
    """
    what, after, records = "none", VERDICTS[case], []
    if after != "fails":
        for times, records in noised(case, halved):
            what, after = said("half the noise", times), judged(case, records)
            if after == "fails":
                break
    elif records := certified(case):
        what, after = "certified noise", judged(case, records)
    else:
        for times, records in noised(case, doubled):
            what, after = said("twice the noise", times), judged(case, records)
            if after == "holds" or (after == "unclear" and without_epsilon(records)):
                break
    return what, after, records


def without_epsilon(records):
    """Whether no epsilon holds for all neighbors of some cell."""
    return any(record["epsilons"][1] is None for record in records)


def said(what, times):
    return what if times == 1 else f"{what}, {times} times"


@pytest.mark.parametrize("case", CASES, ids="/".join)
def test_verdicts(case):
    assert judged(case, shipped(cells_of(case, case[-1]))) == VERDICTS[case]


@pytest.mark.parametrize("case", CASES, ids="/".join)
def test_mutants_turn_them(case):
    what, after, records = mutant(case)
    bounded = (
        all(each["status"] != SEARCHED for each in records)
        if what == "certified noise"
        else not without_epsilon(records)
    )
    assert after == ("fails" if VERDICTS[case] != "fails" else "holds" if bounded else "unclear"), what


def test_every_verdict_is_turned(say):
    assert set(CASES) == set(VERDICTS), "add the verdicts of new audit claims to VERDICTS; delete those of removed ones"
    say(table([(case, mutant(case)[0], None, mutant(case)[1]) for case in CASES], VERDICTS))


def test_twice_the_noise_is_the_other_way_of_half():
    assert doubled(Laplace(3.0, (2.0, -2.0))) == Laplace(6.0, (2.0, -2.0))
    assert doubled(ShuffledLaplace((0.5, 0.25), (3, 9), 1e-6)) == ShuffledLaplace((1.0, 0.5), (3, 9), 1e-6)
    for reach, half in ((None, None), (4.0, 2.0), (math.inf, math.inf)):
        assert doubled(Gaussian((1.0, 0.0), (0.5, 0.0), reach)) == Gaussian((1.0, 0.0), (1.0, 0.0), half)


def test_shuffled_reports_are_refuted_by_counts_and_open_below():
    """Printed: the blanket proves eps = 0.1 and 0.2, though the paper does not; at 0.3 the bounds leave it open."""
    for calibration in ("printed", "tuned"):
        case = ("hanna2022", "C20", "", calibration)
        records = shipped(cells_of(case, calibration))
        found = judge_closed_forms("hanna2022", CASES[case], calibration, records, COINCIDES)["details"]
        assert [each["verdict"] for each in found] == ["holds", "holds", "unclear", *["fails"] * 4]


# All audits


@pytest.mark.parametrize("key", PROJECT.papers)
def test_certified_noise_keeps_every_claim(key):
    """By calculation, of all neighbors; also where it coincides with printed noise."""
    certified = 0
    for audit in PROJECT.papers[key].audits:
        found = cells(PROJECT, PROJECT.papers[key], audit)
        for record in shipped([c for c in found if c.calibration == COINCIDES[c.algorithm].get("certified")]):
            certified += 1
            assert record["epsilons"][1] is not None
            assert record["epsilons"][1] <= record["eps"] * (1.0 + 1e-9), (audit, record["point"])
            assert record["verdict"] == "consistent"
            assert record["status"] != SEARCHED, "noise is called certified only if it is proven for all neighbors"
    assert certified


PRIVATE = [name for name, algorithm in TABLE.items() if algorithm.private]


def curves_of(paper):
    """The algorithms of a paper's experiments."""
    return {entry.algorithm for experiment in paper.experiments.values() for entry in experiment.entries}


@pytest.mark.parametrize("name", PRIVATE)
def test_the_mechanism_of_every_private_algorithm_is_audited(name):
    """With every noise of its own, in a paper that runs it."""
    audited = {
        calibration
        for paper in PROJECT.papers.values()
        if name in curves_of(paper)
        for section in paper.audits.values()
        if section.target == "mechanism" and name in section.algorithms
        for calibration in section.calibrations
    }
    assert audited >= {calibration for calibration, own in COINCIDES[name].items() if calibration == own}
