"""The comparison of kernels: ratios and their spreads, goals, the record, growth, C loops and the peers' worker."""

import json
import sys
import time

import numpy as np
import pytest

from benchmarks import __main__ as command
from benchmarks import c_loops, comparison, growth, peers, record, timing
from benchmarks.comparison import MISSED, OURS, REQUIREMENT_MET, TARGET_REACHED, Family, Goal, LeftOut, family, verdict
from benchmarks.families import MAKERS
from benchmarks.timing import Ratio, Side, Speeds


def nothing(first_seed, seeds, checkpoints):
    return np.zeros((seeds, len(checkpoints)))


def side(name, spent=(1.0,), **other):
    """A side whose samples take these CPU seconds, one after the other."""
    left = list(spent)
    return Side(name, name.title(), nothing, seeds=2, horizon=30, seconds=lambda: left.pop(0), **other)


def test_a_ratio_is_of_the_best_and_its_spread_of_repetitions_side_by_side():
    found = timing.ratio(Speeds((8.0, 10.0, 6.0)), Speeds((4.0, 2.0, 3.0)))
    assert found == Ratio(10.0 / 4.0, 2.0, 5.0)


def test_every_side_is_timed_in_every_turn_after_one_that_warms_up():
    turns = []

    def play(name):
        return lambda first_seed, seeds, checkpoints: turns.append((name, first_seed, seeds, checkpoints.tolist()))

    sides = [Side(name, name, play(name), seeds=2, horizon=30, seconds=lambda: 4.0) for name in "ab"]
    found = timing.interleaved(sides, 3)
    assert turns == [(name, 0, 1, [30]) for name in "ab"] + [(name, 1, 2, [30]) for name in "ab"] * 3
    assert found == {name: Speeds((15.0,) * 3) for name in "ab"}


def test_speed_counts_rounds_or_runs():
    assert timing.rate(side("a", (3.0,))) == 20.0
    assert timing.rate(side("a", (4.0,), per_run=True)) == 0.5


def test_this_process_is_timed_by_its_own_clock():
    """Of which sleep takes none."""

    def asleep(first_seed, seeds, checkpoints):
        time.sleep(0.2)

    assert timing.rate(Side("a", "a", asleep, seeds=1, horizon=100)) > 100 / 0.1


def test_a_spread_needs_three_repetitions():
    with pytest.raises(ValueError, match="repetitions: at least 3, got 2"):
        timing.interleaved([side("a")], 2)


@pytest.mark.parametrize(
    ("value", "goal", "expected"),
    [
        (0.39, Goal(0.4, 0.65), MISSED),
        (0.4, Goal(0.4, 0.65), REQUIREMENT_MET),
        (0.64, Goal(0.4, 0.65), REQUIREMENT_MET),
        (0.65, Goal(0.4, 0.65), TARGET_REACHED),
        (0.39998, Goal(0.4, 0.65), REQUIREMENT_MET),  # 0.4 in the record
        (299.0, Goal(300.0), MISSED),
        (300.0, Goal(300.0), REQUIREMENT_MET),
        (0.1, None, ""),
    ],
)
def test_a_ratio_that_equals_the_requirement_meets_it(value, goal, expected):
    assert verdict(value, goal) == expected


def small(goals):
    return family(
        "small",
        "Small",
        "K = 2",
        [side(OURS, (1.0, 2.0, 1.0)), side("c", (0.5, 0.5, 1.0)), LeftOut("peer", "Peer", "not here")],
        goals,
    )


def test_the_entry_and_the_table_of_a_family():
    made = small({"c": Goal(0.4, 0.65), "peer": Goal(100.0)})
    speeds, ratios = comparison.measured(made, 3)
    assert comparison.record_of(made, ratios) == {
        "name": "small",
        "title": "Small",
        "setting": "K = 2",
        "sides": [{"name": "c", "label": "C", "ratio": 0.5, "low": 0.25, "high": 1.0, "required": 0.4, "target": 0.65}],
        "left_out": [{"name": "peer", "label": "Peer", "why": "not here"}],
    }
    title, ours, rival, missing = comparison.table(made, speeds, ratios).splitlines()
    assert title == "Small: K = 2"
    assert ours.split() == ["ours", "6e-05", "M", "rounds/s"]
    assert "0.5 x [0.25, 1]" in rival
    assert rival.endswith("requirement met (required 0.4, target 0.65)")
    assert missing.endswith("left out: not here")


def test_a_side_without_a_goal_has_none_in_the_record():
    made = small({})
    (entry,) = comparison.record_of(made, {"c": Ratio(2.0, 1.0, 3.0)})["sides"]
    assert (entry["required"], entry["target"]) == (None, None)


@pytest.mark.parametrize("names", [("c", OURS), (OURS, "c", "c"), (OURS, "d")])
def test_a_family_that_is_mixed_up_is_refused(names):
    with pytest.raises(ValueError, match="small: sides"):
        family("small", "Small", "", [side(name) for name in names], {"c": Goal(1.0)} if "d" in names else {})


def test_the_record_is_canonical_and_parts_leave_each_other_alone(tmp_path):
    path = tmp_path / "ratios.json"
    record.write_part(path, "pipeline", [{"name": "start_up", "value": 0.123456}], whole=True)
    record.write_part(path, "kernels", [{"name": "a", "ratio": 123456.7}, {"name": "b", "ratio": 2.0}], whole=True)
    record.write_part(path, "kernels", [{"name": "b", "ratio": 3.0}, {"name": "c", "ratio": None}], whole=False)
    text = path.read_text()
    assert json.loads(text) == {
        "kernels": [{"name": "a", "ratio": 123500.0}, {"name": "b", "ratio": 3.0}, {"name": "c", "ratio": None}],
        "growth": [],
        "pipeline": [{"name": "start_up", "value": 0.1235}],
    }
    assert list(json.loads(text)) == ["kernels", "growth", "pipeline"]
    assert text == record.canonical(record.read(path)) == json.dumps(json.loads(text), indent=1) + "\n"
    record.write_part(path, "kernels", [{"name": "d", "ratio": 1.0}], whole=True)
    assert [entry["name"] for entry in record.read(path)["kernels"]] == ["d"]


def test_axes_of_one_family_are_entries_of_their_own(tmp_path):
    path = tmp_path / "ratios.json"
    record.write_part(
        path, "growth", [{"name": "a", "axis": "T", "x": 1}, {"name": "a", "axis": "K", "x": 2}], whole=True
    )
    record.write_part(path, "growth", [{"name": "a", "axis": "T", "x": 3}], whole=False)
    assert [entry["x"] for entry in record.read(path)["growth"]] == [3, 2]


def test_what_is_no_number_and_what_is_no_record_is_refused(tmp_path):
    with pytest.raises(ValueError, match="the record holds nan"):
        record.canonical({"kernels": [{"ratio": float("nan")}]})
    path = tmp_path / "ratios.json"
    path.write_text('{"other": []}')
    with pytest.raises(ValueError, match="is no record of ratios"):
        record.write_part(path, "kernels", [], whole=True)


def test_an_exponent_is_the_slope_of_logarithms():
    assert growth.exponent((1, 10, 100), (2.0, 200.0, 20000.0)) == pytest.approx(2.0)
    assert growth.exponent((1, 2, 4), (5.0, 5.0, 5.0)) == pytest.approx(0.0)


def test_growth_is_of_the_least_costs_and_its_spread_of_repetitions():
    found = growth.summarized((1, 10, 100), np.array([[1.0, 10.0, 100.0], [3.0, 30.0, 30.0], [2.0, 20.0, 2000.0]]))
    assert found.costs == (1.0, 10.0, 30.0)
    assert found.exponent == pytest.approx(0.5 * np.log10(30.0))
    assert (found.low, found.high) == (pytest.approx(0.5), pytest.approx(1.5))


def test_places_along_an_axis_are_timed_and_recorded():
    asked = []

    def play(place):
        return lambda first_seed, seeds, checkpoints: asked.append((place, seeds, checkpoints.tolist()))

    line = growth.Line("a", "A", growth.RUNS, "T = 7", (1, 4), play, lambda place: 7)
    entry = growth.record_of(line, growth.measured(line, 3))
    assert {(place, seeds) for place, seeds, _ in asked} == {(1, 1), (4, 1), (4, 4)}
    assert entry["costs"][0] == 1.0
    assert list(entry) == ["name", "title", "axis", "setting", "places", "costs", "exponent", "low", "high"]


def test_every_axis_grows_over_a_decade_or_more():
    lines = growth.lines()
    assert len({(line.name, line.axis) for line in lines}) == len(lines)
    for line in lines:
        assert list(line.places) == sorted(set(line.places))
        assert line.places[-1] >= (8 if line.axis == "d" and line.name.startswith("phased") else 10) * line.places[0]


def test_without_a_compiler_the_side_is_left_out(monkeypatch):
    c_loops.loop.cache_clear()
    monkeypatch.setattr(c_loops, "compiler", lambda: None)
    assert c_loops.side("ucb1", (), 1, 1) == LeftOut("c", "C loop", "no C compiler is found")


def test_a_compiler_that_fails_is_the_reason(monkeypatch, tmp_path):
    found = tmp_path / "cc"
    found.write_text("#!/bin/sh\necho broken >&2\nexit 1\n")
    found.chmod(0o755)
    c_loops.loop.cache_clear()
    monkeypatch.setattr(c_loops, "compiler", lambda: str(found))
    assert c_loops.side("ucb1", (), 1, 1) == LeftOut("c", "C loop", "ucb1.c: broken")


WORKER = """
import json, sys
for line in sys.stdin:
    question = json.loads(line)
    if question["policy"] == "end":
        break
    answer = {"regrets": [[seed + mark for mark in question["checkpoints"]] for seed in range(question["seeds"])]}
    answer["seconds"] = question["first_seed"] / 4
    if question["policy"] == "fault":
        answer = {"fault": "ValueError: no such policy"}
    print(json.dumps(answer), flush=True)
"""


@pytest.fixture
def peer(tmp_path):
    path = tmp_path / "worker.py"
    path.write_text(WORKER)
    made = peers.Peer((sys.executable, str(path)))
    yield made
    made.close()


def test_a_worker_is_asked_line_by_line_and_says_its_own_time(peer):
    play = peers.play_of(peer, "policy", np.array([0.5]))
    np.testing.assert_array_equal(play(2, 3, np.array([10, 20])), [[10, 20], [11, 21], [12, 22]])
    assert peer.seconds == 0.5
    first = peer.process
    play(8, 1, np.array([10]))
    assert peer.seconds == 2.0
    assert peer.process is first


def test_what_the_worker_says_of_a_fault_is_raised_and_it_goes_on(peer):
    with pytest.raises(RuntimeError, match="no such policy"):
        peers.play_of(peer, "fault", np.array([0.5]))(0, 1, np.array([1]))
    assert peers.play_of(peer, "policy", np.array([0.5]))(0, 1, np.array([1])).shape == (1, 1)


def test_a_worker_that_ends_is_started_anew(peer):
    with pytest.raises(RuntimeError, match="has ended"):
        peers.play_of(peer, "end", np.array([0.5]))(0, 1, np.array([1]))
    assert peer.process is None
    assert peers.play_of(peer, "policy", np.array([0.5]))(0, 1, np.array([1])).shape == (1, 1)


def test_peers_that_are_missing_or_do_not_start_are_left_out(peer, monkeypatch):
    monkeypatch.setattr(peers, "peer", lambda: None)
    assert peers.side("p", "P", "policy", np.array([0.5]), 1, 1) == LeftOut("p", "P", peers.NOT_THERE)
    monkeypatch.setattr(peers, "peer", lambda: peer)
    assert peers.side("p", "P", "fault", np.array([0.5]), 1, 1) == LeftOut("p", "P", "ValueError: no such policy")
    assert peers.side("p", "P", "end", np.array([0.5]), 1, 1) == LeftOut("p", "P", "the worker of the peers has ended")
    found = peers.side("p", "P", "policy", np.array([0.5]), 1, 10)
    found.play(6, 1, np.array([1]))
    assert found.seconds() == 1.5


def test_the_worker_answers_what_goes_wrong_and_prints_nothing_else():
    """Of any Python: the packages are imported by the policies that need them."""
    asked = peers.Peer((sys.executable, str(peers.WORKER)))
    with pytest.raises(RuntimeError, match="KeyError: 'unknown'"):
        peers.play_of(asked, "unknown", np.array([0.5]))(0, 1, np.array([1]))
    asked.close()


def test_the_command_writes_one_family_and_says_what_is_missed(tmp_path, monkeypatch, capsys):
    def made() -> Family:
        return small({"c": Goal(0.6)})

    monkeypatch.setitem(MAKERS, "ucb1", made)
    monkeypatch.setattr(growth, "lines", lambda: [])
    path = tmp_path / "ratios.json"
    monkeypatch.setattr(
        sys, "argv", ["benchmarks", "kernels", "--only", "ucb1", "--repetitions", "3", "--out", str(path)]
    )
    command.main()
    assert [entry["name"] for entry in record.read(path)["kernels"]] == ["small"]
    assert "MISSED: ucb1 against c" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("kernel",), "no part is called kernel"),
        (("--repetitions", "2"), "--repetitions 2: at least 3"),
        (("kernels", "--only", "linucb_ldp"), "--only linucb_ldp: kernels has anytime_lazy_ucb, "),
        (("growth", "--only", "anytime_lazy_ucb_long"), "--only anytime_lazy_ucb_long: growth has anytime_lazy_ucb, "),
    ],
)
def test_what_cannot_be_measured_is_refused(monkeypatch, capsys, arguments, says):
    monkeypatch.setattr(sys, "argv", ["benchmarks", *arguments])
    with pytest.raises(SystemExit):
        command.main()
    assert says in capsys.readouterr().err


def test_what_was_measured_before_a_fault_is_kept(tmp_path, monkeypatch):
    def broken() -> Family:
        raise OSError("no compiler")

    monkeypatch.setattr(command, "MAKERS", {"ucb1": lambda: small({}), "thompson": broken})
    path = tmp_path / "ratios.json"
    with pytest.raises(OSError, match="no compiler"):
        command.kernels(None, 3, path)
    assert [entry["name"] for entry in record.read(path)["kernels"]] == ["small"]
