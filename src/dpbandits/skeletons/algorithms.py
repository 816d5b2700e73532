"""Skeleton of an algorithm: one module of its family, and its test."""

import json
import keyword
import re

from dpbandits.algorithms.registry import TABLE
from dpbandits.base.entries import Look
from dpbandits.base.registry import ALGORITHMS, BOUNDS, ENVIRONMENTS, SOURCE_ROOT
from dpbandits.config.plain_yaml import ConfigError, shown
from dpbandits.config.wording import got, listed
from dpbandits.skeletons.families import FAMILIES, new_look
from dpbandits.skeletons.files import rendered

TEMPLATE = "bernoulli"
"""Family whose skeleton comes from a template: a UCB with Laplace noise on sums."""
MODELS = {name: family.model for name, family in FAMILIES.items() if name != TEMPLATE}
"""Private algorithm that is copied to start a new one, for each family without a template."""
LONGEST = 30  # longest name, in characters, so that lines of the files stay short
ACRONYMS = ("dp", "ftl", "imed", "kl", "ldp", "ts", "ucb")
QUOTES = '"""'
NAME = re.compile(r"[a-z][a-z0-9_]*")


def algorithm_files(name: str, family: str) -> dict[str, str]:
    """Return the text of each file of a new algorithm, by path in the project.

    Raises
    ------
    ConfigError
        The name or the family is not valid.
    """
    demand_name(name)
    families = sorted(FAMILIES)
    if family not in families:
        raise ConfigError(f"--family: {got(family, f'must be one of: {listed(family, families)}')}")
    words = {"name": name, "label": label_of(name), "family": family, "look": written(new_look(family))}
    if family == TEMPLATE:
        module, test = rendered("algorithm_bernoulli.py", **words), rendered("test_algorithm_bernoulli.py", **words)
    else:
        module = copied(MODELS[family], **words)
        test = rendered("test_algorithm_copy.py", model=MODELS[family], **words)
    return {f"src/dpbandits/algorithms/{family}/{name}.py": module, f"tests/unit/test_{name}.py": test}


def copied(model: str, name: str, label: str, family: str, look: str) -> str:
    """Return the source of an algorithm under another name, starting with the lines to change."""
    text = (SOURCE_ROOT / _path(ALGORITHMS.place(model))).read_text(encoding="utf-8")
    entry = TABLE[model]
    first, rest = text.split("\n", 1)
    changes = {
        f'label="{entry.label}"': f'label="{label}"',
        f'short="{entry.short}"': f'short="{label}"',
        f'reference="{entry.reference}"': 'reference="Author Year, Algorithm 1"',
        f"look={written(entry.look)}": f"look={look}",
    }
    for old, new in changes.items():
        rest = rest.replace(old, new, 1)
    head = f"""\"\"\"{label}: a copy of `{model}` to start from.

Skeleton, written by `dpbandits new algorithm`. Give paper and algorithm number here, then change the lines below.

"""
    return f"{head}{first.removeprefix(QUOTES)}\n{rest}"


def written(look: Look) -> str:
    """Return a look as Python source."""
    parts = [look.marker, look.dash] + ([look.shade] if look.shade != Look.shade else [])
    return f"Look({', '.join(map(json.dumps, parts))})"


def demand_name(name: str) -> None:
    """Raise ConfigError unless a new algorithm may have this name."""
    if not NAME.fullmatch(name) or keyword.iskeyword(name) or len(name) > LONGEST:
        raise ConfigError(
            f"NAME: got {shown(name)}; must be a Python identifier of at most {LONGEST} lowercase "
            "letters, digits and underscores that is not a keyword, such as my_ucb"
        )
    for kind, noun in ((ALGORITHMS, "an algorithm"), (BOUNDS, "a bound"), (ENVIRONMENTS, "an environment")):
        if name in kind.places():
            raise ConfigError(
                f"NAME: {got(name)}; {noun} has this name already ({_file(kind.place(name))}). Choose another name."
            )


def label_of(name: str) -> str:
    """Return a display name, `DP lazy UCB` for `dp_lazy_ucb`."""
    words = [word.upper() if word in ACRONYMS else word for word in name.split("_") if word]
    label = " ".join(words)
    return label[0].upper() + label[1:]


def _path(place: str) -> str:
    return f"{place.replace('.', '/')}.py"


def _file(place: str) -> str:
    return f"src/{_path(place)}"
