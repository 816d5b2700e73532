"""Golden digests of every algorithm: SHA-256 of the traces of three seeds on one fixed instance.

Variants have digests of their own: other readings, and certified noise whose scale differs from batch to batch.

Bits are guaranteed on the platform that `digests.json` records. A mismatch there fails. If the change is intended, run
`python -m tests.golden.test_golden_digests --write NAME` and report old and new numbers in the commit. NAME is an
algorithm, with all its variants, or one case such as `cucb:anytime`; without a name, all digests are rewritten. On any
other platform a mismatch is printed, and the mean regret of 200 runs must lie within 4 standard errors of the recorded
mean.

An algorithm that no paper with committed results plays may still change, so that its digests may be missing.

An algorithm runs with the constants of its family below. What these do not hold is taken from the first example in its
entry of the table, so that a new algorithm needs no line here.
"""

import difflib
import hashlib
import json
import platform
import shlex
import sys
from collections.abc import Iterable
from pathlib import Path

import numba
import numpy as np
import pytest

from dpbandits.algorithms.glm_single import ldp_ols_estimate
from dpbandits.algorithms.registry import TABLE
from dpbandits.base.checkpoints import log_spaced
from dpbandits.base.registry import ALGORITHMS, ENVIRONMENTS
from dpbandits.environments.base import BINARY, CONTEXTS, MEANS, SETS, SHARED, SIGNED
from dpbandits.environments.combinatorial import disjoint_sets, grid_paths, public_arms, public_bottleneck
from dpbandits.environments.contextual import corner_contexts, one_direction, shared_sphere, sphere_contexts
from dpbandits.environments.linear.bernoulli_linear import draw
from tests.shipped import COMMITTED, played_by

FILE = Path(__file__).with_name("digests.json")
T = 10**5
SEEDS = (0, 1, 2)
RUNS = 200
ACTIONS = np.array(
    [
        *[[1.0, 0.0], [0.921, 0.336], [0.669, 0.689], [0.251, 0.906], [-0.297, 0.871]],
        *[[-0.771, 0.464], [-0.869, -0.139], [-0.494, -0.704], [0.157, -0.825], [0.684, -0.451]],
    ]
)
THETA = np.array([0.6, 0.7])
READING = {"width": 0.25, "extra_batches": 0.0, "tolerance": 1e-3, "whole_maximum": 0.0, "reward_sd": 0.0}
SETTING = {
    **READING,
    **{"core_factor": 1.5, "frank_wolfe": 0.0, "printed_width": 0.0, "delta": 1e-6, "eps": 1.0},
    **{"T": float(T), "dimension": 2.0},
}
SCALES = {f"batch_{i}": 8.0 / i for i in range(1, 11)}  # given to `certified`, so that no accounting is tested here
LINUCB = {  # of the LinUCB framework, on twenty arms
    **{"batch": 5.0, "batch_exponent": 0.0, "failure": 0.0, "ridge_factor": 0.1, "norm": 1.0, "released_ridge": 0.0},
    **{
        "released_radius": 0.0,
        "released_noise": 0.0,
        "released_symmetry": 0.0,
        "released_tree": 0.0,
        "unit_noise": 0.0,
    },
    **{"returning": 0.0, "user_exponent": 0.0, "shariff_sheffet": 0.0, "ridge_by_dimension": 0.0, "bits_factor": 1.0},
    **{"fractional_bits": 0.0, "eps": 20.0, "delta": 0.1, "T": 2000.0, "dimension": 4.0},
}
RELEASED = {
    **{"released_ridge": 1.0, "released_radius": 1.0, "released_noise": 1.0, "released_symmetry": 1.0},
    **{"released_tree": 1.0, "fractional_bits": 1.0, "bits_factor": 20.0},
}
MEANS_OF_ARMS = np.array([0.5, 0.75, 0.25, 0.625, 0.375])
PLAY = {  # of the algorithms for a few arms
    **{"eps": 0.5, "T": 1e4, "exploration": 2.0, "privacy_bonus": 3.0, "beta": 0.0, "restarts": 0.0, "alpha": 3.1},
    **{"alpha_kl": 3.1, "alpha_private": 3.1, "ratio": 2.0, "first_batch": 0.0, "gamma": 0.1, "split_budget": 1.0},
}
SEMI = {  # of the algorithms that play super arms
    **{"eps": 2.0, "T": 1e4, "width": 0.25, "k_squared": 0.0, "fallback": 0.0, "anytime": 0.0, "cucb_root": 0.0},
    **{"over_rounds": 0.0, "base_two": 0.0, "channel": 0.0, "nonprivate": 0.0},
}
SUPER_ARMS = {  # of three base arms; what a case plays that is not named here is the first
    "disjoint": disjoint_sets.draw(np.random.default_rng(0), 3, 3, 0.25, "linear"),
    "public": public_arms.draw(np.random.default_rng(0), 4, 3, 0.6),
    "least": public_bottleneck.draw(np.random.default_rng(0), 4, 3, 0.25),
    "grid": grid_paths.draw(np.random.default_rng(0), 2, 0.25, "linear"),
}
NOISE = {"noise_scale": 4.0, "report": 0.5, "node": 7.0, "sd": 0.5, "gradient": 0.5}
PLAYED = {"structured_dp": "public", "cucb_ldp1:square": "public", "cucb_ldp2:least": "least", "cucb_dp:grid": "grid"}
CONTEXTUAL = {  # of the algorithms for contexts
    **{"eps": 5.0, "T": 2000.0, "arms": 4.0, "dimension": 3.0, "delta": 0.01, "failure": 0.1, "regularization": 2.0},
    **{"bound": 2.0, "schedule": 0.0, "step": 1.1, "offset": 1.0, "curvature": 0.05, "slope": 1.0, "penalty": 0.0},
    **{
        "loss_bound": 2.0,
        "rate_factor": 1.0,
        "regularization_divisor": 1.0,
        "bonus": 0.01,
        "lazy": 200.0,
        "warm_up": 100.0,
    },
    **{"threshold": 0.0, "scheme": 1.0},
    **dict.fromkeys(("nonprivate", "gaussian", "half_noise", "broken_bonus", "broadcast", "released_noise"), 0.0),
    **dict.fromkeys(("released_start", "released_gradient", "tuned", "frequent", "averaged"), 0.0),
    "theory_ridge": 0.0,
}
OF_CONTEXTS = {  # what an algorithm that is not named here plays is the first
    "": sphere_contexts.draw(np.random.default_rng(0), 4, 3, "linear", 0.05),
    "logistic": sphere_contexts.draw(np.random.default_rng(0), 4, 3, "logistic", 0.0),
    "ldp_epoch_greedy": corner_contexts.draw(np.random.default_rng(0), 2000, 0.1),
    "ldp_greedy_first": corner_contexts.draw(np.random.default_rng(0), 2000, 0.1),
    "ldp_ols_estimate": one_direction.draw(np.random.default_rng(0), 2, 1.0, 0.1),
}
OF_ARMS = shared_sphere.draw(np.random.default_rng(0), 4, 3, 0.05)
AS_RELEASED = {
    "released_noise": 1.0,
    "released_start": 1.0,
    "released_gradient": 1.0,
    "regularization": 0.0,
    "schedule": 1.0,
}
CASES = {
    **{name: {} for name in TABLE},
    **{f"{name}:released": AS_RELEASED for name in TABLE if TABLE[name].plays(CONTEXTS) or TABLE[name].plays(SHARED)},
    **{f"{name}:certified": {} for name in TABLE if TABLE[name].arms in (CONTEXTS, SHARED)},
    "ldp_sgd:logistic": {"slope": 0.2, "penalty": 0.05},
    "ldp_gloc:logistic": {"slope": 0.2, "loss_bound": 1.0},
    "ldp_sgd_multi:tuned": {"tuned": 1.0, "threshold": 0.5},
    "dp_se:restarts": {"restarts": 1.0, "eps": 20.0},
    "rnm_ftnl:certified": {},
    "phased_elimination_no_core_set:fw": {"frank_wolfe": 1.0},
    "phased_elimination_no_core_set:uniform_narrow": {"printed_width": 1.0},
    "phased_elimination_shuffled:certified": {},
    **{f"{name}:released": RELEASED for name in TABLE if "released_ridge" in TABLE[name].parameters},
    "linucb:sequential": {"batch": 1.0},
    "linucb_ldp:sequential": {"batch": 1.0},
    "cucb:anytime": {"anytime": 1.0},
    "cucb_ldp1:square": {"k_squared": 1.0, "width": 0.05},
    "cucb_ldp1:certified": {},
    "cucb_ldp2:least": {"width": 0.02, "fallback": 1.0},
    "cucb_dp:certified": {},
    "cucb_dp": {"eps": 50.0, "width": 0.02},
    "cucb_dp_least": {"eps": 50.0, "width": 0.02},
    "cucb_dp:grid": {"eps": 50.0, "width": 0.005, "over_rounds": 1.0, "cucb_root": 1.0},
    "phased_elimination:readings": {"extra_batches": 1.0, "tolerance": 1.0, "whole_maximum": 1.0, "reward_sd": 0.5},
}


CONTEXTUAL_KINDS = {name: kind for kind in (SHARED, CONTEXTS) for name in TABLE if TABLE[name].plays(kind)}


def trace(name, seed):
    key, _, case = name.partition(":")
    algorithm, entry = ALGORITHMS.module(key), TABLE[key]
    calibration = "certified" if case == "certified" else "printed"
    if CONTEXTUAL_KINDS.get(key):
        calibration = {"released": "released", "tuned": "certified"}.get(case, calibration)
    if calibration not in entry.calibrations:
        calibration = entry.examples[0].calibration
    setting, instance, horizon = surroundings(name, entry)
    constants = vars(algorithm.params(calibration, {**setting, **CASES[name]}, noise_of(key, entry))).values()
    return algorithm.run(np.random.default_rng(seed), *instance, *constants, log_spaced(horizon, 10))


def surroundings(name, entry):
    """Setting, instance and horizon; of an algorithm with arms of another kind those of its first example."""
    key, _, case = name.partition(":")
    families = {
        SIGNED: (SETTING, (ACTIONS, THETA), T),
        BINARY: (LINUCB, draw(np.random.default_rng(0), 20, 4), 2000),
        MEANS: (PLAY, (MEANS_OF_ARMS,), 10**4),
        SETS: (SEMI, SUPER_ARMS[PLAYED.get(name, "disjoint")], 10**4),
        CONTEXTS: (CONTEXTUAL, OF_CONTEXTS.get(case or key, OF_CONTEXTS.get(key, OF_CONTEXTS[""])), 2000),
        SHARED: (CONTEXTUAL, OF_ARMS, 2000),
    }
    kind, example = CONTEXTUAL_KINDS.get(key) or entry.arms, entry.examples[0]
    if kind in families:
        setting, instance, horizon = families[kind]
        return {**example.setting, **setting}, instance, horizon
    arguments = {name: value for name, value in example.environment.items() if name != "family"}
    family = ENVIRONMENTS.module(example.environment["family"])
    around = {name: float(value) for name, value in arguments.items() if not isinstance(value, str)}
    setting = {**around, **example.setting, "T": float(example.horizon)}
    return setting, family.draw(np.random.default_rng(0), **arguments), example.horizon


def noise_of(key, entry):
    """Certified noise: that of the family, and of the entry's examples what the family does not have."""
    found = {}
    for example in entry.examples:
        found |= example.noise
    return {**found, **(SCALES if entry.plays(SIGNED) else NOISE)}


def digests(name):
    return [hashlib.sha256(trace(name, seed).tobytes()).hexdigest() for seed in SEEDS]


def final_regrets(name):
    """Of runs on seeds apart from the digests' ones, (RUNS,); errors of what only estimates."""
    column = ldp_ols_estimate.OUTPUTS.index("error") if name.partition(":")[0] == "ldp_ols_estimate" else 0
    return np.array([trace(name, 1000 + seed)[-1, column] for seed in range(RUNS)])


def due(name):
    """Whether a case must have digests: a paper with committed results plays its algorithm."""
    return name.partition(":")[0] in played_by(COMMITTED)


def platform_of():
    """What the last bits of a trace may depend on."""
    return {
        "machine": platform.machine(),
        "libc": "-".join(platform.libc_ver()),
        "python": ".".join(map(str, sys.version_info[:2])),
        "numpy": np.__version__,
        "numba": numba.__version__,
    }


def record(names):
    """Entries of `digests.json` by case."""
    entries = {}
    for name in names:
        regrets = final_regrets(name)
        error = float(regrets.std(ddof=1) / np.sqrt(RUNS))
        entries[name] = {"sha256": digests(name), "mean": float(regrets.mean()), "standard_error": error}
    return entries


def command(*names):
    """What rewrites the digests of some cases."""
    return " ".join(["python -m tests.golden.test_golden_digests --write", *map(shlex.quote, names)])


def selected(asked: Iterable[str]) -> list[str]:
    """The cases of the algorithms and the cases that are asked for; all where nothing is.

    Raises
    ------
    ValueError
        The algorithm or case is unknown.
    """
    found = list(CASES)
    if asked := list(asked):
        for name in asked:
            if name not in CASES:
                near = ", ".join(difflib.get_close_matches(name, list(CASES), n=3)) or "no similar name"
                raise ValueError(f"{name}: unknown algorithm or case; did you mean: {near}?")
        found = [case for case in CASES if case in asked or case.partition(":")[0] in asked]
    return found


def write(file, asked, here):
    """Write the digests of the cases asked for, and leave all others.

    Raises
    ------
    ValueError
        A case is unknown, or the other digests were recorded on another platform.
    """
    names, kept = selected(asked), {}
    if asked:
        golden = json.loads(file.read_text())
        if golden["platform"] != here:
            raise ValueError(f"{file.name} is of another platform, {golden['platform']}; run `{command()}`")
        kept = {name: entry for name, entry in golden["algorithms"].items() if name in CASES}
    found = {"platform": here, "algorithms": {**kept, **record(names)}}
    file.write_text(json.dumps(found, indent=2, sort_keys=True) + "\n")
    return names


def mean_agrees(regrets, entry):
    error = np.hypot(regrets.std(ddof=1) / np.sqrt(len(regrets)), entry["standard_error"])
    return abs(regrets.mean() - entry["mean"]) <= 4 * error


@pytest.fixture(scope="module")
def golden():
    return json.loads(FILE.read_text())


def check(name, golden, here, say):
    """Equal digests; on another platform than the recorded one, the same mean regret."""
    entry = golden["algorithms"].get(name)
    if entry is None:
        says = f"{name}: no digest in {FILE.name}; run `{command(name)}`"
        pytest.fail(says, pytrace=False) if due(name) else pytest.skip(says)
    if digests(name) == entry["sha256"]:
        return
    if here == golden["platform"]:
        remedy = f"if this is intended, run `{command(name)}` and report old and new numbers in the commit"
        pytest.fail(f"{name}: other bits on the same platform; {remedy}", pytrace=False)
    regrets = final_regrets(name)
    means = f"mean regret {regrets.mean():.6g} for {entry['mean']:.6g}"
    say(f"{name}: bits of {golden['platform']} not reproduced on {here}; {means}")
    assert mean_agrees(regrets, entry)


@pytest.mark.parametrize("name", CASES)
def test_traces_have_their_golden_digest(name, golden, say):
    check(name, golden, platform_of(), say)


def test_every_case_is_recorded_and_no_other(golden):
    missing = [name for name in CASES if due(name) and name not in golden["algorithms"]]
    unknown = [name for name in golden["algorithms"] if name not in CASES]
    assert not missing, f"no digest; run `{command(*missing)}`"
    assert not unknown, f"digests of unknown cases; delete them from {FILE.name}, or run `{command()}`"
    assert list(golden["algorithms"]) == sorted(golden["algorithms"])


# The check itself


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_other_bits_fail_at_home_and_fall_back_elsewhere(name, golden):
    known = golden["algorithms"].get(name) or record([name])[name]
    entry = {**known, "sha256": ["another"] * len(SEEDS)}
    changed = {"platform": platform_of(), "algorithms": {name: entry}}
    with pytest.raises(pytest.fail.Exception, match=f"same platform; .*--write {name}` and"):
        check(name, changed, platform_of(), print)
    said = []
    check(name, changed, {**platform_of(), "machine": "another"}, said.append)
    assert len(said) == 1
    entry["mean"] += 0.5 * entry["mean"] + 10 * entry["standard_error"]
    with pytest.raises(AssertionError, match="mean_agrees"):
        check(name, changed, {**platform_of(), "machine": "another"}, said.append)


def test_a_missing_digest_of_a_draft_is_skipped_with_the_command(monkeypatch):
    monkeypatch.setattr(f"{__name__}.due", lambda name: False)
    with pytest.raises(pytest.skip.Exception, match=r"^ucb1: no digest in digests\.json; run `python -m .* ucb1`$"):
        check("ucb1", {"platform": platform_of(), "algorithms": {}}, platform_of(), print)


def test_a_missing_digest_is_a_message_with_the_command():
    with pytest.raises(pytest.fail.Exception, match=r"^ucb1: no digest in digests\.json; run `python -m .* ucb1`$"):
        check("ucb1", {"platform": platform_of(), "algorithms": {}}, platform_of(), print)


def test_names_select_an_algorithm_with_its_variants_or_one_case():
    assert selected([]) == list(CASES)
    assert selected(["cucb"]) == ["cucb", "cucb:anytime"]
    assert selected(["cucb:anytime", "ucb1"]) == ["ucb1", "cucb:anytime"]
    with pytest.raises(ValueError, match=r"^anytime_lazy_ubc: unknown .*; did you mean: anytime_lazy_ucb\?$"):
        selected(["ucb1", "anytime_lazy_ubc"])


def test_writing_some_digests_leaves_the_others(tmp_path, golden):
    file, here = tmp_path / "digests.json", {"machine": "here"}
    other = {"sha256": ["as it was"], "mean": 0.0, "standard_error": 0.0}
    before = {"ucb1": other, "anytime_lazy_ucb": other, "removed": other}
    file.write_text(json.dumps({"platform": here, "algorithms": before}))
    assert write(file, ["ucb1"], here) == ["ucb1"]
    after = json.loads(file.read_text())
    assert after == {"platform": here, "algorithms": {**record(["ucb1"]), "anytime_lazy_ucb": other}}
    with pytest.raises(ValueError, match=r"digests\.json is of another platform, .*; run `.* --write`$"):
        write(file, ["ucb1"], {"machine": "there"})
    assert json.loads(file.read_text()) == after


@pytest.mark.parametrize("name", TABLE)
def test_the_first_example_stands_in_for_constants_that_are_not_given_here(name, monkeypatch):
    """As for an algorithm whose arms are of a kind of its own."""
    monkeypatch.setitem(CASES, name, {})
    monkeypatch.setitem(CONTEXTUAL_KINDS, name, "arms of another kind")
    example = TABLE[name].examples[0]
    setting, instance, horizon = surroundings(name, TABLE[name])
    assert horizon == example.horizon
    assert setting.items() >= example.setting.items()
    algorithm = ALGORITHMS.module(name)
    params = algorithm.params(example.calibration, setting, noise_of(name, TABLE[name]))
    found = algorithm.run(np.random.default_rng(0), *instance, *vars(params).values(), np.array([horizon]))
    assert found.shape == (1, len(TABLE[name].outputs))


if __name__ == "__main__":
    flag, *asked = sys.argv[1:] or [""]
    if flag != "--write":
        sys.exit(f"usage: {command()} [NAME ...]")
    try:
        names = write(FILE, asked, platform_of())
    except ValueError as error:
        sys.exit(str(error))
    print(f"wrote {len(names)} digests to {FILE}")
