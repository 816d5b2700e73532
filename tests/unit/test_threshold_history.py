"""When thresholds of claims were set: the text of thresholds, the walk through commits, and the committed files."""

import importlib.util
import json
import subprocess
from itertools import pairwise

import pytest
import yaml

from dpbandits.report.threshold_history import Change, history, in_words, thresholds
from tests.shipped import COMMITTED, ROOT

COMMAND = "python tools/threshold_history.py --write"
FILE = "config/papers/someone2030.yaml"
SLOPE = {"predicate": "slope_between", "curves": ["ucb1"], "along": "T", "at": {"T": [1000, 4000]}}


@pytest.fixture(scope="module")
def tool():
    specification = importlib.util.spec_from_file_location("threshold_history", ROOT / "tools/threshold_history.py")
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


@pytest.mark.parametrize("key", COMMITTED)
def test_every_threshold_of_today_is_the_last_of_its_history(key):
    paper = yaml.safe_load((ROOT / f"config/papers/{key}.yaml").read_text(encoding="utf-8"))
    cases = set(paper["claims"])
    cases |= {f"{name}/{variant}" for name, claim in paper["claims"].items() for variant in claim.get("variants", ())}
    today, written = thresholds(paper), history(key)
    assert set(today) == cases
    last = {name: changes[-1].thresholds for name, changes in written.items()}
    differ = sorted(name for name in cases | set(last) if today.get(name) != last.get(name))
    assert not differ, f"{key}: thresholds of {', '.join(differ)} changed. Run `{COMMAND}` and commit the file."


@pytest.mark.parametrize("key", COMMITTED)
def test_every_change_but_the_newest_has_a_commit(key):
    for name, changes in history(key).items():
        assert all(one.thresholds != other.thresholds for one, other in pairwise(changes)), name
        assert all(len(change.commit) == 10 and change.subject for change in changes[:-1]), name
        assert all(bool(change.commit) == bool(change.subject) for change in changes), name


def test_a_paper_without_a_file_has_no_history():
    assert history("someone2030") == {}


def test_a_change_is_read_from_the_file():
    assert history("hu2021")["C13"][0] == Change(
        "2993d5935f", "2026-11-21", "hu2021: configuration and closed forms", "within a factor of 2.5; 0.9 to 1.1"
    )


@pytest.mark.parametrize(
    ("test", "said"),
    [
        ({"bounds": [None, 1.25]}, "at most 1.25"),
        ({"bounds": [10, None]}, "at least 10"),
        ({"bounds": [0.95, 1.05]}, "0.95 to 1.05"),
        ({"bounds": [-1.2, -0.8]}, "-1.2 to -0.8"),
        ({"bounds": [None, None]}, "any number"),
        ({"bounds": [0, 2.718281828459045]}, "0 to 2.71828"),
        ({"bounds": [0.3, 0.4], "tolerated": [None, 0.5]}, "0.3 to 0.4, tolerated at most 0.5"),
        ({"bounds": [None, 1], "equivalent": 0.03}, "at most 1, equal within 0.03"),
        ({"predicate": "ordered", "equivalent": 0.03}, "equal within 0.03"),
        ({"predicate": "within_factor", "factor": 2.5}, "within a factor of 2.5"),
        ({"bounds": [0, 4], "fit": 0.98}, "R^2 at least 0.98, 0 to 4"),
        ({"predicate": "never", "above": 0.99999, "rate": "5e-05"}, "above 0.99999 in at most 5e-05 of the runs"),
        ({"predicate": "share", "above": 3, "bounds": [0.1, 0.2]}, "above 3 in 0.1 to 0.2 of the runs"),
        ({"function": "ratio", "arguments": {"high": 3}, "bounds": [1, 2]}, "1 to 2"),
        ({"function": "ratio"}, "set in the code"),
        ({"predicate": "ordered", "at": {"eps": [0.1, 1]}}, "no number"),
    ],
)
def test_a_threshold_in_words(test, said):
    assert in_words([test]) == said


def test_several_thresholds_are_said_once_with_the_number_of_their_tests():
    at_most, at_least, ordered = {"bounds": [None, 2]}, {"bounds": [0.5, None]}, {"predicate": "ordered"}
    assert in_words([at_most, ordered, at_least, at_most]) == "at most 2 (2 tests); at least 0.5"
    assert in_words([at_least, at_most, at_least, at_least]) == "at least 0.5 (3 tests); at most 2"
    assert in_words([ordered, ordered]) == "no number"


def test_a_variant_has_the_tests_of_its_claim_where_it_has_none():
    claim = {
        "tests": [{"bounds": [None, 2]}],
        "variants": {"same": {"note": "Others."}, "other": {"tests": [{"bounds": [1, None]}]}},
    }
    assert thresholds({"claims": {"C1": claim, "C2": {"function": "f", "bounds": [0, 1]}}}) == {
        **{"C1": "at most 2", "C1/same": "at most 2", "C1/other": "at least 1"},
        "C2": "0 to 1",
    }
    assert thresholds({}) == {}


def claims(**bounds):
    """The YAML of claims with such bounds."""
    return yaml.safe_dump({"claims": {name: {"tests": [{**SLOPE, "bounds": each}]} for name, each in bounds.items()}})


def test_the_walk_records_changes_alone(tmp_path, tool):
    def git(*arguments):
        who = ("-c", "user.name=Someone", "-c", "user.email=someone@example.org", "-c", "commit.gpgsign=false")
        done = subprocess.run(["git", "-C", tmp_path, *who, *arguments], check=True, capture_output=True, text=True)
        return done.stdout.strip()

    def commit(subject, text):
        file.write_text(text, encoding="utf-8")
        git("add", FILE)
        git("commit", "-q", "--date=2026-03-02T12:00:00Z", "-m", subject)
        return git("rev-parse", "HEAD")[:10]

    def change(commit, subject, said):
        return {"commit": commit, "day": "2026-03-02" if commit else "", "subject": subject, "thresholds": said}

    file = tmp_path / FILE
    file.parent.mkdir(parents=True)
    git("init", "-q")
    first = commit("Claim a slope", claims(C1=[0.4, 0.6], C2=[None, 1]))
    commit("Say it otherwise", "# Words.\n" + claims(C1=[0.4, 0.6], C2=[None, 1]))
    third = commit("Widen the slope, add a claim", claims(C1=[0.3, 0.7], C3=[5, None]))
    expected = {
        "C1": [
            change(first, "Claim a slope", "0.4 to 0.6"),
            change(third, "Widen the slope, add a claim", "0.3 to 0.7"),
        ],
        "C3": [change(third, "Widen the slope, add a claim", "at least 5")],
    }
    assert tool.history(tmp_path, "someone2030") == expected
    file.write_text(claims(C1=[0.3, 0.7], C3=[6, None], C4=[None, 2]), encoding="utf-8")
    expected["C3"].append(change("", "", "at least 6"))
    expected["C4"] = [change("", "", "at most 2")]
    assert tool.history(tmp_path, "someone2030") == expected
    assert json.loads(tool.written(tmp_path, "someone2030")) == expected
    fourth = commit("Ask for six", file.read_text(encoding="utf-8"))
    expected["C3"][-1] = change(fourth, "Ask for six", "at least 6")
    expected["C4"] = [change(fourth, "Ask for six", "at most 2")]
    assert tool.history(tmp_path, "someone2030") == expected
