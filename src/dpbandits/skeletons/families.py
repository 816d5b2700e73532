"""Starting point of the skeletons of each algorithm family: the algorithm to copy, and the audit."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields

from dpbandits.algorithms.base import Algorithm
from dpbandits.algorithms.registry import TABLE
from dpbandits.base.entries import Look
from dpbandits.base.registry import ALGORITHMS
from dpbandits.privacy.mechanisms import GAUSSIAN_NOISE, LAPLACE_NOISE, LAPLACE_SUM_NOISE

BASELINES = "baselines"
"""Package of algorithms that choose at random. Figures draw them with every family."""
LAPLACE_GRID = {"smoke": "[1]", "quick": "[0.1, 1]", "full": "[0.1, 0.5, 1, 5]"}
GAUSSIAN_GRID = {"smoke": "[1]", "quick": "[0.5, 1]", "full": "[0.5, 1, 5]"}
MARKERS = "osD^vPX<>ph*d8"
DASHES = ("-", "--", "-.", ":")


@dataclass(frozen=True)
class Audit:
    """Audit in a skeleton: its YAML section, and what its test expects.

    Attributes
    ----------
    release : name of the function in the template `audit_<family>.py`.
    title, says, domain, neighbors, inputs, view, proof : as in the YAML.
    kinds, trust_models, reads, unlike : which algorithms have the noise of this release: kinds of noise, trust models,
        fields that their `Params` must have, and fields that they must lack.
    numbers : names of environment numbers that the release reads.
    constants : further constants, as YAML.
    grid : epsilons at each scale, as YAML.
    expected : the printed amount of noise, as Python source; `source` is the function that it calls, with its module.
    why : docstring of that test.
    """

    release: str
    title: str
    says: str
    domain: str
    neighbors: str
    inputs: str
    view: str
    proof: str
    why: str
    kinds: tuple[str, ...] = (LAPLACE_NOISE.kind,)
    trust_models: tuple[str, ...] = ("local",)
    reads: tuple[str, ...] = ()
    unlike: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()
    constants: Mapping[str, str] = field(default_factory=dict)
    grid: Mapping[str, str] = field(default_factory=lambda: LAPLACE_GRID)
    expected: str = "1 / cell.eps"
    source: tuple[str, str] | None = None


@dataclass(frozen=True)
class Family:
    """Starting point of a family's skeletons.

    Attributes
    ----------
    model : private algorithm that `dpbandits new algorithm` copies, unless the family has its own template.
    baseline : algorithm without privacy, also drawn in the figure.
    horizon : horizon of the experiment.
    eps : privacy budgets of the experiment, increasing.
    audit : audit of the family's papers.
    """

    model: str
    baseline: str
    horizon: int
    eps: tuple[float, ...]
    audit: Audit


FAMILIES = {
    "bernoulli": Family(
        model="anytime_lazy_ucb",
        baseline="ucb1",
        horizon=10_000,
        eps=(0.1, 0.5, 1.0, 5.0),
        audit=Audit(
            release="sums",
            title="noisy sums",
            says="The noisy sum of the rewards of one arm in one batch.",
            domain="rewards in [0, 1]",
            neighbors="the reward vector of one round replaced by any other",
            inputs="a reward of 0, or of 1 in its place",
            view="the noisy sum of the batch that contains the replaced reward",
            proof="laplace, batches",
            why="A replaced reward in [0, 1] changes a sum by at most 1.",
            trust_models=("central",),
            reads=("eps",),
        ),
    ),
    "full_information": Family(
        model="rnm_ftnl",
        baseline="ftl",
        horizon=10_000,
        eps=(0.1, 0.5, 1.0, 5.0),
        audit=Audit(
            release="leader",
            title="noisy leader",
            says="The action with the largest noisy sum of rewards in one epoch.",
            domain="rewards in [0, 1]",
            neighbors="the reward vector of one round replaced by any other",
            inputs="in one round the first action gets 0 and all others get 1, or the other way round",
            view="the leader of an epoch in which the first action has reward 0 and all others 1, but for one round",
            proof="noisy_max",
            why="As printed. A replaced reward vector moves some sums up and others down, so the leader is 2 eps-DP.",
            trust_models=("central",),
            reads=("noise_scale",),
            numbers=("arms",),
            constants={"rounds": "2"},
        ),
    ),
    "glm_multi": Family(
        model="ldp_ucb_multi",
        baseline="random_arms",
        horizon=2_000,
        eps=(1.0, 5.0, 20.0, 100.0),
        audit=Audit(
            release="messages",
            title="messages to all arms",
            says="The messages of one user to all arms, with normal noise.",
            domain="contexts of norm at most 1, rewards in [-1, 1], any arm",
            neighbors="one user replaced by any other",
            inputs="the two users of the first arm whose messages are farthest apart",
            view="the messages of a round",
            proof="gaussian, least_squares_message, several_blocks",
            why="The standard deviation of the printed noise on every entry of a message.",
            kinds=(GAUSSIAN_NOISE.kind,),
            reads=("clip", "server"),
            numbers=("arms", "dimension"),
            grid=GAUSSIAN_GRID,
            expected="baseline_sd(cell.eps, cell.delta, 2)",
            source=("dpbandits.privacy.local_scales", "baseline_sd"),
        ),
    ),
    "glm_single": Family(
        model="ldp_ucb",
        baseline="random_arms",
        horizon=2_000,
        eps=(1.0, 5.0, 20.0, 100.0),
        audit=Audit(
            release="message",
            title="message",
            says="The message of one user, with normal noise.",
            domain="contexts of norm at most 1, rewards in [-1, 1]",
            neighbors="one user replaced by any other",
            inputs="the two users with the reward 1 whose messages are farthest apart",
            view="the message",
            proof="gaussian, least_squares_message",
            why="The standard deviation of the printed noise on every entry of a message.",
            kinds=(GAUSSIAN_NOISE.kind,),
            reads=("sigma",),
            numbers=("dimension",),
            grid=GAUSSIAN_GRID,
            expected="baseline_sd(cell.eps, cell.delta, 2)",
            source=("dpbandits.privacy.local_scales", "baseline_sd"),
        ),
    ),
    "linucb": Family(
        model="linucb_ldp",
        baseline="linucb",
        horizon=2_000,
        eps=(1.0, 5.0, 20.0, 100.0),
        audit=Audit(
            release="message",
            title="message",
            says="The message of one user, with normal noise.",
            domain="features of norm at most 1, rewards in [0, 1]",
            neighbors="one user replaced by any other",
            inputs="the two users with the reward 1 whose messages are farthest apart",
            view="the message",
            proof="gaussian, least_squares_message",
            why="The standard deviation of the printed noise on every entry of a message.",
            kinds=(GAUSSIAN_NOISE.kind,),
            reads=("protocol",),
            numbers=("dimension",),
            grid=GAUSSIAN_GRID,
            expected="local_sd_printed(cell.eps, cell.delta)",
            source=("dpbandits.privacy.gaussian_scales", "local_sd_printed"),
        ),
    ),
    "phased_elimination": Family(
        model="phased_elimination_central",
        baseline="phased_elimination",
        horizon=10_000,
        eps=(0.05, 0.2, 1.0, 5.0),
        audit=Audit(
            release="sums",
            title="noisy sums",
            says="The noisy sum of the rewards of one action in one batch, or one noisy report.",
            domain="rewards in [-1, 1]",
            neighbors="one reward replaced by any other",
            inputs="a reward of -1, or of 1 in its place",
            view="the number with noise that contains the replaced reward",
            proof="laplace, batches",
            why="As printed. Two rewards in [-1, 1] differ by up to 2, so the sum is 2 eps-DP.",
            kinds=(LAPLACE_NOISE.kind, LAPLACE_SUM_NOISE.kind),
            trust_models=("central", "local"),
            reads=("noise_scale",),
        ),
    ),
    "semi_bandit": Family(
        model="cucb_ldp2",
        baseline="cucb",
        horizon=10_000,
        eps=(0.1, 0.5, 1.0, 5.0),
        audit=Audit(
            release="report",
            title="report",
            says="The report of one user on one base arm.",
            domain="outcomes in [0, 1]^m",
            neighbors="the outcomes of one user replaced by any others",
            inputs="an outcome of 0, or of 1 in its place",
            view="the user's report",
            proof="laplace",
            why="A replaced outcome in [0, 1] changes a report by at most 1.",
            reads=("scale",),
            unlike=("k_squared",),  # reports on all base arms of a super arm, with noise scaled for all of them
        ),
    ),
}


def family_of(algorithm: str) -> str:
    """Return the package of `dpbandits.algorithms` that holds an algorithm."""
    return ALGORITHMS.place(algorithm).split(".")[2]


def audit_fits(algorithm: str) -> bool:
    """Return whether an algorithm has the noise that its family's audit skeleton expects."""
    entry, family = TABLE[algorithm], FAMILIES.get(family_of(algorithm))
    if family is None:
        return False
    audit, names = family.audit, {each.name for each in fields(ALGORITHMS.module(algorithm).Params)}
    return (
        "printed" in entry.calibrations
        and entry.trust_model in audit.trust_models
        and any(noise.kind in audit.kinds for noise in entry.noise)
        and names.issuperset(audit.reads)
        and names.isdisjoint(audit.unlike)
        and all(number in entry.examples[0].environment for number in audit.numbers)
    )


def new_look(family: str) -> Look:
    """Return an unused look: a marker that no curve of a family has, or else an unused pair of marker and dash."""
    names = [name for name in ALGORITHMS.places() if family_of(name) in (family, BASELINES)]
    taken = [look for name in names for look in looks_of(TABLE[name])]
    markers, pairs = {look.marker for look in taken}, {(look.marker, look.dash) for look in taken}
    free = [(marker, dash) for dash in DASHES for marker in MARKERS if (marker, dash) not in pairs]
    marker, dash = min(free or [(MARKERS[0], DASHES[0])], key=lambda pair: pair[0] in markers)
    return Look(marker, dash)


def looks_of(entry: Algorithm) -> tuple[Look, ...]:
    """Return how figures draw an algorithm and its variants."""
    return entry.look, *entry.looks.values()
