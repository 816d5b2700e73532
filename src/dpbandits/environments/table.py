"""The one table of all environments.

The name of a family is the name of its module in this folder, whose `draw` makes an instance from a random stream and
the family's arguments.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from dpbandits.contexts.loans import FILE


@dataclass(frozen=True)
class Family:
    """One family of instances.

    Attributes
    ----------
    arms : what an instance tells an algorithm about its arms; algorithms play families of their own kind.
    arguments : names of the arguments of `draw`.
    refuses : whether `draw` raises ValueError for some arguments that lie each in its own range.
    words : of the arguments those that are words and not numbers, each with the words that it may be.
    files : words that stand for a file, each with its place below the folder of the project.
    holds : numbers in an instance, or in what an algorithm keeps of it, by its arguments; given where arguments that
        lie each in their range may make too many of them.
    """

    arms: str
    arguments: tuple[str, ...]
    refuses: bool = False
    words: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    holds: Callable[[Mapping[str, float]], float] | None = None


def _super_arms(given: Mapping[str, float]) -> float:
    """Base arms of every super arm, listed."""
    return (given["bad"] + 1) * given["size"]


def _brackets(given: Mapping[str, float]) -> float:
    """Arms of all brackets."""
    return sum(given["fewest"] * given["growth"] ** bracket for bracket in range(int(given["brackets"])))


def _matrices(given: Mapping[str, float]) -> float:
    """A matrix an arm."""
    return given["arms"] * given["dimension"] ** 2


SIGNED, BINARY, MEANS = "features, rewards in [-1, 1]", "features, rewards 0 or 1", "means of 0 or 1"
SETS = "semi-bandit feedback of super arms"
CONTEXTS, SHARED = "contexts, one parameter", "one context, a parameter an arm"

TABLE: Mapping[str, Family] = {
    "linear": Family(SIGNED, ("arms", "dimension")),
    "bernoulli_linear": Family(BINARY, ("arms", "dimension")),
    "bernoulli_linear_released": Family(BINARY, ("arms", "dimension")),
    "bernoulli_linear_circle": Family(BINARY, ("arms", "dimension")),
    "bernoulli_spread": Family(MEANS, ("arms", "best", "gap", "spread"), refuses=True),
    "bernoulli_one_gap": Family(MEANS, ("arms", "gap", "middle", "octave"), refuses=True),
    "bernoulli_doubling_gaps": Family(MEANS, ("brackets", "fewest", "growth"), holds=_brackets),
    "disjoint_sets": Family(
        SETS,
        ("bad", "size", "gap", "reward"),
        refuses=True,
        words={"reward": ("linear", "bottleneck")},
        holds=_super_arms,
    ),
    "public_arms": Family(SETS, ("bad", "size", "gap"), refuses=True, holds=_super_arms),
    "public_bottleneck": Family(SETS, ("bad", "size", "gap"), refuses=True),
    "any_subsets": Family(
        SETS,
        ("arms", "size", "gap", "reward"),
        refuses=True,
        words={"reward": ("linear", "bottleneck", "best_of", "product")},
    ),
    "grid_paths": Family(SETS, ("side", "gap", "reward"), refuses=True, words={"reward": ("linear", "bottleneck")}),
    "spanning_trees": Family(
        SETS, ("vertices", "gap", "reward"), refuses=True, words={"reward": ("linear", "bottleneck")}
    ),
    "matchings": Family(SETS, ("left", "right", "gap"), refuses=True),
    "coverage": Family(SETS, ("left", "right", "density", "picks"), refuses=True),
    "karate_club": Family(SETS, ("picks",), refuses=True),
    "sphere_contexts": Family(
        CONTEXTS,
        ("arms", "dimension", "link", "noise"),
        refuses=True,
        words={"link": ("linear", "logistic", "poisson")},
    ),
    "gaussian_contexts": Family(CONTEXTS, ("arms", "dimension", "norm", "noise")),
    "margin_contexts": Family(CONTEXTS, ("dimension", "beta", "noise"), refuses=True),
    "corner_contexts": Family(CONTEXTS, ("rounds", "noise")),
    "diverse_contexts": Family(CONTEXTS, ("rounds", "noise")),
    "one_direction": Family(CONTEXTS, ("dimension", "noise"), refuses=True),
    "all_directions": Family(CONTEXTS, ("dimension", "noise"), refuses=True),
    "auto_lending": Family(
        CONTEXTS,
        ("arms", "dimension", "source", "link"),
        refuses=True,
        words={"source": ("stand_in", "provided"), "link": ("logistic", "logistic_mean")},
        files={"provided": FILE},
    ),
    "shared_sphere": Family(SHARED, ("arms", "dimension", "noise"), holds=_matrices),
    "shared_gaussian": Family(SHARED, ("arms", "dimension", "noise"), holds=_matrices),
    "shared_intercept": Family(SHARED, ("arms", "dimension", "noise"), refuses=True, holds=_matrices),
}
