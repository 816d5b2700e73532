"""LinUCB and its private versions for contextual bandits: their entries in the table of algorithms."""

from dpbandits.algorithms.entry import POSITIVE, PROBABILITY, SWITCH, Algorithm, Range
from dpbandits.environments.table import BINARY

FRAMEWORK = {
    "batch": Range(0.0, 1e9, closed=True, whole=True),
    "batch_exponent": Range(0.0, 1.0, closed=True),
    "failure": Range(0.0, 0.5, closed=True),
    "ridge_factor": POSITIVE,
    "norm": POSITIVE,
    "released_ridge": SWITCH,
    "released_radius": SWITCH,
}
"""Parameters of every algorithm of `linucb_framework`: a batch of 0 is T^batch_exponent, a failure of 0 is 1/T."""
NOISY = {**FRAMEWORK, "delta": PROBABILITY, "released_noise": SWITCH}
GAUSSIAN = {**NOISY, "unit": SWITCH, "released_symmetry": SWITCH}
LINUCB = ("regret", "realised", "updates", "indefinite", "negative", "growing")
"""Outputs of the algorithms of `linucb_framework`."""
RELEASED = {"printed": "printed", "released": "released", "certified": "certified"}

ENTRIES = {
    "uniform_play": Algorithm(
        label="Uniform play",
        short="uniform",
        reference="no learning: what a regret is large against",
        guarantee="none: the actions depend on nothing",
        parameters={},
        arms=BINARY,
        grid=(),
        outputs=("regret",),
        calibrations={"printed": "printed", "released": "released", "certified": "printed"},
    ),
    "linucb": Algorithm(
        label="LinUCB (no privacy)",
        short="LinUCB",
        reference="Abbasi-Yadkori et al. 2011; Chowdhury and Zhou 2022, baseline of Figures 1 and 2",
        guarantee="none",
        parameters={**FRAMEWORK, "ridge_by_dimension": SWITCH},
        arms=BINARY,
        grid=(),
        outputs=LINUCB,
        calibrations={"printed": "printed", "released": "released", "certified": "printed"},
    ),
    "linucb_central": Algorithm(
        label="LinUCB, central (tree)",
        short="LinUCB-JDP",
        reference="Shariff and Sheffet 2018; Chowdhury and Zhou 2022, Appendix F",
        guarantee="others' actions are (eps, delta)-DP when one user, norm <= 1 and reward in [0, 1], is replaced",
        parameters={
            **GAUSSIAN,
            "user_exponent": Range(0.0, 1.0, closed=True),
            "shariff_sheffet": SWITCH,
            "released_tree": SWITCH,
        },
        arms=BINARY,
        grid=("eps",),
        outputs=LINUCB,
        calibrations=RELEASED,
    ),
    "linucb_local": Algorithm(
        label="LinUCB, local",
        short="LinUCB-LDP",
        reference="Zheng et al. 2020; Chowdhury and Zhou 2022, Appendix F",
        guarantee="every message is (eps, delta)-DP for features of norm <= 1 and rewards in [0, 1]",
        parameters=GAUSSIAN,
        arms=BINARY,
        grid=("eps",),
        outputs=LINUCB,
        calibrations=RELEASED,
    ),
    "linucb_shuffled_amplified": Algorithm(
        label="LinUCB, shuffled Gaussian reports",
        short="LinUCB-SDP-Amp",
        reference="Chowdhury and Zhou 2022, Algorithms 1 to 4",
        guarantee="a shuffled batch is (eps, delta)-DP when one user, norm <= 1 and reward in [0, 1], is replaced",
        parameters={**GAUSSIAN, "returning": SWITCH},
        arms=BINARY,
        grid=("eps",),
        outputs=LINUCB,
        calibrations=RELEASED,
    ),
    "linucb_shuffled_vector_sum": Algorithm(
        label="LinUCB, shuffled bits",
        short="LinUCB-SDP-Vec",
        reference="Chowdhury and Zhou 2022, Algorithms 1 and 5 to 7",
        guarantee="a shuffled batch is (eps, delta)-DP when one user, norm <= 1 and reward in [0, 1], is replaced",
        parameters={**NOISY, "returning": SWITCH, "bits_factor": POSITIVE, "fractional_bits": SWITCH},
        arms=BINARY,
        grid=("eps",),
        outputs=LINUCB,
        calibrations=RELEASED,
        noise_asks=("dimension",),
    ),
}
