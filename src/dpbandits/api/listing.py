"""Lists of algorithms and environments."""

from typing import TYPE_CHECKING

from dpbandits.base.own_code import Fault
from dpbandits.config.entries import ALGORITHMS
from dpbandits.config.plain_yaml import ConfigError
from dpbandits.environments.registry import TABLE as FAMILIES

if TYPE_CHECKING:
    from pandas import DataFrame


def algorithm_rows() -> list[dict[str, str]]:
    """One row per algorithm: name, calibrations, reference, trust model and guarantee."""
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
    """List all algorithms that `play` accepts.

    Returns
    -------
    pandas.DataFrame
        One row per algorithm. Columns: `algorithm`, `calibrations`, `reference`, `trust_model`, `guarantee`, `settings`
        (required in addition to T), and `environments` (the families that it can play).

    Raises
    ------
    ConfigError
        An algorithm of an installed package cannot be imported.

    Examples
    --------
    >>> list_algorithms().set_index("algorithm").loc["anytime_lazy_ucb", "settings"]
    'eps,exploration,privacy_bonus'
    """
    try:
        entries = list(ALGORITHMS.values())
    except Fault as fault:  # of an installed package
        raise ConfigError(str(fault)) from None
    rows = [
        row
        | {
            "settings": ",".join(name for name in (*entry.grid, *entry.parameters) if name not in entry.optional),
            "environments": ",".join(name for name, family in FAMILIES.items() if entry.plays(family.arms)),
        }
        for row, entry in zip(algorithm_rows(), entries, strict=True)
    ]
    import pandas as pd

    return pd.DataFrame(rows)


def list_environments() -> "DataFrame":
    """List all families of problem instances that `play` accepts.

    Returns
    -------
    pandas.DataFrame
        One row per family. Columns: `family`, `feedback` (what the algorithm observes), and `arguments`.

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
