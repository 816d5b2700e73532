"""Lists of algorithms and environments."""

from typing import TYPE_CHECKING

from dpbandits.config.entries import ALGORITHMS
from dpbandits.environments.registry import TABLE as FAMILIES

if TYPE_CHECKING:
    from pandas import DataFrame


def algorithm_rows() -> list[dict[str, str]]:
    """All algorithms: name, calibrations, reference, trust model and guarantee."""
    return [
        {
            "algorithm": name,
            "calibrations": ",".join(a.calibrations),
            "reference": a.reference,
            "trust_model": a.trust_model,
            "guarantee": str(a.guarantee),
        }
        for name, a in ALGORITHMS.items()
    ]


def list_algorithms() -> "DataFrame":
    """All algorithms that `play` takes.

    Returns
    -------
    pandas.DataFrame
        A row per algorithm. Columns: `algorithm`, `calibrations`, `reference`, `trust_model`, `guarantee`, `settings`
        (what it must be given beside T), and `environments` (the families that it can play).

    Examples
    --------
    >>> list_algorithms().set_index("algorithm").loc["anytime_lazy_ucb", "settings"]
    'eps,exploration,privacy_bonus'
    """
    rows = [
        row
        | {
            "settings": ",".join((*entry.grid, *entry.parameters)),
            "environments": ",".join(name for name, family in FAMILIES.items() if entry.plays(family.arms)),
        }
        for row, entry in zip(algorithm_rows(), ALGORITHMS.values(), strict=True)
    ]
    import pandas as pd

    return pd.DataFrame(rows)


def list_environments() -> "DataFrame":
    """All families of problem instances that `play` takes.

    Returns
    -------
    pandas.DataFrame
        A row per family. Columns: `family`, `feedback` (what an algorithm is told about the arms), and `arguments`.

    Examples
    --------
    >>> list_environments().set_index("family").loc["bernoulli_spread", "arguments"]
    'arms,best,gap,spread'
    """
    import pandas as pd

    return pd.DataFrame(
        [
            {"family": name, "feedback": family.arms, "arguments": ",".join(family.arguments)}
            for name, family in FAMILIES.items()
        ]
    )
