"""Every paper with audits has their figures without listing them; one that it lists itself takes the place."""

from pathlib import Path

from dpbandits.config.audit_figures import audit_figures
from dpbandits.config.loading import load_project

from .sections import claims_of
from .small import KEY, PAPER, write_project
from .test_audits_configuration import AUDIT

TEST = {"reading": "x", "audit": "sums", "bounds": [None, 1]}
FORM = {"reading": "x", "function": "f", "arguments": {}, "bounds": [None, 1]}
AUDITED = {"certified", "tuned", "printed"}
CLAIMS = {
    "C1": {"kind": "audit", "tests": [FORM], "variants": {"long": {"note": "x", "subject": "paper", "tests": [TEST]}}},
    "C2": {"kind": "audit", "tests": [FORM, TEST], "variants": {"short": {"note": "x", "subject": "paper"}}},
    "C3": {"kind": "analytic", "tests": [FORM]},
}


def test_without_audits_there_are_none():
    assert audit_figures((), claims_of(CLAIMS)) == {}


def test_calibrations_and_claims_come_from_the_audits_and_their_tests():
    found = audit_figures(AUDITED, claims_of(CLAIMS))
    assert list(found) == ["audit_epsilons", "audit_verdicts", "audit_power"]
    assert {each.calibrations for each in found.values()} == {("printed", "certified")}
    assert [each.claims for each in found.values()] == [("C1/long", "C2"), ("C1/long", "C2"), ()]
    assert [each.drawing for each in found.values()] == ["audit_epsilons", "audit_verdicts", "audit_power"]


def test_a_figure_that_the_paper_describes_takes_the_place(tmp_path: Path):
    own = {
        **audit_figures(AUDITED, {})["audit_power"].model_dump(mode="json", exclude_unset=True),
        "caption": "My own.",
    }
    paper = {**PAPER, "audits": {"sums": AUDIT}, "figures": {**PAPER["figures"], "audit_power": own}}
    figures = load_project(write_project(tmp_path, paper), valid=[KEY]).papers[KEY].figures
    assert list(figures) == [*PAPER["figures"], "audit_power", "audit_epsilons", "audit_verdicts"]
    assert figures["audit_power"].caption == "My own."
