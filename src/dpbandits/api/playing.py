"""Play algorithms and return their runs as a tidy DataFrame."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from dpbandits.api import arguments
from dpbandits.api.folders import Folder
from dpbandits.api.places import find_place
from dpbandits.api.plans import Plan, plan
from dpbandits.config.curves import names_of_points
from dpbandits.config.plain_yaml import ConfigError
from dpbandits.config.wording import got

LABELS = ("algorithm", "calibration", "variant")
RUN = ("T", "seed", "t")
PAIR = "must be a name or a class, or a pair of it and a calibration or a mapping of options"


def play(
    algorithm: str | type,
    environment: str | Mapping[str, Any],
    *,
    eps: float | Sequence[float] | None = None,
    T: float | Sequence[float] | None = None,
    seeds: int = 100,
    calibration: str = "printed",
    settings: Mapping[str, Any] | None = None,
    checkpoints: int | Sequence[int] | None = None,
    n_jobs: int = 1,
    root_seed: int | None = None,
    scale: str | None = None,
    project: Folder | None = None,
) -> pd.DataFrame:
    """Play one algorithm in one environment.

    For each setting, the runs are bit-identical to those of `dpbandits run` and of the pipeline.

    Parameters
    ----------
    algorithm : str or type
        A name from `list_algorithms`; a variant is `name:variant`. Your own algorithm is a class, or
        `my_bandit.py:MyUCB`, with the methods `act(t)` and `update(t, arm, reward)`. With `act(t, contexts)` it plays
        contextual bandits; with `oracle` in its constructor it plays combinatorial semi-bandits. A class has its own
        defaults and no constants of the paper. Give its name in the YAML of a paper to repeat the paper's runs.
    environment : str or mapping
        An experiment with its constants, such as `hu2021/figures`, or a family with its arguments, such as
        `{"family": "bernoulli_means", "means": [0.5, 0.6]}`.
    eps : float or sequence of float, optional
        Privacy parameter, in nats. The default is the experiment's. An algorithm without privacy is played once.
    T : int or sequence of int, optional
        Horizon, in rounds, at least 8. The default is the experiment's horizon at the scale.
    seeds : int
        Number of problem instances, with one run each.
    calibration : str
        Source of the constants: `printed`, `released`, `tuned` or `certified`.
    settings : mapping, optional
        Other constants, grid values and environment arguments by name, each a value or a list.
    checkpoints : int or sequence of int, optional
        Number of checkpoints per decade (0: only the horizon), or the rounds themselves. Rounds after T are left out,
        and T is always a checkpoint. The default is the experiment's; with a family it is 10 per decade.
    n_jobs : int
        Number of processes. The runs do not depend on it. A script must call it under `if __name__ == "__main__":`.
    root_seed : int, optional
        Root seed of all random streams. The default is the project's, or 0 outside a project.
    scale : str, optional
        `smoke`, `quick`, `full` or `pilot`. It may shorten the runs of an experiment. The default is the project's.
    project : path, optional
        Folder of the project. The default is the nearest one at or above the working folder.

    Returns
    -------
    pandas.DataFrame
        One row per setting, seed and checkpoint. Columns: `algorithm`, `calibration`, `variant`, the settings, `T`,
        `seed`, `t`, `regret` (pseudo-regret of the first t rounds) and the other outputs of the algorithm. In coverage
        problems regret is that against (1 - 1/e) times the best, and may be negative.

    Raises
    ------
    ConfigError
        An argument is not allowed.
    Exception
        What your own class raises.

    Examples
    --------
    >>> arms = {"family": "bernoulli_means", "means": [0.5, 0.75]}
    >>> runs = play("ucb1", arms, T=100, seeds=2, checkpoints=[10, 100])
    >>> list(runs.columns)
    ['algorithm', 'calibration', 'variant', 'T', 'seed', 't', 'regret', 'best_pulls', 'releases', 'steps']
    >>> len(runs)
    4
    """
    if not isinstance(algorithm, str | type):
        raise ConfigError(f"algorithm: {got(str(algorithm), 'must be a name or a class')}")
    if not isinstance(calibration, str):
        raise ConfigError(f"calibration: {got(str(calibration), 'must be a name')}")
    if not isinstance(settings, Mapping | None):
        raise ConfigError(f"settings: {got(str(settings), 'must be a mapping of names to values')}")
    count = arguments.whole("seeds", seeds, arguments.SEEDS)
    jobs = arguments.whole("n_jobs", n_jobs, arguments.JOBS)
    place = find_place(environment, scale, project)
    given = {name: value for name, value in {"eps": eps, "T": T}.items() if value is not None}
    planned = plan(algorithm, place, calibration, {**(settings or {}), **given}, checkpoints)
    seed = place.root_seed if root_seed is None else arguments.whole("root_seed", root_seed, arguments.ROOT_SEED)

    from dpbandits.api.running import runs

    return pd.DataFrame(_tidy(planned, runs(planned, seed, count, jobs, place.root)))


def _tidy(planned: Plan, columns: Mapping[str, np.ndarray]) -> dict[str, Any]:
    """Columns of the DataFrame, in order."""
    curve, point = planned.curve, columns["point"]
    names = [name for name in names_of_points([curve]) if name != "T"]
    labels: dict[str, Any] = dict(zip(LABELS, (curve.algorithm, planned.calibration, curve.variant), strict=True))
    values = {name: np.array([each.get(name, np.nan) for each in curve.points])[point] for name in names}
    if planned.without_eps:
        values["eps"] = np.full(len(point), np.nan)
    horizons = np.array([curve.horizon_at(each) for each in curve.points], dtype=np.int64)[point]
    outputs = {name: each for name, each in columns.items() if name not in ("point", "seed", "replicate", "t")}
    return labels | values | {"T": horizons, "seed": columns["seed"], "t": columns["t"]} | outputs


def sweep(algorithms: Sequence[Any], environment: str | Mapping[str, Any], **options: Any) -> pd.DataFrame:
    """Play several algorithms on the same instances.

    Parameters
    ----------
    algorithms : sequence
        What `play` takes; or pairs of it and a calibration, or of it and a mapping of options in place of the others.
    environment : str or mapping
        An experiment or a family, as for `play`.
    **options
        Other arguments of `play`.

    Returns
    -------
    pandas.DataFrame
        The rows of `play` for each algorithm in turn; NaN if an algorithm lacks a setting or an output.

    Raises
    ------
    ConfigError
        An argument is not allowed.
    Exception
        What your own class raises.

    Examples
    --------
    >>> arms = {"family": "bernoulli_means", "means": [0.5, 0.75]}
    >>> runs = sweep(["ucb1", ("adap_ucb", {"settings": {"alpha": 3.1}})], arms, eps=1, T=100, seeds=2, checkpoints=0)
    >>> runs[["algorithm", "eps", "T", "seed"]].values.tolist()
    [['ucb1', nan, 100, 0], ['ucb1', nan, 100, 1], ['adap_ucb', 1.0, 100, 0], ['adap_ucb', 1.0, 100, 1]]
    """
    if isinstance(algorithms, str | type) or not algorithms:
        raise ConfigError(f"algorithms: {got(str(algorithms), 'must be a list of names or classes')}")
    parts = []
    for each in algorithms:
        name, own, *more = each if isinstance(each, tuple) and len(each) > 1 else (each, {})
        if more or not isinstance(own, str | Mapping):
            raise ConfigError(f"algorithms: {got(str(each), PAIR)}")
        parts.append(play(name, environment, **{**options, **({"calibration": own} if isinstance(own, str) else own)}))
    names = dict.fromkeys(name for part in parts for name in part.columns)
    settings = [name for name in names if any(name in part.columns[: list(part.columns).index("T")] for part in parts)]
    outputs = [name for name in names if name not in (*settings, *RUN)]
    return pd.concat(parts, ignore_index=True)[[*settings, *RUN, *outputs]]
