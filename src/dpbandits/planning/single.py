"""Find one curve by name, or build one with the settings that a user asks for."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from dpbandits.base.entries import Domain
from dpbandits.config.curves import Curve, numbers, seed_range, whole
from dpbandits.config.entries import TABLE
from dpbandits.config.faults.environments import no_instance, too_large
from dpbandits.config.grid import curve_of, every_curve, ranges_of
from dpbandits.config.loading import SCALES, Paper, Project
from dpbandits.config.plain_yaml import ConfigError, scalar, shown
from dpbandits.config.wording import got, not_known
from dpbandits.planning.bundles import Chunk


def find_curves(project: Project, paper: Paper, names: Sequence[str], of: Callable[[Curve], str]) -> list[Curve]:
    """Curves with these names at any scale. Scales with equal settings share curves.

    Parameters
    ----------
    of : which name of a curve to match: its name with the experiment, or the name of its noise file.

    Raises
    ------
    ConfigError
        No curve of the paper has one of the names.
    """
    known: dict[str, Curve] = {}
    for scale in dict.fromkeys((project.scale, *SCALES)):
        if all(name in known for name in names):
            break
        for curve in every_curve(replace(project, scale=scale), paper):
            known.setdefault(of(curve), curve)
    for name in names:
        if name not in known:
            here = dict.fromkeys(of(curve) for curve in every_curve(project, paper))
            raise ConfigError(f"{paper.key}: {not_known('curve', name, here)}")
    return [known[name] for name in names]


def find_chunks(project: Project, paper: Paper, names: Sequence[str]) -> list[Chunk]:
    """Chunks named `experiment/curve/0000-0019`. Seeds beyond those of the curve form further chunks.

    Raises
    ------
    ConfigError
        No curve has the name, or the curve has no such chunk.
    """
    parts = [name.rpartition("/") for name in names]
    found = find_curves(project, paper, [place for place, _, _ in parts], lambda c: f"{c.experiment}/{c.folder}")
    return [Chunk(curve, *chunk_of(curve, text)) for curve, (_, _, text) in zip(found, parts, strict=True)]


def named_curve(project: Project, paper: Paper, experiment: str, name: str, calibration: str, seeds: int) -> Curve:
    """Curve of an algorithm or bound of an experiment, with one run per instance.

    Parameters
    ----------
    name : `name` or `name:variant`. The short name that figures use, such as `central`, is also accepted.

    Raises
    ------
    ConfigError
        The experiment has no such algorithm or bound, or the calibration does not exist.
    """
    known = dict.fromkeys(entry.algorithm for entry in paper.experiments[experiment].entries)
    called, _, variant = name.partition(":")
    shorts = {TABLE[each].short: each for each in known}
    algorithm = called if called in known else shorts.get(called, called)
    if algorithm not in known:
        raise ConfigError(f"--algorithm: {not_known('algorithm', algorithm, known, shorts)}")
    curve = listed_curve(project, paper, experiment, algorithm, calibration, variant, "--")
    return replace(curve, replicates=1, seeds=seeds, chunk=seeds)


def with_settings(curves: Sequence[Curve], changes: Sequence[str], elsewhere: bool = False) -> list[Curve]:
    """Curves with some settings replaced. A curve that lacks a setting of another curve is left unchanged.

    Parameters
    ----------
    changes : `NAME=VALUE` or `NAME=VALUE,VALUE`: a grid value, in all points; `T`, an argument of the environment, or a
        parameter of the algorithm.
    elsewhere : whether a setting that no curve has may belong to something else.

    Raises
    ------
    ConfigError
        A name is unknown, a value is out of range, or a setting has no instance.
    """
    found = list(curves)
    for change in changes:
        having = [change.partition("=")[0] in settings_of(curve) for curve in found]
        if not any(having) and not elsewhere:
            having = [True] * len(found)  # the first curve lists what exists
        found = [changed(curve, change) if own else curve for curve, own in zip(found, having, strict=True)]
    for curve in found:
        check_instances(curve, f"{curve.paper}/{curve.experiment}")
    return found


def listed_curve(
    project: Project, paper: Paper, experiment: str, algorithm: str, calibration: str, variant: str, dashes: str = ""
) -> Curve:
    """Curve of an algorithm in the experiment at any calibration, even one that the experiment does not list.

    Parameters
    ----------
    dashes : prefix of argument names in error messages: `--` for command-line options.

    Raises
    ------
    ConfigError
        The variant or the calibration does not exist.
    """
    every = [entry for entry in paper.experiments[experiment].entries if entry.algorithm == algorithm]
    own = [entry for entry in every if (entry.variant or "") == variant]
    if not own:
        variants = ", ".join(dict.fromkeys(shown(entry.variant or "") for entry in every))
        raise ConfigError(f"{dashes}variant: {got(variant, f'must be one of: {variants}')}")
    calibration = own_calibration(algorithm, calibration, dashes)
    entry = next((entry for entry in own if calibration in entry.calibrations), own[0])
    return curve_of(project, paper, experiment, entry, calibration)


def own_calibration(algorithm: str, calibration: str, dashes: str = "") -> str:
    """Calibration that a calibration of an algorithm coincides with; ConfigError if the algorithm lacks it."""
    offered = TABLE[algorithm].calibrations
    if calibration not in offered:
        raise ConfigError(f"{dashes}calibration: {not_known('', calibration, offered)}")
    return offered[calibration]


def check_instances(curve: Curve, place: str) -> None:
    """Raise ConfigError, naming `place`, if a point of a curve has no instance or one too large for memory."""
    for point in curve.points:
        environment = curve.environment_at(point)
        if said := too_large(environment) or no_instance(environment):
            raise ConfigError(f"{place}: {said}")


def range_of(curve: Curve, name: str, place: str) -> Domain:
    """Allowed range of a setting of a curve.

    Parameters
    ----------
    name : a grid value, `T`, an argument of the environment, or a parameter of the algorithm.
    place : the option or argument that the name was given to.

    Raises
    ------
    ConfigError
        The curve has no such setting.
    """
    ranges = {**ranges_of(str(curve.environment["family"])), **TABLE[curve.algorithm].parameters}
    if name not in (known := settings_of(curve)):
        raise ConfigError(f"{place}: {not_known('name', name, known)}")
    return ranges[name]


def settings_of(curve: Curve) -> list[str]:
    """Settings that can be changed in a curve: `T`, environment arguments, grid values and algorithm parameters."""
    entry = TABLE[curve.algorithm]
    return ["T", *arguments_of(curve), *entry.grid, *entry.parameters]


def arguments_of(curve: Curve) -> list[str]:
    """Environment arguments of a curve that are single numbers with a known range."""
    return [name for name in numbers(curve.environment) if name in ranges_of(str(curve.environment["family"]))]


def changed(curve: Curve, change: str) -> Curve:
    """Curve after one change: `NAME=VALUE` sets a value, `NAME=VALUE,VALUE` makes one point per value."""
    name, _, text = change.partition("=")
    domain = range_of(curve, name, "--set")
    found = []
    for each in text.split(","):
        try:
            found.append(domain.number(scalar(each)))
        except ValueError as fault:
            raise ConfigError(f"--set {name}: {got(each, fault)}") from None
    if len(found) > 1 or name in TABLE[curve.algorithm].grid or any(name in point for point in curve.points):
        return with_points(curve, name, found)
    (value,) = found
    if name == "T":
        return replace(curve, horizon=int(value))
    if name in arguments_of(curve):
        return replace(curve, environment={**curve.environment, name: whole(value)})
    varying = tuple(each for each in curve.varying if each.name != name)
    return replace(curve, parameters={**curve.parameters, name: value}, varying=varying)


def with_points(curve: Curve, name: str, numbers: Sequence[float]) -> Curve:
    """Curve with these values of a setting at every point, replacing the previous ones."""
    every = [tuple({**point, name: each}.items()) for point in curve.points for each in numbers]
    return replace(curve, points=tuple(dict(point) for point in dict.fromkeys(every)))


def chunk_of(curve: Curve, text: str) -> tuple[int, int]:
    """First and last seed of a chunk such as `0000-0019`. Seeds beyond those of the curve form further chunks.

    Raises
    ------
    ConfigError
        The curve has no such chunk.
    """
    found = re.fullmatch("([0-9]{1,9})-([0-9]{1,9})", text)
    first, last = (int(part) for part in found.groups()) if found else (0, -1)
    if first % curve.chunk or last != first + curve.chunk - 1:
        allowed = f"{seed_range(0, curve.chunk - 1)} and further chunks of {curve.chunk}"
        raise ConfigError(f"{curve.folder}: {got(text, f'must be {allowed}')}")
    return first, last
