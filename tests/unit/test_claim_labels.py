"""Whose words, whose threshold, about whom: what claims say of themselves, and what records and texts make of it."""

import numpy as np
import pytest
from scipy import stats

from dpbandits.claims.verdicts import typical
from dpbandits.config.models.claims import Rules
from dpbandits.stages.judge import fails_by_ours as marked_as_ours
from dpbandits.stages.judge import judge_claim, parts_of
from dpbandits.text.text import counted, flips, in_typical_run, marked, own_claims, unseen, wants, worded
from tests.shown import calm

from .sections import WORDS, claim_of
from .small import DELETE, FILE, PAPER, changed, faults_of, write_project

LABELS = ("statement", "where", "source", "class", "threshold_from", "threshold_reason", "subject", "could_fail")
RNG = np.random.default_rng(5)


@pytest.mark.parametrize("key", LABELS)
def test_a_claim_without_a_label_is_refused(tmp_path, key):
    (line,) = faults_of(write_project(tmp_path, changed(PAPER, f"claims.C1.{key}", DELETE)))
    assert line.startswith(f"{FILE}: claims.C1.{key}: required key is missing. Add")


def test_a_variant_says_who_it_is_about(tmp_path):
    (line,) = faults_of(write_project(tmp_path, changed(PAPER, "claims.C2.variants.grows.subject", DELETE)))
    assert line.startswith(f"{FILE}: claims.C2.variants.grows.subject: required key is missing. Add one of: paper, ")


@pytest.mark.parametrize(
    ("along", "bounds", "says"),
    [
        ("T", [None, 1], ""),
        ("T", [0, 1], "got [0, 1]; must be [null, x], since"),
        ("T", [0, None], "got [0, null]; must be [null, x], since"),
        ("eps", [-1, None], ""),
        ("eps", [-1, 0], "got [-1, 0]; must be [x, null], since"),
        ("eps", [None, 0], "got [null, 0]; must be [x, null], since"),
    ],
)
def test_an_upper_rate_is_bounded_against_faster_growth_alone(tmp_path, along, bounds, says):
    """Regret grows with T and as eps falls."""
    place, at = {
        "T": ("claims.C2.variants.grows", {"arms": [4], "T": [100, 1000], "eps": [1]}),
        "eps": ("claims.C1", {"eps": [0.5, 1, 10]}),
    }[along]
    test = {"reading": "r", "predicate": "slope_between", "curves": ["phased_elimination_central"], "along": along}
    record = changed(
        changed(PAPER, f"{place}.class", "upper_rate"), f"{place}.tests", [{**test, "at": at, "bounds": bounds}]
    )
    found = [line for line in faults_of(write_project(tmp_path, record)) if ".bounds" in line]
    assert len(found) == bool(says)
    assert all(line.startswith(f"{FILE}: {place}.tests[0].bounds: {says}") for line in found), found


def test_an_upper_rate_is_not_compared_with_an_average(tmp_path):
    test = {"reading": "r", "predicate": "flat", "curves": ["phased_elimination_central"], "over": "T"}
    place, at = "claims.C2.variants.grows", {"arms": [4], "T": [100, 1000], "eps": [1]}
    record = changed(PAPER, f"{place}.tests", [{**test, "at": at, "bounds": [None, 2]}])
    for kind, refused in (("exact_rate", False), ("upper_rate", True)):
        found = faults_of(write_project(tmp_path / kind, changed(record, f"{place}.class", kind)))
        assert [line for line in found if ".predicate" in line] == refused * [
            f"{FILE}: {place}.tests[0].predicate: `flat` also fails for slower growth, which never refutes an "
            "`upper_rate`. Use `ratio_between`."
        ]


@pytest.mark.parametrize(("source", "refused"), [("theorem", True), ("stated", False), ("figure", False)])
def test_medians_do_not_decide_a_theorem(tmp_path, source, refused):
    record = changed(changed(PAPER, "claims.C1.source", source), "claims.C1.tests.0.statistic", "median")
    found = faults_of(write_project(tmp_path, record))
    said = f"{FILE}: claims.C1.tests[0].statistic: got 'median'; a theorem is about means"
    assert [line.startswith(said) for line in found] == [True] * refused


@pytest.mark.parametrize(
    ("calibration", "subject", "about"),
    [
        ("printed", "paper", "paper"),
        ("certified", "paper", "paper"),
        ("released", "paper", "released_code"),
        ("released", "variant_of_ours", "variant_of_ours"),
        ("tuned", "paper", "variant_of_ours"),
        ("printed", "released_code", "released_code"),
    ],
)
def test_constants_of_ours_make_a_variant_of_ours(calibration, subject, about):
    assert ordered(subject=subject).subject_at(calibration) == about
    assert parts_of(ordered(subject=subject), calibration)["subject"] == about


def ordered(**labels):
    """A claim that x has less regret than y."""
    test = {"reading": "r", "predicate": "ordered", "curves": ["x", "y"], "at": {"eps": [1]}}
    return claim_of({"kind": "statistical", "experiment": "study", "tests": [test], **labels})


def judged(x, y, **labels):
    """The claim judged on two samples."""
    rows = {"x": np.asarray(x, dtype=float), "y": np.asarray(y, dtype=float)}
    claim = ordered(**labels)
    found = judge_claim(claim, "printed", Rules(), lambda curve, *_: rows[curve], calm)
    return found | {"by_our_threshold": marked_as_ours(claim, found)}


def test_a_failure_is_ours_where_the_threshold_is():
    worse, better = 2.0 + 0.1 * RNG.normal(size=20), 1.0 + 0.1 * RNG.normal(size=20)
    of_paper = judged(worse, better, threshold_from="paper")
    of_ours = judged(worse, better, threshold_from="ours")
    holds = judged(better, worse, threshold_from="ours")
    assert [(each["verdict"], each["by_our_threshold"]) for each in (of_paper, of_ours, holds)] == [
        ("fails", False),
        ("fails", True),
        ("holds", False),
    ]
    assert [worded(marked(each)) for each in (of_paper, of_ours, holds)] == ["fails", "fails by our threshold", "holds"]


def test_curves_within_a_twentieth_are_tied_and_fail_by_our_threshold():
    """An order between curves that are all but equal is not unclear for ever, whoever set its threshold."""
    x = 1.0 + 0.001 * RNG.normal(size=30)
    near, far = judged(x, x + 0.03, threshold_from="paper"), judged(x + 0.03, x, threshold_from="paper")
    same = judged(x, x[::-1], threshold_from="paper")
    assert (near["verdict"], far["verdict"], far["by_our_threshold"]) == ("holds", "fails", False)
    assert (same["verdict"], same["by_our_threshold"], same["details"][0]["tied"]) == ("fails", True, True)
    low, high = same["details"][0]["equivalent"]
    assert (-low, high) == pytest.approx((0.05 * x.mean(), 0.05 * x.mean()))
    other = judged(x, x[::-1], **{"class": "judgement"})
    assert other["verdict"] == "unclear"


def test_a_typical_run_is_judged_by_the_share_of_runs():
    """19 of 20 runs are as claimed, while one run of 100 makes the mean larger."""
    x, y = np.full(20, 1.0), np.full(20, 2.0)
    x[3] = 100.0
    found = judged(x, y)
    assert found["verdict"] != "holds"
    assert (found["typical_run"], found["details"][0]["typical"]) == ("holds", [19, 20])
    assert in_typical_run(found["details"][0]) == "19 of 20 runs"
    assert (judged(y, x)["typical_run"], judged([1.0] * 8, [1.0] * 8)["typical_run"]) == ("fails", "not_tested")


@pytest.mark.parametrize("runs", [8, 12, 40])
def test_limits_of_a_typical_run_are_those_of_a_binomial_test(runs):
    for count in range(runs + 1):
        low, high = stats.binomtest(count, runs).proportion_ci(0.95)
        assert typical((count, runs)) == ("holds" if low > 0.5 else "fails" if high < 0.5 else "unclear")


def test_variants_of_ours_are_counted_apart():
    about = ("paper", "released_code", "variant_of_ours")
    records = [{"verdict": "fails", "by_our_threshold": ours, "subject": each} for each in about for ours in (0, 1)]
    assert len(own_claims(records)) == 4
    assert counted(own_claims(records)) == {"holds": 0, "fails": 2, "fails_ours": 2, "unclear": 0, "not_tested": 0}


def test_thresholds_at_which_a_verdict_flips_in_words():
    ends = {"low": {"holds": 0.5, "fails": 2.0}, "high": {"holds": 1.25, "fails": None}}
    said = "lower threshold: holds up to 0.5, fails above 2; upper threshold: holds from 1.25 on"
    assert flips({"flips_at": ends}) == said
    assert flips({"flips_at": {}}) == ""


def test_what_may_not_have_been_seen_in_words():
    said = "the runs may have missed kinds of runs rarer than 1 in 72"
    turned = {"resolution": 3 / 216, "turning_size": 21.34}
    assert unseen(turned) == (f"{said}; one with 21 times the mean regret of its cell would change the verdict")
    assert unseen(turned | {"turning_size": 123456.0}).endswith(
        "; one with 120,000 times the mean regret of its cell would change the verdict"
    )
    assert unseen(turned | {"turning_size": None}) == said
    assert unseen({"resolution": None, "turning_size": None}) == ""


def test_a_forecast_says_how_likely_it_is():
    of_full = {"scale": "full", "paper": "hu2021"}
    said = wants({**of_full, "needs": {"what": "runs", "seeds": 40, "cost": 12.0}})
    assert said == "enough runs to show rare kinds of runs: 40 seeds in all, 12 more CPU seconds"
    of_quick = {**of_full, "scale": "quick", "needs": {"what": "runs", "seeds": 40, "cost": 12.0}}
    assert wants(of_quick).endswith("12 more CPU seconds; `make full PAPER=hu2021` plays more")
    said = wants({**of_full, "needs": {"what": "seeds", "seeds": 40, "cost": 12.0}})
    assert said == "about 40 seeds in all (enough in half of all cases, twice as many in most), 12 more CPU seconds"


def test_words_of_samples_are_those_of_the_schema():
    assert set(LABELS) <= set(WORDS)
