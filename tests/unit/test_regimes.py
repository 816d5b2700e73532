"""Horizons before the regime of a claim: they decide nothing, and a claim with no others says why."""

import math

import numpy as np
import pytest

from dpbandits.algorithms.glm_multi import ldp_ols_multi
from dpbandits.claims.closed_forms.han2021.noise import constants, ldp_ucb_sd
from dpbandits.claims.closed_forms.han2021.regularization import bonus, shift_over_root
from dpbandits.claims.gates import Left, left_of
from dpbandits.claims.statistical import judge_claim
from dpbandits.config.models.claims import Late, Rules, Statistical
from dpbandits.config.models.experiments import Regime
from dpbandits.text.text import decided, wants
from tests.shipped import shipped
from tests.shown import calm

from .sections import claim_of, comparison_of
from .small import FILE, PAPER, changed, fault, write_project

HORIZONS = [100, 1000, 10_000, 100_000]
CLAIM = {"kind": "statistical", "class": "upper_rate", "experiment": "one", "tests": []}
LATE = {"since": 5e9, "reason": "The bonus is larger than any reward."}


def slope(**replaced):
    return {
        "reading": "exponent",
        "predicate": "slope_between",
        "curves": ["x"],
        "along": "T",
        "bounds": [None, 0.6],
        "at": {"T": HORIZONS},
        **replaced,
    }


def section(regime=None, **replaced) -> Statistical:
    return claim_of(CLAIM | {"tests": [slope()]} | replaced | ({"regime": regime} if regime else {}))


def sample(curve, setting, column="regret"):
    """Regret that is linear before 1,000 rounds and constant thereafter, of ten seeds with a little noise."""
    noise = 1.0 + 0.001 * np.arange(10.0)
    return np.arange(10.0) if column == "seed" else min(setting["T"], 1000.0) * noise


def late(since):
    return Late(Regime(since=since, reason="r"), 0.0)


def judged(claim):
    return judge_claim(claim, "printed", Rules(), sample, calm)


def test_a_horizon_before_the_regime_is_left_out_and_listed():
    test = comparison_of(slope())
    found = left_of([test], (), sample, late(1000))
    (left,) = found.tests
    assert left is not None
    assert [setting["T"] for setting in left.settings] == HORIZONS[1:]
    assert found.early == ("horizon of 100 rounds, before the regime",)
    assert left_of([test], (), sample) == left_of([test], (), sample, late(100)) == Left((test,))


def test_what_the_regime_leaves_out_does_not_decide():
    """The first horizons grow linearly and would refute the claim by themselves."""
    early = slope(at={"T": HORIZONS[:2]})
    assert judged(section(tests=[early]))["verdict"] == "fails"
    found = judged(section({"since": 1000, "reason": "r"}))
    assert (found["verdict"], found["estimate"]) == ("holds", pytest.approx(0.0, abs=1e-9))
    assert found["unresolved"] == ["horizon of 100 rounds, before the regime"]


@pytest.mark.parametrize(("horizon", "verdict"), [(2000.0, "holds"), (500.0, "not_tested")])
def test_a_setting_without_a_horizon_has_that_of_the_experiment(horizon, verdict):
    test = {"predicate": "ordered", "curves": ["x", "y"], "equivalent": 0.03, "at": {"eps": [1]}}
    claim = section({"since": 1000, "reason": "r"}, tests=[{"reading": "r", **test}])

    def two(curve, setting, column="regret"):
        return np.arange(10.0) if column == "seed" else (1.0 + (curve == "y")) * (5.0 + 0.001 * np.arange(10.0))

    assert judge_claim(claim, "printed", Rules((), {"one": horizon}), two, calm)["verdict"] == verdict


@pytest.mark.parametrize("since", [100_001, 5e9])
def test_a_claim_whose_horizons_all_end_before_the_regime_is_not_tested_and_says_why(since):
    found = judged(section(LATE | {"since": since}))
    assert (found["verdict"], found["details"]) == ("not_tested", [])
    assert found["needs"] == {"what": "regime", "seeds": None, "since": since, "reason": LATE["reason"]}
    record = found | {"paper": "one2020", "scale": "full"}
    assert "before the theorem's regime begins" in decided(record)
    assert wants(record).endswith("rounds on: The bonus is larger than any reward.")


def test_a_regime_that_leaves_too_few_horizons_for_a_slope_is_asked_for_as_well():
    found = judged(section({"since": 10_000, "reason": "r"}))
    assert (found["verdict"], found["needs"]["what"]) == ("not_tested", "regime")


def test_horizons_that_are_not_played_are_asked_for_where_the_regime_has_enough():
    def cut(curve, setting, column="regret"):
        return sample(curve, setting, column) if setting["T"] < 5000 else np.zeros(0)

    regime = {"since": 1000, "reason": "r"}
    found = judge_claim(section(regime), "printed", Rules(), cut, calm)
    assert (found["verdict"], found["needs"]["what"]) == ("not_tested", "unplayed")


def test_a_variant_has_a_regime_of_its_own_or_none():
    variants = {
        "none": {"note": "n", "subject": "paper"},
        "own": {"note": "n", "subject": "paper", "regime": LATE | {"since": 2000}},
    }
    cases = dict(section(LATE, variants=variants).cases())
    since = {name: case.regime.since if case.regime else None for name, case in cases.items()}
    assert since == {"": 5e9, "none": None, "own": 2000}


def test_a_regime_that_leaves_out_no_horizon_is_a_fault(tmp_path):
    """The shortest horizon of the variant is 100 rounds."""
    key = "claims.C2.variants.grows.regime"
    says = f"{FILE}: {key}.since: got 100; no horizon of the tests is shorter than 100. Delete `regime`."
    assert fault(write_project(tmp_path, changed(PAPER, key, {"since": 100, "reason": "r"}))) == says


# The regimes of han2021: the earliest of all settings that a claim compares


def regime_of(claim, variant=""):
    found = dict(shipped("full").papers["han2021"].claims[claim].cases())[variant]
    assert found.regime is not None
    return found.regime.since


@pytest.mark.parametrize(("variant", "part"), [("", 1.0), ("tenth", 0.1)])
def test_the_bonus_of_the_rival_exceeds_the_range_of_rewards_before_the_regime(variant, part):
    """Ten unit vectors in the plane, least eigenvalue 0.122 of the played one's; rewards lie between -1 and 1."""
    since = regime_of("C18", variant)
    found = [
        part * bonus(ldp_ucb_sd(calibration, 0.01, eps), 1e6, 2, since, 0.122)
        for calibration in ("printed", "certified")
        for eps in (1.0, 5.0)
    ]
    assert min(found) == pytest.approx(2.0, rel=0.02)


@pytest.mark.parametrize(("claim", "horizon", "eps"), [("C14", 1e6, 1.0), ("C15", 1e5, 2.0)])
def test_the_regularization_exceeds_the_data_before_the_regime(claim, horizon, eps):
    """With a margin of exponent 1 the contexts of the better arm have least eigenvalue E U^2 / 4 = 1/12."""
    found = [shift_over_root(calibration, horizon, 2, 0.01, eps) for calibration in ("printed", "certified")]
    assert min(found) / math.sqrt(regime_of(claim, "least_squares")) == pytest.approx(1 / 12, rel=0.01)


def regularization(calibration, eps, **setting):
    """c~ of every arm with a parameter for each."""
    return constants(ldp_ols_multi, calibration, eps, 0.1, **setting).rules.shift


def test_the_regularization_of_every_arm_exceeds_its_data_before_the_regime():
    """Each of two arms is the best on half of the circle, where E (x' v)^2 = 1/2 for every v: 1/4 of all rounds."""
    found = regularization("certified", 2.0, T=1e5, arms=2.0, dimension=2.0)
    assert found / math.sqrt(regime_of("C34", "least_squares")) == pytest.approx(1 / 4, rel=0.01)


def test_the_regularization_of_one_of_three_arms_exceeds_its_data_before_the_regime():
    """One of three arms is the best in at most a third of the rounds, so that its least eigenvalue is at most 1/15."""
    found = [regularization(each, 1.0, T=31623.0, arms=3.0, dimension=5.0) for each in ("printed", "certified")]
    assert min(found) / math.sqrt(regime_of("C33", "least_squares")) == pytest.approx(1 / 15, rel=0.01)
