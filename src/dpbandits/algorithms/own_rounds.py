"""Play rounds with a user-defined class: what it is told, its answers, and their regret.

Sums are computed as in the kernels of registered algorithms, so that equal answers have bit-identical regret.
"""

import operator
from collections.abc import Callable, Mapping
from typing import Any, Protocol

import numpy as np
from numpy.random import Generator

from dpbandits.algorithms.shared.contextual import add, shortfall
from dpbandits.environments.base import CONTEXTS, MEANS, SETS, SHARED, SIGNED
from dpbandits.environments.combinatorial.oracles.oracle import choose, mean_reward
from dpbandits.environments.combinatorial.problem import COVERED, LINEAR, ROUNDING
from dpbandits.environments.combinatorial.problem import Problem as SuperArmProblem
from dpbandits.environments.contextual.distributions import offer, reward
from dpbandits.environments.contextual.problem import Problem as ContextProblem
from dpbandits.environments.contextual.problem import instance_stream
from dpbandits.environments.linear.bernoulli_linear import probabilities
from dpbandits.environments.linear.linear import arm_means

Reward = Callable[[Generator, float], float]


class WrongAnswer(ValueError):
    """A class returned, or passed to the oracle, something not allowed; the one-line message says what is allowed."""


class Rounds(Protocol):
    """The rounds of one run.

    Attributes
    ----------
    told : arguments that the constructor of the class may take, by name.
    """

    told: Mapping[str, Any]

    def play(self, player: Any, t: int) -> None:
        """Play round t; raises WrongAnswer if the answer is not allowed."""

    def outputs(self) -> tuple[float, float]:
        """Regret, and number of pulls of the best arms, so far."""


def rounds_of(kind: str, instance: tuple[Any, ...], rng: Generator) -> Rounds:
    """The rounds of a run on an instance with this kind of arms."""
    if kind in (CONTEXTS, SHARED):
        return WithContexts(instance[0])
    if kind == SETS:
        return SuperArms(instance[0], rng)
    if kind == MEANS:
        return FixedArms(instance[0], zero_or_one, None, rng)
    features, theta = instance
    if kind == SIGNED:
        return FixedArms(arm_means(features, theta), sign, features, rng)
    return FixedArms(probabilities(features, theta), zero_or_one, features, rng)


class FixedArms:
    """Arms with fixed means: `act(t)` returns an arm."""

    def __init__(self, means: np.ndarray, draw: Reward, features: np.ndarray | None, rng: Generator) -> None:
        self.means, self.gaps = means.tolist(), (means.max() - means).tolist()
        self.draw, self.rng, self.pulls = draw, rng, [0] * len(means)
        dimension = None if features is None else features.shape[1]
        own = None if features is None else features.copy()  # the class may change its copy
        self.told: Mapping[str, Any] = {"arms": len(means), "features": own, "dimension": dimension}

    def play(self, player: Any, t: int) -> None:
        """Play round t."""
        arm = arm_of(player, player.act(t), t, len(self.means))
        player.update(t, arm, self.draw(self.rng, self.means[arm]))
        self.pulls[arm] += 1

    def outputs(self) -> tuple[float, float]:
        """Computed from the pulls, as in the kernels."""
        regret = 0.0
        for count, gap in zip(self.pulls, self.gaps, strict=True):
            regret += count * gap
        return regret, sum(count for count, gap in zip(self.pulls, self.gaps, strict=True) if gap == 0.0)


class WithContexts:
    """Arms with contexts: `act(t, contexts)` returns an arm.

    `contexts` is (arms, dimension), or (1, dimension) if all arms share a context. Contexts and rewards come from the
    stream of the instance.
    """

    def __init__(self, problem: ContextProblem) -> None:
        self.problem, self.stream = problem, instance_stream(problem)
        self.shape = (1 if problem.shared else problem.arms, problem.theta.shape[1])
        self.regret, self.best = np.zeros(2), 0
        self.told: Mapping[str, Any] = {"arms": problem.arms, "features": None, "dimension": self.shape[1]}

    def play(self, player: Any, t: int) -> None:
        """Play round t."""
        contexts, means = np.empty(self.shape), np.empty(self.problem.arms)  # new arrays: the class may keep them
        offer(self.stream, self.problem, t - 1, contexts, means)
        arm = arm_of(player, player.act(t, contexts), t, len(means))
        player.update(t, arm, float(reward(self.stream, self.problem, t - 1, means[arm])))
        add(self.regret, shortfall(means, arm))
        self.best += int(means[arm] == means.max())

    def outputs(self) -> tuple[float, float]:
        """Regret, and number of rounds in which the arm with the largest mean was played."""
        return float(self.regret[0]), self.best


class SuperArms:
    """Semi-bandit feedback: `act(t)` returns the base arms of a super arm, and `update` receives their outcomes.

    `oracle(values)` returns the list of base arms of the super arm that is best for these values of the base arms.
    """

    def __init__(self, problem: SuperArmProblem, rng: Generator) -> None:
        self.problem, self.rng = problem, rng
        self.means, self.coins = problem.means.tolist(), problem.coins.tolist()
        self.gaps: dict[tuple[int, ...], float] = {}  # of the super arms played so far
        self.regret, self.best = 0.0, 0
        none = dict.fromkeys(("features", "dimension"))
        self.told: Mapping[str, Any] = {"arms": len(self.means), "oracle": self.oracle, **none}

    def oracle(self, values: Any) -> list[int]:
        """The base arms of the super arm that is best for `values`, (arms,), finite and nonnegative.

        Raises
        ------
        WrongAnswer
            `values` has another length, or a value is not allowed.
        """
        try:
            index = np.ascontiguousarray(values, np.float64)
        except (TypeError, ValueError, OverflowError):
            index = np.empty(0)
        most = 1.0 if self.problem.reward == COVERED else np.inf  # for COVERED the values are probabilities
        if index.shape != self.problem.means.shape or not (np.isfinite(index) & (index >= 0.0) & (index <= most)).all():
            allowed = "numbers from 0 to 1" if most == 1.0 else "finite numbers of at least 0"
            raise wrong("oracle", values, f"must be {len(self.means)} {allowed}, one for each base arm")
        return self._best(self.problem.reward, index)

    def play(self, player: Any, t: int) -> None:
        """Play round t."""
        arms = self._answer(player, player.act(t), t)
        draws: dict[int, float] = {}  # coin -> its uniform draw
        outcomes = []
        for arm in arms:
            coin = self.coins[arm]
            if coin not in draws:
                draws[coin] = self.rng.random()
            outcomes.append(1.0 if draws[coin] < self.means[arm] else 0.0)
        player.update(t, list(arms), outcomes)
        self.regret += self.gaps[arms]
        self.best += int(self.gaps[arms] <= ROUNDING)

    def outputs(self) -> tuple[float, float]:
        """Approximation regret, and number of rounds with a super arm at least as good as alpha times the best."""
        return self.regret, self.best

    def _answer(self, player: Any, answer: Any, t: int) -> tuple[int, ...]:
        try:
            arms = tuple(operator.index(arm) for arm in answer)
        except TypeError:
            arms = ()
        if arms not in self.gaps:
            if not self._is_super_arm(arms):
                says = "must be the base arms of a super arm, such as `oracle(values)` gives"
                raise wrong(f"{type(player).__name__}.act({t})", answer, says)
            self.gaps[arms] = self.problem.values[0] - mean_reward(self.problem, np.array(arms), len(arms))
        return arms

    def _is_super_arm(self, arms: tuple[int, ...]) -> bool:
        """Whether the arms are the best super arm for the sum of values that are 1 on these arms and 0 elsewhere."""
        if not arms or len(set(arms)) < len(arms) or not all(0 <= arm < len(self.means) for arm in arms):
            return False
        index = np.zeros(len(self.means))
        index[list(arms)] = 1.0
        return set(self._best(LINEAR, index)) == set(arms)

    def _best(self, of: int, index: np.ndarray) -> list[int]:
        chosen = np.empty(self.problem.size, np.int64)
        found: list[int] = chosen[: choose(self.problem, of, index, chosen)].tolist()
        return found


def zero_or_one(rng: Generator, mean: float) -> float:
    """Draw a reward with this mean, 0 or 1."""
    return float(rng.random() < mean)


def sign(rng: Generator, mean: float) -> float:
    """Draw a reward with this mean, -1 or 1."""
    return 1.0 if rng.random() < 0.5 * (1.0 + mean) else -1.0


def arm_of(player: Any, answer: Any, t: int, arms: int) -> int:
    """The arm that a class returned; raises WrongAnswer if it is not a valid arm."""
    try:
        arm = operator.index(answer)
    except TypeError:
        arm = -1
    if not 0 <= arm < arms:
        raise wrong(f"{type(player).__name__}.act({t})", answer, f"must be a whole number from 0 to {arms - 1}")
    return arm


def wrong(place: str, answer: Any, says: str) -> WrongAnswer:
    """The error about an answer, in one line."""
    return WrongAnswer(" ".join(f"{place}: got {answer!r}; {says}".split()))
