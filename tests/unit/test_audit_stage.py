"""The stage audit with releases whose truth is known: verdicts, fresh streams, power, what is kept."""

import json
import math
import re
import types
from dataclasses import dataclass, replace

import numpy as np
import pytest

from dpbandits.audits.mechanisms.gaussian import Gaussian
from dpbandits.audits.mechanisms.laplace import Laplace
from dpbandits.audits.release import Truth
from dpbandits.config.plain_yaml import ConfigError
from dpbandits.planning.cells import Cell
from dpbandits.stages import audit as stage
from dpbandits.stages.audit import agree, audit, joint, record_of
from dpbandits.stages.collect import collect, row

WORDS = {
    "title": "g",
    "says": "a",
    "where": "b",
    "domain": "c",
    "neighbors": "d",
    "inputs": "f",
    "view": "e",
    "proof": [{"theorem": "laplace", "source": "Some (VENUE 2006), Theorem 1"}],
    "note": "",
}


@dataclass(frozen=True)
class Answer:
    """Randomized response with odds e^`epsilon`; what is said of it may be wrong."""

    epsilon: float
    said: tuple[float, float]
    said_again: tuple[float, float] | None = None
    proven: bool = True

    @property
    def noise(self):
        return 1.0 / self.epsilon

    def accounted(self, eps, delta):
        return Truth(self.said, (0.0, 1.0), "said", self.proven)

    def derived(self, eps, delta):
        return Truth(self.said_again or self.said, (0.0, 1.0), "said again", self.proven)

    def draw(self, rng, side, trials):
        honest = rng.random(trials) < 1.0 / (1.0 + math.exp(-self.epsilon))
        return np.where(honest, float(side), 1.0 - side)[:, None]

    def scores(self, views):
        return views[:, 0]

    def halved(self):
        return replace(self, epsilon=2.0 * self.epsilon)


def cell(**changes):
    found = Cell("toy2000/answers", "answers", "mechanism", "anytime_lazy_ucb", "printed", {"eps": 1.0}, {"eps": 1.0},
                 1.0, 0.0, 20_000, 0.1)  # fmt: skip
    return replace(found, **changes)


@pytest.fixture
def release(monkeypatch):
    def use(answer):
        module = types.SimpleNamespace(answers=lambda algorithm, calibration, setting: answer)
        monkeypatch.setattr(stage, "import_module", lambda name: module)

    return use


def test_an_honest_answer_is_consistent_and_nearly_tight(release):
    release(Answer(1.0, (1.0, 1.0)))
    found = record_of(cell(), 1)
    assert (found["verdict"], found["repeated"], found["mutant"]) == ("consistent", None, None)
    assert 0.85 < found["tightness"] == found["lower"] < 1.0
    assert (found["epsilons"], found["status"], found["noise"]) == ([1.0, 1.0], "proven, tight", 1.0)
    assert [each["trials"] for each in found["power"]] == [156, 625, 2500, 10_000]
    assert [each["lower"] for each in found["power"]] == sorted(each["lower"] for each in found["power"])


def test_runs_find_a_breach_that_no_calculation_knows_and_find_it_twice(release):
    release(Answer(2.0, (0.0, 5.0)))
    found = record_of(cell(), 1)
    assert found["verdict"] == "violated"
    assert 1.0 < found["lower"] <= found["repeated"] < 2.0


@pytest.mark.parametrize(("target", "attempts"), [("mechanism", [1]), ("actions", [1, 2])])
@pytest.mark.parametrize("again", [1.2, 9.0])
def test_a_breach_is_confirmed_with_other_streams_and_the_smaller_bound_counts(
    release, monkeypatch, target, attempts, again
):
    """The first bound is about 1.9; the copy with half of the noise has streams of its own too."""
    asked = []
    monkeypatch.setattr(stage, "bound_of", lambda release, cell, seed, attempt: asked.append(attempt) or again)
    release(Answer(2.0, (0.0, 5.0)))
    found = record_of(cell(target=target), 1)
    first = found["power"][-1]["lower"]
    assert asked == attempts
    assert 1.2 < first < 9.0
    assert (found["lower"], found["repeated"]) == (min(first, again), again)


def test_the_tightness_is_relative_to_the_claim(release):
    release(Answer(2.0, (2.0, 2.0)))
    found = record_of(cell(eps=2.0), 1)
    assert found["tightness"] == found["lower"] / 2.0 > 0.8


def test_without_a_named_proof_nothing_is_proven(release):
    """Whatever the calculations say."""
    release(Answer(8.0, (8.0, 8.0)))
    found = record_of(cell(eps=8.0, trials=400, named=False), 1)
    assert (found["status"], found["verdict"]) == ("searched", "no power")


@pytest.mark.parametrize(
    ("eps", "target", "factor"), [(1.0, "mechanism", 2.0), (2.0, "mechanism", None), (1.0, "actions", None)]
)
def test_the_repair_of_a_breach(release, eps, target, factor):
    """Laplace noise of scale 1 on a sum that moves by 2: epsilon 2."""
    release(Laplace(1.0, (2.0,)))
    found = record_of(cell(eps=eps, target=target), 1)["repair"]
    if factor is None:
        assert found is None
    else:
        assert found == {"factor": pytest.approx(factor, rel=3e-4), "noise": pytest.approx(factor, rel=3e-4)}


def test_a_row_of_the_table_has_the_numbers_of_both_calculations(release):
    release(Answer(1.0, (1.0, 1.0)))
    found = record_of(cell(), 1)
    changes = {"deltas": [0.1, 0.2], "lower": 0.7, "accounted": {"method": "a"}, "derived": {"method": "b"}}
    shown = row({**found, **stage.heading(cell(), "full"), **WORDS} | changes)
    names = ("least_delta", "most_delta", "lower_bound", "method", "second_method")
    assert [shown[name] for name in names] == [0.1, 0.2, 0.7, "a", "b"]


def test_calculation_alone_can_break_a_claim(release):
    release(Answer(1.1, (1.1, 1.1)))
    found = record_of(cell(trials=400), 1)
    assert found["verdict"] == "violated"
    assert found["lower"] < 1.0


def test_runs_above_the_claim_and_the_calculation_are_a_violation(release):
    """The algorithm adds another noise than it states: what runs show counts, and nothing bounds epsilon from above."""
    release(Answer(2.0, (0.5, 1.0)))
    found = record_of(cell(), 1)
    assert found["verdict"] == "violated"
    assert found["epsilons"] == [found["lower"], None]
    says = r"runs show epsilon >= 1\.\d+, the calculation for the stated noise gives 1$"
    assert re.fullmatch(says, found["contradiction"])


def test_runs_above_the_calculation_and_below_the_claim_are_an_error(release):
    release(Answer(2.0, (0.2, 0.5)))
    with pytest.raises(ArithmeticError, match=r"^toy2000/answers, [0-9a-f]{8}: runs show epsilon >= 1\.\d+, .*0\.5$"):
        record_of(cell(eps=3.0), 1)


def test_calculations_that_differ_are_an_error(release):
    release(Answer(1.0, (1.0, 1.0), (1.01, 1.01)))
    with pytest.raises(ArithmeticError, match=r"^toy2000/answers, [0-9a-f]{8}: the calculations do not agree: "):
        record_of(cell(), 1)


def test_what_is_not_proven_of_all_pairs_gives_no_verdict(release):
    release(Answer(8.0, (8.0, 8.0), proven=False))
    found = record_of(cell(eps=8.0, trials=400), 1)
    assert (found["verdict"], found["status"], found["epsilons"]) == ("no power", "searched", [8.0, 8.0])


def test_few_runs_have_no_power_unless_the_claim_is_proven(release):
    release(Answer(8.0, (0.0, 9.0)))
    assert record_of(cell(eps=8.0, trials=400), 1)["verdict"] == "no power"
    release(Answer(8.0, (8.0, 8.0)))
    assert record_of(cell(eps=8.0, trials=400), 1)["verdict"] == "consistent"


def test_of_actions_the_half_noise_must_be_found(release):
    release(Answer(0.8, (0.0, 1.0)))
    found = record_of(cell(target="actions"), 1)
    assert found["verdict"] == "consistent"
    assert found["mutant"]["found"]
    assert 1.0 < found["mutant"]["lower"] < 1.6
    release(Answer(0.3, (0.0, 1.0)))  # half of its noise is no breach
    found = record_of(cell(target="actions"), 1)
    assert (found["verdict"], found["mutant"]["found"]) == ("no power", False)


def test_a_large_delta_has_the_epsilon_at_a_small_one_beside(release):
    release(Answer(1.0, (1.0, 1.0)))
    assert record_of(cell(delta=0.1), 1)["small_delta"] == {"delta": 1e-5, "epsilons": [1.0, 1.0]}
    assert record_of(cell(delta=1e-6), 1)["small_delta"] is None


def test_scores_that_are_normal_have_a_second_bound(release):
    """Two normal distributions at distance 1 have delta(1) = 0.1269 and so epsilon 1 at that delta."""
    release(Gaussian((1.0,), (1.0,)))
    found = record_of(cell(delta=0.12693673750664397), 1)
    assert found["epsilons"] == pytest.approx([1.0, 1.0], rel=1e-4)
    assert 0.72 < found["lower_if_normal"] < 1.0  # 0.72: at distance 0.85; the bound is 0.91 in the mean, sd 0.02
    assert found["lower"] < found["lower_if_normal"]
    release(Gaussian((1.0,), (0.0,)))
    assert record_of(cell(delta=0.1), 1)["lower_if_normal"] is None
    release(Answer(1.0, (1.0, 1.0)))
    assert record_of(cell(delta=0.1), 1)["lower_if_normal"] is None


def test_two_calculations_together():
    assert joint((1.0, 2.0), (0.5, 1.5)) == (0.5, 1.5)
    assert joint((1.0, 1.0), (1.0001, 1.0001)) == (1.0, 1.0)
    assert joint((math.inf, math.inf), (math.inf, math.inf)) == (math.inf, math.inf)
    one = Truth((1.0, 2.0), (0.1, 0.2), "")
    assert agree(one, Truth((1.0009, 2.0), (0.1, 0.2 + 9e-7), ""))
    assert not agree(one, Truth((1.002, 2.0), (0.1, 0.2), ""))
    assert not agree(one, Truth((1.0, 2.0), (0.1, 0.20001), ""))
    assert not agree(one, Truth((1.0, math.inf), (0.1, 0.2), ""))


def test_streams_depend_on_the_cell_and_the_root_seed(release):
    release(Answer(1.0, (1.0, 1.0)))
    first = record_of(cell(), 1)
    assert record_of(cell(seconds=9.0), 1) == first
    assert record_of(cell(), 2)["lower"] != first["lower"]
    assert record_of(cell(setting={"eps": 1.0, "other": 2.0}), 1)["lower"] != first["lower"]


def test_records_are_kept_by_source_root_seed_and_cell(release, tmp_path, monkeypatch):
    release(Answer(1.0, (1.0, 1.0)))
    out = tmp_path / "answers.json"
    first = audit(WORDS, [cell()], 1, "quick", "s", out)
    assert {key: first[0][key] for key in ("audit", "paper", "scale", "eps", "delta", "says", "view")} == {
        "audit": "toy2000/answers", "paper": "toy2000", "scale": "quick", "eps": 1.0, "delta": 0.0, "says": "a",
        "view": "e",
    }  # fmt: skip
    made = []
    monkeypatch.setattr(stage, "record_of", lambda cell, seed: made.append(cell.id) or {"verdict": "consistent"})
    again = audit(WORDS | {"says": "other words"}, [cell()], 1, "full", "s", out)
    assert made == []
    assert (again[0]["says"], again[0]["scale"], again[0]["lower"]) == ("other words", "full", first[0]["lower"])
    audit(WORDS, [cell(), cell(trials=800)], 1, "quick", "s", out)
    assert made == [cell(trials=800).id]
    audit(WORDS, [cell()], 1, "quick", "t", out)
    audit(WORDS, [cell()], 2, "quick", "t", out)
    assert made == [cell(trials=800).id, cell().id, cell().id]
    out.write_text("{broken", encoding="utf-8")
    audit(WORDS, [cell()], 2, "quick", "t", out)
    assert len(made) == 4
    audit(WORDS, [cell()], 2, "quick", "t", out)
    assert len(made) == 4
    monkeypatch.setattr(stage, "versions", lambda names: {"python": "3.11", "scipy": "0"})
    audit(WORDS, [cell()], 2, "quick", "t", out)
    assert len(made) == 5, "other versions of libraries"


def test_a_constant_that_is_missing_is_named(monkeypatch):
    module = types.SimpleNamespace(answers=lambda algorithm, calibration, setting: setting["batch"])
    monkeypatch.setattr(stage, "import_module", lambda name: module)
    with pytest.raises(
        ConfigError, match=r"^toy2000/answers: constants\.batch: is missing; anytime_lazy_ucb needs it$"
    ):
        record_of(cell(), 1)


def test_records_are_bound_by_paper_and_as_a_table(release, tmp_path):
    release(Answer(1.0, (1.0, math.inf)))
    out = tmp_path / "cells/toy2000/answers.json"
    out.parent.mkdir(parents=True)
    audit(WORDS, [cell(), cell(trials=400)], 1, "quick", "s", out)
    collect({"toy2000": [out], "other2001": []}, tmp_path)
    bound = json.loads((tmp_path / "toy2000.json").read_text(encoding="utf-8"))
    assert (bound["paper"], [record["trials"] for record in bound["records"]]) == ("toy2000", [20_000, 400])
    assert json.loads((tmp_path / "other2001.json").read_text(encoding="utf-8"))["records"] == []
    header, first, second = (tmp_path / "all.csv").read_text(encoding="utf-8").splitlines()
    row = dict(zip(header.split(","), first.split(","), strict=True))
    assert (row["audit"], row["setting"], row["least_epsilon"], row["largest_epsilon"]) == (
        *("toy2000/answers", "eps=1", "1.0", "inf"),
    )
    assert (row["claimed_eps"], row["trials"], row["verdict"]) == ("1.0", "20000", "consistent")
