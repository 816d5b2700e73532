"""How a failing guarantee is shown: the cell that stands for it, the step and the repair; record, terminal and page."""

import json
from pathlib import Path

import pytest

from dpbandits.claims.refutations import refutation
from dpbandits.config.models.claims import AuditClaim
from dpbandits.report.site import environment
from dpbandits.text.refutations import said
from dpbandits.text.terminal import print_explanation

ROOT = Path(__file__).resolve().parents[2]
PAPERS = ("hanna2022", "chowdhury2022", "hu2021", "chen2020", "han2021")
COINCIDES = {"rnm_ftnl": {"printed": "printed"}}
CLAIM = AuditClaim.model_validate(
    {
        **{"where": "w", "statement": "s", "kind": "audit", "severity": "detail", "source": "theorem"},
        **{"class": "privacy", "threshold_from": "paper", "threshold_reason": "t", "subject": "paper"},
        **{"could_fail": "c", "calibrations": ["printed"], "combine": "all", "breaks": {"printed": "A step."}},
        "tests": [{"reading": "r", "audit": "sums", "bounds": [None, 1]}],
    }
)


def cell(**changes):
    record = {
        **{"audit": "hu2021/sums", "algorithm": "rnm_ftnl", "calibration": "printed", "target": "mechanism"},
        **{"point": {"eps": 2.0}, "eps": 2.0, "delta": 0.0, "epsilons": [4.0, 4.0], "lower": 1.5, "noise": 0.5},
        **{"verdict": "violated", "status": "proven, tight", "in_theorem_range": None, "inputs": "a reward of 0, or 1"},
        **{"moves": {"numbers": 1, "largest": 2.0}, "repair": {"factor": 2.0, "noise": 1.0}},
    }
    return record | changes


def of(*records):
    return refutation(CLAIM, records, "printed", COINCIDES)


def test_the_cell_that_exceeds_its_claim_most_stands_for_all():
    worst = cell(point={"eps": 1.0}, eps=1.0, epsilons=[3.0, 3.0], repair={"factor": 3.0, "noise": 1.5})
    found = of(cell(), worst, cell(point={"eps": 8.0}, eps=8.0, verdict="consistent", repair=None))
    assert (found["cell"], found["eps"], found["cells"], found["factors"]) == ("rnm_ftnl: eps = 1", 1.0, 2, [2.0, 3.0])
    assert found["step"] == "A step."


def test_cells_that_some_noise_mends_go_first():
    bare = cell(point={"eps": 0.5}, eps=0.5, epsilons=[None, None], repair=None)
    assert of(bare, cell())["eps"] == 2.0
    assert of(bare)["factors"] is None


def test_what_runs_show_counts_beside_the_calculation():
    shown = cell(point={"eps": 1.0}, eps=1.0, epsilons=[1.1, None], lower=3.0)
    assert of(cell(), shown)["eps"] == 1.0
    without = cell(repair=None)
    actions = cell(target="actions", point={"eps": 9.0}, eps=1.0, epsilons=[9.0, 9.0], repair=None)
    assert of(actions, without)["cell"] == "rnm_ftnl: eps = 2", "mechanisms come before actions"
    endless = cell(point={"eps": 5.0}, eps=5.0, epsilons=[None, None], repair=None)
    assert of(without, endless)["eps"] == 5.0


def test_cells_that_keep_the_claim_or_lie_outside_of_the_theorem_refute_nothing():
    assert of(cell(epsilons=[2.0, 2.0], verdict="consistent"), cell(in_theorem_range=False)) is None


def test_in_words():
    parts = dict(said({"refutation": of(cell())}))
    assert parts["inputs"].startswith(
        "A reward of 0, or 1. This changes one number by 2 before noise is added. At ε = 2, "
    )
    assert "the actual ε is 4 by calculation" in parts["inputs"]
    ran = dict(said({"refutation": of(cell(lower=4.5))}))
    assert "runs show that the actual ε is at least 4.5" in ran["inputs"]
    assert parts["breaks"] == "A step."
    assert parts["repair"] == "2 times the noise: at ε = 2, 1 in place of 0.5."
    tried = dict(said({"refutation": of(cell(status="searched"))}))
    assert tried["repair"].endswith("for the pairs of inputs tried.")
    bits = dict(said({"refutation": of(cell(noise=15.0, repair={"factor": 1.8, "noise": 59.0}))}))
    assert bits["repair"] == "1.8 times the noise: at ε = 2, 59 bits in place of 15."
    batches = dict(said({"refutation": of(cell(noise=0.1, repair={"factor": 4.0, "noise": 1.9}))}))
    assert batches["repair"] == "4 times the noise: at ε = 2, 4 times."
    bare = dict(said({"refutation": of(cell(epsilons=[None, None], repair=None))}))
    assert bare["repair"] == "None: the claim fails with any amount of this noise."
    assert said({"refutation": None}) == said({}) == []


def committed():
    records = [
        r for key in PAPERS for r in json.loads((ROOT / f"figures/{key}/data/claims.json").read_text())["records"]
    ]
    return [r for r in records if r["kind"] == "audit"]


@pytest.mark.parametrize("record", committed(), ids=lambda r: f"{r['id']}-{r['variant']}-{r['calibration']}")
def test_every_committed_failure_of_a_guarantee_shows_inputs_step_and_repair(record, capsys):
    """In the record, in the terminal and in the page; a closed form, which has no inputs, shows none."""
    parts = said(record)
    audited = "audit " in record["evidence"]["table"]
    assert bool(record["refutation"]) == bool(parts) == (record["verdict"] == "fails" and audited)
    if parts:
        assert record["refutation"]["inputs"]
        assert [name for name, _ in parts] == ["inputs", "breaks", "repair"]
        print_explanation(record)
        shown = " ".join(capsys.readouterr().out.split())
        assert all(" ".join(sentence.split()) in shown for _, sentence in parts)
        assert environment().filters["refuted"](record) == parts


def test_the_factors_of_guarantees_that_fail_by_calculation():
    """Rewards in [-1, 1] need twice the noise, a vector of sums as well, and a tree of T leaves the nodes of a leaf."""
    found = {(r["id"], r["variant"], r["calibration"]): r["refutation"] for r in committed() if r["refutation"]}
    for claim in ("hanna2022/C18", "hanna2022/C19"):
        assert found[claim, "", "printed"]["factors"] == pytest.approx([2.0, 2.0], rel=3e-4)
    assert found["hu2021/C20", "", "printed"]["factors"] == pytest.approx([2.0, 2.0], rel=3e-4)
    assert found["chen2020/C28", "", "printed"]["factors"][1] == pytest.approx(2.0 / 0.6931471805599453, rel=3e-4)
