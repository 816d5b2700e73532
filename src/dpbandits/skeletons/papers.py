"""The skeleton of a paper: its YAML, the release that its audit draws from, and its test."""

import re
from pathlib import Path

from dpbandits.algorithms.registry import TABLE
from dpbandits.base.entries import Choice, Domain, Range, Switch
from dpbandits.base.registry import ALGORITHMS
from dpbandits.config.paper_files import FOLDER, KEY, known_keys
from dpbandits.config.plain_yaml import ConfigError
from dpbandits.config.wording import got, listed
from dpbandits.privacy.mechanisms import LAPLACE_NOISE
from dpbandits.skeletons.files import rendered

FAMILY = "bernoulli"
DEFAULT = "anytime_lazy_ucb"


def paper_files(root: Path, key: str, algorithm: str) -> dict[str, str]:
    """Return the text of each file of a new paper that plays an algorithm, by its place in the project.

    Raises
    ------
    ConfigError
        The key or the algorithm is not valid.
    """
    if not re.fullmatch(KEY, key):
        raise ConfigError(f"KEY: {got(key, 'must be first author and year, such as azize2022')}")
    if key in known_keys(root):
        raise ConfigError(f"KEY: {got(key)}; {FOLDER}/{key}.yaml exists already. Choose another key or edit that file.")
    if algorithm not in (allowed := playable()):
        raise ConfigError(
            f"--algorithm: {got(algorithm, f'must be one of: {listed(algorithm, allowed)}')}. "
            f"For another one, write the paper with {DEFAULT} and change its YAML and its audit."
        )
    words = {"key": key, "algorithm": algorithm, "constants": constants(algorithm)}
    return {
        f"{FOLDER}/{key}.yaml": rendered("paper.yaml", **words),
        f"src/dpbandits/audits/papers/{key}.py": rendered("audit.py", **words),
        f"tests/unit/test_configuration_{key}.py": rendered("test_paper.py", **words),
    }


def playable() -> list[str]:
    """Return the algorithms for which the skeleton's experiment and audit fit: Laplace noise on sums of batches."""
    return [
        name
        for name, place in ALGORITHMS.places().items()
        if place.split(".")[2] == FAMILY and LAPLACE_NOISE in TABLE[name].noise
    ]


def constants(algorithm: str) -> dict[str, str]:
    """Return the parameters of an algorithm as YAML, with the values of its first example."""
    entry = TABLE[algorithm]
    setting = entry.examples[0].setting
    return {name: _written(domain, setting[name]) for name, domain in entry.parameters.items()}


def _written(domain: Domain, number: float) -> str:
    """Return the YAML of the value for which a number stands."""
    if isinstance(domain, Switch):
        return "true" if number else "false"
    if isinstance(domain, Choice):
        return next(word for word, value in domain.words.items() if value == number)
    if isinstance(domain, Range) and domain.null is not None and number == domain.null:
        return "null"
    return f"{number:g}"
