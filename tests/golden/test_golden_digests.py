"""Traces of every algorithm never change unnoticed: SHA-256 of their bytes for three seeds of one fixed instance.

Also of its variants, of certified scales that differ from batch to batch, and of all other readings at once.

Bits are promised for the platform that `digests.json` records. There, a mismatch fails; if the change is meant, run
`python tests/golden/test_golden_digests.py --write` and say so in the commit. Elsewhere a mismatch falls back, visibly,
to the law: the mean regret of 200 runs must stand within 4 standard errors of the recorded mean.
"""

import hashlib
import json
import platform
import sys
from importlib import import_module
from pathlib import Path

import numba
import numpy as np
import pytest

from dpbandits.algorithms import least_squares_estimate
from dpbandits.algorithms.table import TABLE
from dpbandits.checkpoints import log_spaced
from dpbandits.environments import (
    corner_contexts,
    disjoint_sets,
    grid_paths,
    one_direction,
    public_arms,
    public_bottleneck,
    shared_sphere,
    sphere_contexts,
)
from dpbandits.environments.bernoulli_linear import draw
from dpbandits.environments.table import BINARY, CONTEXTS, MEANS, SETS, SHARED, SIGNED

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
SETTING = {**READING, "core_factor": 1.5, "frank_wolfe": 0.0, "printed_width": 0.0, "delta": 1e-6, "eps": 1.0}
SCALES = {f"batch_{i}": 8.0 / i for i in range(1, 11)}  # given to `certified`, so that no accounting is tested here
LINUCB = {  # of the LinUCB framework, on twenty arms
    **{"batch": 5.0, "batch_exponent": 0.0, "failure": 0.0, "ridge_factor": 0.1, "norm": 1.0, "released_ridge": 0.0},
    **{"released_radius": 0.0, "released_noise": 0.0, "released_symmetry": 0.0, "released_tree": 0.0, "unit": 0.0},
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
    **dict.fromkeys(TABLE["regret_rate"].parameters, 1.0),
}
SEMI = {  # of the algorithms that play super arms
    **{"eps": 2.0, "T": 1e4, "width": 0.25, "square": 0.0, "negative": 0.0, "anytime": 0.0, "steady": 0.0},
    **{"over_rounds": 0.0, "base_two": 0.0, "channel": 0.0, "open": 0.0},
    **dict.fromkeys(TABLE["semi_bandit_rate"].parameters, 1.0),
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
    **{"eps": 5.0, "T": 2000.0, "arms": 4.0, "dimension": 3.0, "delta": 0.01, "failure": 0.1, "shift": 2.0},
    **{"bound": 2.0, "schedule": 0.0, "step": 1.1, "offset": 1.0, "curvature": 0.05, "slope": 1.0, "penalty": 0.0},
    **{"loss_bound": 2.0, "rate_factor": 1.0, "shift_divisor": 1.0, "bonus": 0.01, "lazy": 200.0, "warm_up": 100.0},
    **{"threshold": 0.0, "scheme": 1.0},
    **dict.fromkeys(("open", "gaussian", "half_noise", "broken_bonus", "broadcast", "released_noise"), 0.0),
    **dict.fromkeys(("released_start", "released_gradient", "tuned", "frequent", "averaged"), 0.0),
    "theory_ridge": 0.0,
}
OF_CONTEXTS = {  # what an algorithm that is not named here plays is the first
    "": sphere_contexts.draw(np.random.default_rng(0), 4, 3, "linear", 0.05),
    "logistic": sphere_contexts.draw(np.random.default_rng(0), 4, 3, "logistic", 0.0),
    "epoch_greedy_gradient": corner_contexts.draw(np.random.default_rng(0), 2000, 0.1),
    "greedy_first_gradient": corner_contexts.draw(np.random.default_rng(0), 2000, 0.1),
    "least_squares_estimate": one_direction.draw(np.random.default_rng(0), 2, 0.1),
}
OF_ARMS = shared_sphere.draw(np.random.default_rng(0), 4, 3, 0.05)
AS_RELEASED = {"released_noise": 1.0, "released_start": 1.0, "released_gradient": 1.0, "shift": 0.0, "schedule": 1.0}
CASES = {
    **{name: {} for name in TABLE},
    **{f"{name}:released": AS_RELEASED for name in TABLE if TABLE[name].plays(CONTEXTS) or TABLE[name].plays(SHARED)},
    **{f"{name}:certified": {} for name in TABLE if TABLE[name].arms in (CONTEXTS, SHARED)},
    "greedy_gradient:logistic": {"slope": 0.2, "penalty": 0.05},
    "gloc:logistic": {"slope": 0.2, "loss_bound": 1.0},
    "greedy_gradient_by_arm:tuned": {"tuned": 1.0, "threshold": 0.5},
    "dp_successive_elimination:restarts": {"restarts": 1.0, "eps": 20.0},
    "noisy_leader:certified": {},
    "phased_elimination_central_whole:fw": {"frank_wolfe": 1.0},
    "phased_elimination_central_whole:uniform_narrow": {"printed_width": 1.0},
    "phased_elimination_shuffled:certified": {},
    **{f"{name}:released": RELEASED for name in TABLE if name.startswith("linucb")},
    "linucb:sequential": {"batch": 1.0},
    "linucb_local:sequential": {"batch": 1.0},
    "cucb:anytime": {"anytime": 1.0},
    "cucb_ldp1:square": {"square": 1.0, "width": 0.05},
    "cucb_ldp1:certified": {},
    "cucb_ldp2:least": {"width": 0.02, "negative": 1.0},
    "cucb_dp:certified": {},
    "cucb_dp": {"eps": 50.0, "width": 0.02},
    "cucb_dp_least": {"eps": 50.0, "width": 0.02},
    "cucb_dp:grid": {"eps": 50.0, "width": 0.005, "over_rounds": 1.0, "steady": 1.0},
    "phased_elimination:readings": {"extra_batches": 1.0, "tolerance": 1.0, "whole_maximum": 1.0, "reward_sd": 0.5},
}


CONTEXTUAL_KINDS = {name: kind for kind in (SHARED, CONTEXTS) for name in TABLE if TABLE[name].plays(kind)}


def trace(name, seed):
    key = name.partition(":")[0]
    algorithm = import_module(f"dpbandits.algorithms.{key}")
    case = name.partition(":")[2]
    calibration = "certified" if case == "certified" or name == "structured_dp" else "printed"
    if CONTEXTUAL_KINDS.get(key):
        calibration = {"released": "released", "tuned": "certified"}.get(case, calibration)
    noise = SCALES if key.startswith("phased") else NOISE
    setting, instance, horizon = {
        SIGNED: (SETTING, (ACTIONS, THETA), T),
        BINARY: (LINUCB, draw(np.random.default_rng(0), 20, 4), 2000),
        MEANS: (PLAY, (MEANS_OF_ARMS,), 10**4),
        SETS: (SEMI, SUPER_ARMS[PLAYED.get(name, "disjoint")], 10**4),
        CONTEXTS: (CONTEXTUAL, OF_CONTEXTS.get(case or key, OF_CONTEXTS.get(key, OF_CONTEXTS[""])), 2000),
        SHARED: (CONTEXTUAL, OF_ARMS, 2000),
    }[CONTEXTUAL_KINDS.get(key) or TABLE[key].arms]
    constants = vars(algorithm.params(calibration, {**setting, **CASES[name]}, noise)).values()
    return algorithm.run(np.random.default_rng(seed), *instance, *constants, log_spaced(horizon, 10))


def digests(name):
    return [hashlib.sha256(trace(name, seed).tobytes()).hexdigest() for seed in SEEDS]


def final_regrets(name):
    """Of runs on seeds apart from the digests' ones, (RUNS,); errors of what only estimates."""
    column = least_squares_estimate.OUTPUTS.index("error") if name.startswith("least_squares_estimate") else 0
    return np.array([trace(name, 1000 + seed)[-1, column] for seed in range(RUNS)])


def platform_of():
    """What the last bits of a trace may hang on."""
    return {
        "machine": platform.machine(),
        "libc": "-".join(platform.libc_ver()),
        "python": ".".join(map(str, sys.version_info[:2])),
        "numpy": np.__version__,
        "numba": numba.__version__,
    }


def record():
    entries = {}
    for name in CASES:
        regrets = final_regrets(name)
        error = float(regrets.std(ddof=1) / np.sqrt(RUNS))
        entries[name] = {"sha256": digests(name), "mean": float(regrets.mean()), "standard_error": error}
    return {"platform": platform_of(), "algorithms": entries}


def law_holds(regrets, entry):
    error = np.hypot(regrets.std(ddof=1) / np.sqrt(len(regrets)), entry["standard_error"])
    return abs(regrets.mean() - entry["mean"]) <= 4 * error


@pytest.fixture(scope="module")
def golden():
    return json.loads(FILE.read_text())


def check(name, golden, here, say):
    """Equal digests, or on another platform than the recorded one the same law."""
    entry = golden["algorithms"][name]
    if digests(name) == entry["sha256"]:
        return
    assert here != golden["platform"], f"{name}: other bits on the same platform; see the module's text"
    regrets = final_regrets(name)
    means = f"mean regret {regrets.mean():.6g} for {entry['mean']:.6g}"
    say(f"{name}: bits of {golden['platform']} not reproduced on {here}; {means}")
    assert law_holds(regrets, entry)


@pytest.mark.parametrize("name", CASES)
def test_traces_have_their_golden_digest(name, golden, say):
    check(name, golden, platform_of(), say)


def test_every_case_is_recorded_and_no_other(golden):
    assert list(golden["algorithms"]) == sorted(CASES)


# The check itself


@pytest.mark.parametrize("name", CASES)
def test_other_bits_fail_at_home_and_fall_back_elsewhere(name, golden):
    entry = {**golden["algorithms"][name], "sha256": ["another"] * len(SEEDS)}
    changed = {"platform": platform_of(), "algorithms": {name: entry}}
    with pytest.raises(AssertionError, match="other bits on the same platform"):
        check(name, changed, platform_of(), print)
    said = []
    check(name, changed, {**platform_of(), "machine": "another"}, said.append)
    assert len(said) == 1
    entry["mean"] += 0.5 * entry["mean"] + 10 * entry["standard_error"]
    with pytest.raises(AssertionError, match="law_holds"):
        check(name, changed, {**platform_of(), "machine": "another"}, said.append)


if __name__ == "__main__":
    if sys.argv[1:] != ["--write"]:
        sys.exit(f"usage: python {sys.argv[0]} --write")
    FILE.write_text(json.dumps(record(), indent=2, sort_keys=True) + "\n")
    print(f"wrote {FILE}")
