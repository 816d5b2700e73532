"""The audit of one's own mechanism: bounds that are known, counts by hand, what is asked of a sampler, what is said."""

import json
import math
import subprocess
import sys
from dataclasses import replace

import click
import numpy as np
import pytest
from click.testing import CliRunner
from scipy import stats

from dpbandits.audits.custom import examples
from dpbandits.audits.custom import views as sampled
from dpbandits.audits.custom.candidates import KINDS
from dpbandits.audits.custom.evidence import evidence
from dpbandits.audits.custom.own import LEAST_TRIALS, TIMEOUT, TRIALS, audit_own
from dpbandits.audits.custom.scores import scores_of
from dpbandits.audits.custom.views import PROBE
from dpbandits.base.streams import generator
from dpbandits.cli.main import Group
from dpbandits.cli.own_audit import AuditCommand, own_audit, own_options, repeated
from dpbandits.privacy.auditing import ALPHA, cap
from dpbandits.text.own_audit import down, paragraph, record, up

EXAMPLES = "dpbandits.audits.custom.examples"
ZERO, ONE = [0.0], [1.0]
SHARE = ALPHA / len(KINDS)


@click.group(cls=Group)
def program():
    """Stands for the whole command."""


@program.command(cls=AuditCommand)
@own_options
@click.option("--json", "as_json", is_flag=True)
def audit(mechanism, as_json, **given):
    own_audit(mechanism, as_json=as_json, **given)


def call(*arguments):
    return CliRunner().invoke(program, ["audit", *arguments])


def laplace(rng, data, n):
    return data[0] + rng.laplace(size=n)


def test_a_correct_mechanism_is_consistent_and_its_bound_is_close():
    found = audit_own(examples.laplace, *examples.LAPLACE_PAIR, examples.EPS)
    assert (found.verdict, len(found.rounds), found.trials, found.columns) == ("consistent", 1, TRIALS, 1)
    assert 0.9 < found.lower <= 1.0
    assert found.cap == cap(TRIALS // 2, 0.0, SHARE)
    assert "a returned value of at least" in paragraph(found)


@pytest.mark.parametrize(
    ("draw", "pair", "above", "true"),
    [
        (examples.half_noise, examples.HALF_NOISE_PAIR, 1.8, 2.0),
        (examples.shared_noise, examples.SHARED_NOISE_PAIR, 8.0, math.inf),
        (examples.first_pull, examples.FIRST_PULL_PAIR, 8.0, math.inf),
    ],
)
@pytest.mark.parametrize("delta", [0.0, 1e-5])
def test_every_bug_of_the_examples_is_found_at_default_trials(draw, pair, above, true, delta):
    found = audit_own(draw, *pair, examples.EPS, delta)
    assert (found.verdict, len(found.rounds)) == ("violated", 2)
    assert above - 0.3 * (delta > 0) < found.lower <= min(true, found.cap)
    assert found.rounds[0].bound.epsilon > examples.EPS


def test_the_correct_versions_of_the_examples_in_several_columns_are_consistent():
    def own_noise(rng, data, n):
        return np.asarray(data) + rng.laplace(size=(n, 3))

    assert audit_own(own_noise, *examples.SHARED_NOISE_PAIR, 1.0).verdict == "consistent"


def test_counts_and_bound_by_hand():
    """The threshold test on the last runs, drawn again from their streams, bounded with scipy's beta distribution."""
    found = audit_own(laplace, ZERO, ONE, 0.1, 0.01, 4000, seed=5)
    assert (found.verdict, len(found.rounds)) == ("violated", 2)
    for number, shown in enumerate(found.rounds):
        drawn = [np.round(laplace(generator(5, "audit", "own", number, i, 0), [i], 4000), 9)[:, None] for i in (0, 1)]
        score = next(each for each in scores_of(*drawn) if each.scored == shown.scored)
        n, (event,) = shown.bound.trials, shown.events
        assert n == 2000
        rows = [row[-n:] for row in (score.first, score.second)]
        inside = [(row >= event.low) & (row <= event.high) for row in rows]
        assert (event.first, event.second) == tuple(map(np.count_nonzero, inside))
        assert event.example[0] in (drawn[0][-n:][inside[0]][0], drawn[1][-n:][inside[1]][0])
        errors, hits = sorted((event.first, event.second))
        least, most = stats.beta.ppf(SHARE / 2, hits, n - hits + 1), stats.beta.isf(SHARE / 2, errors + 1, n - errors)
        assert shown.bound.test == "threshold"
        assert shown.bound.epsilon == pytest.approx(math.log((least - 0.01) / most), rel=1e-9)
    assert found.lower == found.rounds[1].bound.epsilon == max(found.rounds[1].bounds.values())


def test_a_learned_score_is_taken_where_it_shows_more():
    """Of three actions the middle one gives the input away, at ln 6; its number as a score shows much less."""

    def actions(rng, data, n):
        return rng.choice(3, p=[0.4, 0.05, 0.55] if data else [0.4, 0.3, 0.3], size=n)

    for views in (actions, lambda *given: actions(*given)[:, None], lambda *given: np.eye(3)[actions(*given)]):
        found = audit_own(views, 0, 1, 1.0)
        assert found.rounds[-1].scored == "learned"
        assert math.log(6) - 0.3 < found.lower < math.log(6)
        assert found.verdict == "violated"


@pytest.mark.parametrize("dtype", [bool, np.int8, np.uint64, np.float32])
def test_randomized_response_in_any_type(dtype):
    def draw(rng, data, n):
        return ((rng.random(n) < 1 / (1 + math.e)) ^ data).astype(dtype)

    found = audit_own(draw, False, True, 1.0, trials=20_000)
    assert (found.verdict, found.rounds[0].bound.trials) == ("consistent", 10_000)
    assert 0.8 < found.lower <= 1.0
    assert [sum(getattr(event, side) for event in found.rounds[0].events) for side in ("first", "second")] == [
        10_000
    ] * 2


def test_the_runs_that_give_the_bound_choose_nothing():
    """The first halves show nothing, the last halves much: with a learned score, and more than with the number."""
    views = np.zeros((2, 4000, 1))
    views[:, 2000:, 0] = np.arange(2000) % 3
    views[1, 2000:, 0][views[1, 2000:, 0] == 1] = 2
    assert evidence(views[0, 2000:], views[1, 2000:], 1.0, 0.0, (0,)).bound.epsilon > 1.0
    found = evidence(*views, 1.0, 0.0, (0,))
    assert (found.events, found.bound.epsilon, found.bound.test) == ((), 0.0, "none")


def test_a_mechanism_without_noise_reaches_the_cap_and_one_without_data_shows_nothing():
    bare = audit_own(lambda rng, data, n: np.full(n, data), 0, 1, 1.0)
    assert bare.verdict == "violated"
    assert bare.lower == pytest.approx(bare.cap, rel=1e-3)
    silent = audit_own(lambda rng, data, n: np.zeros((n, 2)), 0, 1, 1.0)
    assert (silent.verdict, silent.lower, silent.rounds[0].events) == ("consistent", 0.0, ())
    assert "found no difference between the inputs" in paragraph(silent)


def test_a_violation_that_new_runs_do_not_confirm_is_none():
    calls = []

    def only_at_first(rng, data, n):
        calls.append(n)
        return rng.normal(size=n) + 9 * data * (len(calls) <= 8)  # three probes an input, then a call an input

    found = audit_own(only_at_first, 0, 1, 1.0, trials=2000)
    assert calls == [*[PROBE] * 6, *[2000] * 4]
    assert [shown.bound.epsilon > 1.0 for shown in found.rounds] == [True, False]
    assert found.verdict == "consistent"
    assert "which do not confirm the" in paragraph(found)


def test_runs_are_asked_for_in_parts_with_a_stream_and_a_copy_each(monkeypatch):
    monkeypatch.setattr(sampled, "MOST_AT_ONCE", 900)
    seen = []

    def spoils(rng, data, n):
        seen.append((n, data[0], rng.random()))
        data[0] = 100.0
        return rng.normal(size=n)

    first, second = [0.25], [0.75]
    audit_own(spoils, first, second, 1.0, trials=2000)
    assert [n for n, _, _ in seen] == [*[PROBE] * 6, *[900, 900, 200] * 2]
    assert [value for _, value, _ in seen] == [0.25] * 3 + [0.75] * 3 + [0.25] * 3 + [0.75] * 3
    assert len({number for _, _, number in seen}) == len(seen) - 2, "a probe of each input is repeated"
    assert (first, second) == ([0.25], [0.75])


def test_a_seed_repeats_itself_and_another_does_not():
    one, again, other = (audit_own(laplace, ZERO, ONE, 2.0, trials=2000, seed=seed) for seed in (3, 3, 4))
    assert one == again
    assert one.rounds != other.rounds


def test_no_power_names_the_runs_from_which_on_there_is_some():
    found = audit_own(laplace, ZERO, ONE, 5.0, 0.1, trials=LEAST_TRIALS)
    assert found.verdict == "no power"
    share = found.trials / found.rounds[0].bound.trials
    least, enough = (cap(rounded(found.needed / share), 0.1, SHARE) for rounded in (math.floor, math.ceil))
    assert least <= 5.0 < enough
    assert f"more than {math.ceil(found.needed):,}." in paragraph(found)
    assert "10,000,000, the most that can be asked for" in paragraph(replace(found, eps=1e4))


@pytest.mark.parametrize(
    ("value", "below", "above"),
    [
        (1.99967, "1.999", "2"),
        (8.79152, "8.791", "8.792"),
        (0.0, "0", "0"),
        (0.012345, "0.01234", "0.01235"),
        (2.0, "2", "2"),
    ],
)
def test_bounds_are_rounded_to_their_safe_side(value, below, above):
    assert (down(value), up(value)) == (below, above)


def test_the_record_is_plain_data_and_says_the_same():
    found = audit_own(examples.first_pull, *examples.FIRST_PULL_PAIR, 1.0, trials=5000)
    data = json.loads(json.dumps(record(found), allow_nan=False))
    assert (data["verdict"], data["claimed"], data["says"]) == (
        "violated",
        {"eps": 1.0, "delta": 0.0},
        paragraph(found),
    )
    assert (data["lower"], data["cap"], data["tightness"]) == (found.lower, found.cap, found.lower)
    assert [row["columns"] for row in data["rounds"]] == [[column + 1 for column in r.columns] for r in found.rounds]
    assert [max(row["bounds"].values()) for row in data["rounds"]] == [row["lower"] for row in data["rounds"]]
    assert {event["points"] for row in data["rounds"] for event in row["events"]} == {"first", "second"}
    assert len(data["out_of_view"]) == 3
    assert {row["evaluation_runs"] for row in data["rounds"]} == {found.rounds[0].bound.trials}
    for part in (
        "VIOLATED.",
        "The claim is ε = 1 at δ = 0.",
        "with 99.9 % confidence",
        "Of 5,000 runs",
        "cannot show more",
        "It does not test the last bits of floats (numbers are rounded to 9 decimals), running time, or anything",
    ):
        assert part in data["says"]
    assert "may be infinite" in data["says"]


@pytest.mark.parametrize(
    ("name", "verdict", "code"),
    [
        ("laplace", "CONSISTENT", 0),
        ("half_noise", "VIOLATED", 1),
        ("shared_noise", "VIOLATED", 1),
        ("first_pull", "VIOLATED", 1),
    ],
)
def test_the_command_on_the_examples(name, verdict, code):
    pair = f"{EXAMPLES}:{name.upper()}_PAIR"
    result = call("--mechanism", f"{EXAMPLES}:{name}", "--neighbors", pair, "--eps", "1", "--trials", "2e4")
    assert (result.exit_code, result.stderr) == (code, ""), result.output
    assert result.stdout.startswith(f"{verdict}. The claim is ε = 1 at δ = 0. ")
    assert result.stdout.count("\n") == 1


def test_the_command_takes_a_module_here_a_file_and_inputs_as_they_are_written(tmp_path, monkeypatch):
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep/scales_of_mine.py").write_text("SCALE = 1.0\n")
    source = "def draw(rng, data, n):\n    from scales_of_mine import SCALE\n    print('drawing')\n"
    source += "    return sum(data) + rng.laplace(scale=SCALE, size=n)\nPAIR = [0.0], (1.0,)\nOTHER = [-1.0]\n"
    (tmp_path / "deep/mine_in_a_file.py").write_text(source)
    found = []
    for folder, module in ((tmp_path, "deep/mine_in_a_file.py"), (tmp_path / "deep", "mine_in_a_file")):
        monkeypatch.chdir(folder)
        for inputs in ([f"{module}:PAIR"], ["[0.0]", "[1.0]"], ["{0.0}", "[1e0]"], ["[-0.0]", "[1.0]"]):
            result = call(
                "--mechanism", f"{module}:draw", "--json", "--neighbors", *inputs, "--eps", "1", "--trials", "1000"
            )
            assert result.exit_code == 0, result.output
            data = json.loads(result.stdout)
            assert (data["mechanism"], data["neighbors"]) == (f"{module}:draw", inputs)
            found.append(data["lower"])
        result = call("--mechanism", f"{module}:draw", "--neighbors", "-1", f"{module}:OTHER", "--eps", "1")
        assert "failed on the first input with TypeError: 'int' object is not iterable" in result.stderr
    assert len(set(found)) == 1
    told = ["--mechanism", "mine_in_a_file:draw", "--neighbors", "[0.0]", "[1.0]", "--eps", "1", "--trials", "1000"]
    command = [sys.executable, "-m", "dpbandits", "audit", *told]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "drawing" in done.stderr
    assert "drawing" not in done.stdout


def test_defaults_of_the_command_are_those_of_the_function():
    defaults = {option.name: option.default for option in audit.params}
    assert (int(defaults["trials"]), defaults["delta"], defaults["seed"]) == (TRIALS, "0", "0")
    assert float(defaults["timeout"]) == TIMEOUT


@pytest.mark.parametrize(
    ("given", "understood"),
    [
        ("--neighbors a:B", "--neighbors a:B"),
        ("--neighbors [0] [1] --eps 1", "--neighbors [0] --neighbors [1] --eps 1"),
        ("--neighbors -1 -2 -h", "--neighbors -1 --neighbors -2 -h"),
        ("--neighbors=[0] [1] x", "--neighbors=[0] --neighbors [1] x"),
        ("--neighbors [0] --neighbors [1] --json", "--neighbors [0] --neighbors [1] --json"),
        ("--eps 1 x --neighbors", "--eps 1 x --neighbors"),
        ("-- --neighbors a b c", "-- --neighbors a b c"),
    ],
)
def test_a_second_value_of_an_option(given, understood):
    assert repeated(given.split(), "--neighbors") == understood.split()
