"""The recorded audits of many mechanisms: what they show, where they are shown, and that they come out alike here."""

import pytest
from scipy import stats

from .own_broken import BROKEN
from .own_mechanisms import RATE, SEEDS, VERDICTS, audited, errors
from .own_mechanisms_record import PAGE, page, read
from .own_private import PRIVATE

RECORD = read()
ALL = [*zip(PRIVATE, RECORD["private"], strict=True), *zip(BROKEN, RECORD["broken"], strict=True)]
CERTAIN = [each for each in ALL if not each[0].hidden]
QUICK = ("Laplace noise", "randomized response", "raw data with probability 0.001", "half of the noise")
OF_NAME = {own.what: (own, row) for own, row in ALL}
UNLIKELY = 1e-4


def test_the_record_is_of_these_mechanisms():
    assert len(OF_NAME) == len(ALL)
    for own, row in ALL:
        assert (row["what"], row["eps"], row["delta"], row["trials"]) == (own.what, own.eps, own.delta, own.trials)
        assert len(row["verdicts"]) == SEEDS
    assert len(PRIVATE) >= 20
    assert len([own for own in BROKEN if not own.hidden]) >= 20


def test_no_private_mechanism_is_violated_and_broken_ones_are_in_19_of_20_seeds():
    for row in RECORD["private"]:
        assert VERDICTS["violated"] not in row["verdicts"], row["what"]
    for own, row in zip(BROKEN, RECORD["broken"], strict=True):
        violated = row["verdicts"].count(VERDICTS["violated"])
        assert (violated >= 0.95 * SEEDS) != own.hidden, own.what


def test_the_recorded_rates_of_error_are_those_stated():
    alarms, fit = RECORD["false_alarms"], RECORD["calibration"]
    assert (alarms["audits"] >= 2000, alarms["violated"]) == (True, 0)
    assert alarms["first_rounds"] <= stats.binom.isf(UNLIKELY, alarms["audits"], 0.001)
    assert fit["rounds"] * len(fit["errors"]) >= 2000
    assert set(fit["errors"]) == {own.what for own in PRIVATE if own.tight}
    assert max(fit["errors"].values()) <= stats.binom.isf(UNLIKELY, fit["rounds"], fit["rate"])
    assert sum(fit["errors"].values()) <= stats.binom.isf(UNLIKELY, fit["rounds"] * len(fit["errors"]), fit["rate"])


def test_the_page_shows_the_record():
    text = PAGE.read_text(encoding="utf-8")
    assert page(text, RECORD) == text


@pytest.mark.parametrize("what", QUICK)
def test_verdicts_are_as_recorded(what):
    own, row = OF_NAME[what]
    assert VERDICTS[audited(own, 0).verdict] == row["verdicts"][0]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("own", "row"), [each for each in ALL if not each[0].hidden], ids=lambda each: getattr(each, "what", "")
)
def test_the_verdict_of_every_mechanism_is_as_recorded(own, row):
    assert VERDICTS[audited(own, 1).verdict] == row["verdicts"][1]


@pytest.mark.slow
@pytest.mark.parametrize("own", [own for own in PRIVATE if own.tight], ids=lambda own: own.what)
def test_bounds_of_one_round_err_no_more_often_than_stated(own):
    assert errors(own, 200, RATE, seed=99) <= stats.binom.isf(UNLIKELY, 200, RATE)
