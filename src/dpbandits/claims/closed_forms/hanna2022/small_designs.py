"""Core sets of Hanna et al. at d = 2, on action sets that do not depend on rewards.

The action sets are drawn on the unit circle, or on an arc as left by elimination, from fixed seeds.
"""

import math
from collections.abc import Iterator

import numpy as np

from dpbandits.algorithms.phased_elimination.batches import coordinates_of
from dpbandits.algorithms.phased_elimination.phased_elimination_no_core_set import MOST_STEPS, NEAR
from dpbandits.claims.closed_form_types import Numbers
from dpbandits.numerics.optimal_design import frank_wolfe, near_optimal_design

TOLERANCE = 1e-3  # of the design, as in the configuration
SPREAD = math.radians(1.0)  # half the angle of the actions along one direction; source: our choice


def circle(angles: np.ndarray) -> np.ndarray:
    """Actions at these angles, (n, 2)."""
    return np.column_stack([np.cos(angles), np.sin(angles)])


def core_weights(actions: np.ndarray, plain: float) -> np.ndarray:
    """Weights of the core set; with `plain`, from Frank-Wolfe steps that start at the uniform distribution."""
    points = coordinates_of(actions, np.arange(len(actions)))
    found: np.ndarray = frank_wolfe(points, NEAR, MOST_STEPS) if plain else near_optimal_design(points, TOLERANCE)
    return found


def each_once(actions: np.ndarray) -> np.ndarray:
    """Weights of playing every action once."""
    return np.full(len(actions), 1.0 / len(actions))


def largest_norm(actions: np.ndarray, weights: np.ndarray) -> float:
    """Left side of inequality (4): max over a of a' V^-1 a, V = sum of weight(b) b b' over all actions b."""
    gram = actions.T @ (weights[:, None] * actions)
    return float(np.einsum("ij,ij->i", actions @ np.linalg.inv(gram), actions).max())


def drawn(arms: list[float], degrees: list[float], sets: int) -> Iterator[tuple[str, list[np.ndarray]]]:
    """A label and `sets` action sets for every number of actions and every arc."""
    for count in arms:
        for arc in degrees:
            rng = np.random.default_rng([int(count), int(arc)])
            angles = rng.uniform(0.0, math.radians(arc), (sets, int(count)))
            yield f"K = {count:g} on an arc of {arc:g} degrees", [circle(each) for each in angles]


def core_set_sizes(arms: list[float], degrees: list[float], sets: int, plain: float) -> Numbers:
    """Appendix D: fewest and most actions in the core set, over the action sets of each kind."""
    found = []
    for label, each in drawn(arms, degrees, sets):
        sizes = [int(np.count_nonzero(core_weights(actions, plain))) for actions in each]
        found += [(f"fewest actions, {label}", float(min(sizes))), (f"most actions, {label}", float(max(sizes)))]
    return found


def core_set_norms(arms: list[float], degrees: list[float], sets: int) -> Numbers:
    """Lemma 2: largest left side of inequality (4) with the core set, over the action sets of each kind."""
    return [
        (
            f"largest norm with the core set, {label}",
            max(largest_norm(actions, core_weights(actions, 0.0)) for actions in each),
        )
        for label, each in drawn(arms, degrees, sets)
    ]


def uneven(many: float) -> np.ndarray:
    """Section 5: `many` actions along one direction and a single orthogonal one."""
    return circle(np.append(np.linspace(-SPREAD, SPREAD, int(many)), 0.5 * math.pi))


def uneven_norms(many: list[float], core: float) -> Numbers:
    """Section 5: the left side of inequality (4) on uneven sets, with the core set or with every action once."""
    name = "the core set" if core else "every action once"
    sets = {each: uneven(each) for each in many}
    weights = {each: core_weights(actions, 0.0) if core else each_once(actions) for each, actions in sets.items()}
    return [
        (f"largest norm with {name}, {each:g} actions along one direction", largest_norm(actions, weights[each]))
        for each, actions in sets.items()
    ]
