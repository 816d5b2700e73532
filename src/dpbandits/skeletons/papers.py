"""Skeleton of a paper: its YAML, the release that its audit samples, and its test.

The environment and constants come from the algorithm's first example; everything else comes from `families`.
"""

import re
from pathlib import Path

from dpbandits.algorithms.base import Example
from dpbandits.algorithms.registry import TABLE
from dpbandits.base.entries import Choice, Domain, Range, Switch
from dpbandits.base.registry import ALGORITHMS
from dpbandits.config.paper_files import FOLDER, KEY, known_keys
from dpbandits.config.plain_yaml import ConfigError
from dpbandits.config.wording import got, listed
from dpbandits.skeletons.families import FAMILIES, audit_fits, family_of
from dpbandits.skeletons.files import rendered

DEFAULT = "anytime_lazy_ucb"


def paper_files(root: Path, key: str, algorithm: str) -> dict[str, str]:
    """Return the text of each file of a new paper that plays an algorithm, by path in the project.

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
            "The audit of the skeleton has their noise. For another algorithm, write the paper with one of them, "
            "then change its YAML and its audit."
        )
    name = family_of(algorithm)
    family, entry = FAMILIES[name], TABLE[algorithm]
    numbers = {each: str(entry.examples[0].environment[each]) for each in family.audit.numbers}
    words = {
        "key": key,
        "algorithm": algorithm,
        "family": family,
        "audit": family.audit,
        "environment": entry.examples[0].environment,
        "constants": {**constants(family.baseline), **constants(algorithm)},
        "calibrations": calibrations(algorithm),
        "audited": entry.own_calibrations(),
        "audit_constants": {**numbers, "T": str(family.horizon), **family.audit.constants},
        "eps": [f"{each:g}" for each in family.eps],
    }
    return {
        f"{FOLDER}/{key}.yaml": rendered("paper.yaml", **words),
        f"src/dpbandits/audits/papers/{key}.py": rendered(f"audit_{name}.py", **words),
        f"tests/unit/test_configuration_{key}.py": rendered("test_paper.py", **words),
    }


def playable() -> list[str]:
    """Return the algorithms that fit the skeleton of their family, including its audit noise."""
    return [name for name in ALGORITHMS.places() if audit_fits(name)]


def constants(algorithm: str) -> dict[str, str]:
    """Return the parameters of an algorithm as YAML, with the values of its first example."""
    return _constants(algorithm, TABLE[algorithm].examples[0])


def calibrations(algorithm: str) -> dict[str, dict[str, str]]:
    """Return, by calibration, the parameters as YAML whose values in the first example differ from `constants`."""
    found: dict[str, dict[str, str]] = {}
    for example in reversed(TABLE[algorithm].examples):
        changed = _constants(algorithm, example).items() - constants(algorithm).items()
        found[example.calibration] = dict(sorted(changed))
    return {name: found[name] for name in TABLE[algorithm].own_calibrations() if found[name]}


def _constants(algorithm: str, example: Example) -> dict[str, str]:
    return {name: _written(domain, example.setting[name]) for name, domain in TABLE[algorithm].parameters.items()}


def _written(domain: Domain, number: float) -> str:
    """Return the YAML value that a number encodes."""
    if isinstance(domain, Switch):
        return "true" if number else "false"
    if isinstance(domain, Choice):
        return next(word for word, value in domain.words.items() if value == number)
    if isinstance(domain, Range) and domain.null is not None and number == domain.null:
        return "null"
    return f"{number:g}"
