"""What the code of the algorithms of chen2020 says by itself: equal traces at K = 1, and no delta."""

import ast
from dataclasses import astuple
from pathlib import Path
from types import ModuleType

import numpy as np

from dpbandits.algorithms.semi_bandit import (
    cucb,
    cucb_dp,
    cucb_dp_least,
    cucb_ldp1,
    cucb_ldp2,
    fluid,
    super_arms,
    trace,
    trees,
    widths,
)
from dpbandits.base.checkpoints import log_spaced
from dpbandits.claims.closed_form_types import Numbers
from dpbandits.environments.combinatorial import disjoint_sets
from dpbandits.privacy.accounting import least_noise
from dpbandits.privacy.mechanisms import NoiseRequest

BAD_ARMS, GAP = 7, 0.25  # of the bandit on which two algorithms are compared
PER_DECADE = 20  # checkpoints at which two runs are compared


def identity_of_one(calibration: str, horizon: int, seeds: int, eps: list[float]) -> Numbers:
    """Section 3.2: largest difference of the traces of Algorithms 1 and 2 for K = 1 under the same generators."""
    (problem,) = disjoint_sets.draw(np.random.default_rng(0), BAD_ARMS, 1, GAP, "linear")
    rounds = log_spaced(horizon, PER_DECADE)
    found = []
    for each in eps:
        width = 0.5 if calibration == "tuned" else 1.0
        setting = {"eps": each, "T": float(horizon), "width": width, "k_squared": 0.0, "fallback": 0.0}
        differences = []
        for seed in range(seeds):
            one, other = (
                algorithm.run(np.random.default_rng(seed), problem, *constants, rounds)
                for algorithm in (cucb_ldp1, cucb_ldp2)
                for constants in [constants_of(algorithm, calibration, setting)]
            )
            differences.append(np.max(np.abs(one - other)))
        found.append((f"largest difference at eps = {each:g}", float(np.max(differences))))
    return found


def constants_of(algorithm: ModuleType, calibration: str, setting: dict[str, float]) -> tuple[float, ...]:
    """Constants of an algorithm in the order of its `run`."""
    noise = {name: least_noise(request) for name, request in algorithm.requests(setting).items()}
    return astuple(algorithm.params(calibration, setting, noise))


NAME = "delta"
PLACE = 3  # of delta among the arguments of a request


def delta_reads() -> Numbers:
    """Section 3: how often the five algorithms and their shared modules name delta; requests at delta = 0 apart."""
    found = []
    for module in (cucb, cucb_ldp1, cucb_ldp2, cucb_dp, cucb_dp_least, fluid, super_arms, trace, trees, widths):
        source = Path(module.__file__ or "").read_text(encoding="utf-8")
        found.append((f"reads of delta in {module.__name__.rpartition('.')[2]}", float(reads_of(source))))
    return found


def reads_of(source: str) -> int:
    """Names, attributes, arguments and whole strings `delta` in a source, but for requests whose delta is 0."""
    count, seen = 0, set()
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] == NoiseRequest.__name__:
            keywords = [each for each in node.keywords if each.arg == NAME]
            given = [each.value for each in keywords] + node.args[PLACE : PLACE + 1]
            seen |= {id(each) for each in keywords}
            count += not (given and all(isinstance(each, ast.Constant) and each.value == 0.0 for each in given))
    return count + sum(texts(node).count(NAME) for node in ast.walk(tree) if id(node) not in seen)


def texts(node: ast.AST) -> list[str]:
    """Whatever a node of the syntax tree holds as text: identifiers and strings."""
    found = [value for _, value in ast.iter_fields(node)]
    return [
        each for value in found for each in (value if isinstance(value, list) else [value]) if isinstance(each, str)
    ]
