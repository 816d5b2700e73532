"""Turn the arguments of `play` into a curve with checked settings."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from dpbandits.api import arguments
from dpbandits.api.places import Place, learn
from dpbandits.base.entries import CALIBRATIONS, Domain, Range
from dpbandits.base.own_code import forget
from dpbandits.base.registry import ALGORITHMS as MODULES
from dpbandits.base.registry import ENVIRONMENTS, Kind
from dpbandits.base.registry import Own as OwnCode
from dpbandits.config.curves import Curve, Setting
from dpbandits.config.entries import ALGORITHMS, TABLE
from dpbandits.config.grid import ranges_of
from dpbandits.config.plain_yaml import ConfigError
from dpbandits.config.wording import got, not_known
from dpbandits.environments.registry import TABLE as FAMILIES
from dpbandits.planning.single import arguments_of, check_instances, range_of, settings_of, with_points

if TYPE_CHECKING:
    from dpbandits.stages.own import Own

KEYWORDS = ("eps", "T")
"""Settings that have their own argument in `play`."""


@dataclass(frozen=True)
class Plan:
    """A curve, the labels of its rows, and the user's own class that plays it, if any.

    Attributes
    ----------
    without_eps : whether eps was given although the algorithm does not use it.
    declared : user code that the curve uses: kind, name and code of each.
    """

    curve: Curve
    calibration: str
    own: "Own | None"
    without_eps: bool
    declared: tuple[tuple[Kind, str, OwnCode], ...] = ()


@dataclass(frozen=True)
class ListedRounds(Curve):
    """A curve recorded at the rounds of a list that lie within the horizon, and at the horizon."""

    listed: tuple[int, ...] = ()

    def rounds_at(self, point: Setting) -> np.ndarray:
        """Rounds at which the regret of a run at a point is recorded, (checkpoints,) int64."""
        horizon = self.horizon_at(point)
        return np.array(sorted({*(t for t in self.listed if t < horizon), horizon}), dtype=np.int64)


def plan(
    algorithm: str | type,
    place: Place,
    calibration: str,
    settings: Mapping[str, Any],
    checkpoints: Any = None,
    others: Collection[str] = (),
) -> Plan:
    """Build the plan for an algorithm in a place; `settings` includes `eps` and `T`.

    Parameters
    ----------
    others : settings of the other algorithms of a sweep, which this one need not take.

    Raises
    ------
    ConfigError
        A name does not exist, a value is out of range, or something that the algorithm needs is missing.
    """
    if place.origin is None and "T" not in settings:
        raise ConfigError("T: required for an environment without an experiment. Add T=10_000.")
    if isinstance(algorithm, str) and algorithm.endswith(".py"):
        file, algorithm = algorithm, Path(algorithm).stem
        learn("algorithm", MODULES, algorithm, file)
    name, colon, variant = algorithm.partition(":") if isinstance(algorithm, str) else ("", "", "")
    if isinstance(algorithm, str) and (name in ALGORITHMS or not colon):
        own, curve = None, place.curve(name, calibration, variant)
        entry = TABLE[name]
        without_eps = "eps" in settings and "eps" not in (*entry.grid, *entry.parameters)
        left = {"eps"} if without_eps else set()
        left |= set(others).difference(settings_of(curve))
        ranges = {each: range_of(curve, each, "settings") for each in settings if each not in left}
    else:
        asked = [name for name in settings if name not in others]
        own, curve, ranges, without_eps = _own(algorithm, place, calibration, settings, asked)
    for each, domain in ranges.items():
        where = each if each in KEYWORDS else f"settings: {each}"
        values = [arguments.number(where, value, domain) for value in arguments.several(where, settings[each])]
        curve = with_points(curve, each, values)
    curve = replace(curve, replicates=1)
    _check(curve, own, place.name)
    used = ((MODULES, curve.algorithm), (ENVIRONMENTS, str(curve.environment["family"])))
    declared = tuple((kind, each, code) for kind, each in used if (code := kind.own_code(each)) is not None)
    return Plan(recorded(curve, checkpoints), calibration, own, without_eps, declared)


def _own(
    algorithm: str | type, place: Place, calibration: str, settings: Mapping[str, Any], asked: Collection[str]
) -> tuple["Own", Curve, dict[str, Domain], bool]:
    """User's own class, its curve, the ranges of its settings, and whether it ignores eps.

    The class must accept the settings in `asked`.
    """
    from dpbandits.algorithms.own import ANY, TOLD, cannot_play, takes
    from dpbandits.stages.own import Own

    if isinstance(algorithm, str):
        forget(algorithm)
    own = Own(algorithm)
    rule = own.load()
    if calibration not in CALIBRATIONS:
        raise ConfigError(f"calibration: {not_known('', calibration, CALIBRATIONS)}")
    family = place.family(calibration)
    if said := cannot_play(rule, family, FAMILIES[family].arms):
        raise ConfigError(f"algorithm: {said}")
    taken = takes(rule)
    curve = place.own_curve(rule.__name__, calibration, taken)
    without_eps = "eps" in settings and "eps" not in taken
    known = dict.fromkeys(("T", *arguments_of(curve), *(name for name in taken if name not in TOLD)))
    for name in asked:
        if name not in known and name != "eps":
            raise ConfigError(f"settings: {not_known('name', name, known)}")
    if without_eps and "eps" in asked and getattr(rule, "trust_model", "none") != "none":
        says = f"`{rule.__name__}` has a trust model, but no argument `eps`. Add `eps` to its constructor."
        raise ConfigError(f"eps: {says}")
    limited = ranges_of(family)
    shared = (*KEYWORDS, *arguments_of(curve))  # other names belong to the class and may be any number
    ranges: dict[str, Domain] = {name: limited[name] if name in shared else ANY for name in settings if name in known}
    return own, curve, ranges, without_eps


def _check(curve: Curve, own: "Own | None", place: str) -> None:
    """Raise ConfigError if the algorithm lacks a constant, or a setting has no instance."""
    if own is None:
        entry = ALGORITHMS[curve.algorithm]
        told = [set(setting) for setting in curve.settings()]
        needed = [name for name in (*entry.grid, *entry.parameters) if name not in entry.optional]
        missing = [name for name in needed if any(name not in each for each in told)]
        if "eps" in missing:
            raise ConfigError(f"eps: required; `{curve.algorithm}` needs it. Add eps=1.")
        if missing:
            needs = f"`{curve.algorithm}` needs {', '.join(missing)}"
            raise ConfigError(f"settings: {needs}. Add them, or use an experiment of a paper, which has constants.")
    else:
        from dpbandits.stages.own import check_names

        check_names(own.load(), curve)
    check_instances(curve, place)


def recorded(curve: Curve, checkpoints: Any) -> Curve:
    """Curve with other checkpoints: a number per decade, or a list of rounds; None keeps the current ones."""
    if checkpoints is None:
        return curve
    given = {field.name: getattr(curve, field.name) for field in fields(Curve)}
    if not isinstance(checkpoints, Iterable):
        per_decade = arguments.whole("checkpoints", checkpoints, arguments.PER_DECADE)
        return Curve(**{**given, "checkpoints_per_decade": per_decade, "checkpoints_even": 0})
    listed = [arguments.whole("checkpoints", t, Range(1.0, 1e12, closed=True, whole=True)) for t in checkpoints]
    if not listed:
        raise ConfigError(f"checkpoints: {got([], 'must be rounds, or a number of checkpoints per decade')}")
    return ListedRounds(**given, listed=tuple(listed))
