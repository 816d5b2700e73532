"""The skeleton of an algorithm: one module of its family, and its test."""

import keyword
import re
from pathlib import Path

from dpbandits.base.registry import ALGORITHMS, BOUNDS, ENVIRONMENTS, SOURCE_ROOT
from dpbandits.config.plain_yaml import ConfigError, shown
from dpbandits.config.wording import listed
from dpbandits.skeletons.files import rendered

FAMILIES = ("bernoulli",)
"""Families with a skeleton. A UCB with Laplace noise on sums fits arms that are means."""
LONGEST = 30  # letters of a name, so that lines of the files stay short
ACRONYMS = ("dp", "ftl", "imed", "kl", "ldp", "ts", "ucb")
NAME = re.compile(r"[a-z][a-z0-9_]*")


def algorithm_files(name: str, family: str) -> dict[str, str]:
    """Return the text of each file of a new algorithm, by its place in the project.

    Raises
    ------
    ConfigError
        The name or the family is not allowed.
    """
    demand_name(name)
    demand_family(family)
    words = {"name": name, "label": label_of(name)}
    return {
        f"src/dpbandits/algorithms/{family}/{name}.py": rendered(f"algorithm_{family}.py", **words),
        f"tests/unit/test_{name}.py": rendered(f"test_algorithm_{family}.py", **words),
    }


def demand_name(name: str) -> None:
    """Raise ConfigError unless a new algorithm may have this name."""
    if not NAME.fullmatch(name) or keyword.iskeyword(name) or len(name) > LONGEST:
        raise ConfigError(
            f"NAME: got {shown(name)}; must be a Python identifier of at most {LONGEST} lower-case "
            "letters, digits and underscores that is not a keyword, such as my_ucb"
        )
    for kind, noun in ((ALGORITHMS, "an algorithm"), (BOUNDS, "a bound"), (ENVIRONMENTS, "an environment")):
        if name in kind.places():
            raise ConfigError(f"NAME: {shown(name)} is {noun} already ({_file(kind.place(name))}). Choose another name")


def demand_family(family: str) -> None:
    """Raise ConfigError unless the family has a skeleton; of other families the text names an algorithm to copy."""
    models: dict[str, list[Path]] = {}
    for place in ALGORITHMS.places().values():
        models.setdefault(place.split(".")[2], []).append(SOURCE_ROOT / _path(place))
    if family not in models:
        raise ConfigError(f"--family: got {shown(family)}; must be {listed(family, FAMILIES)}")
    if family not in FAMILIES:
        short = min(models[family], key=lambda path: (len(path.read_text(encoding="utf-8")), path))
        raise ConfigError(
            f"--family: {shown(family)} has no skeleton; allowed: {listed(family, FAMILIES)}. "
            f"Copy its shortest algorithm instead, src/{short.relative_to(SOURCE_ROOT).as_posix()}"
        )


def label_of(name: str) -> str:
    """Return a name for figures, `DP lazy UCB` for `dp_lazy_ucb`."""
    words = [word.upper() if word in ACRONYMS else word for word in name.split("_") if word]
    label = " ".join(words)
    return label[0].upper() + label[1:]


def _path(place: str) -> str:
    return f"{place.replace('.', '/')}.py"


def _file(place: str) -> str:
    return f"src/{_path(place)}"
