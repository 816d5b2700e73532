"""A family of sides that do the same work, what is asked of the ratios, and whether it is kept."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from benchmarks.record import rounded
from benchmarks.timing import Ratio, Side, Speeds, interleaved, ratio
from dpbandits.text.speed import standing

AIM_REACHED, FLOOR_KEPT, MISSED = "aim reached", "floor kept", "MISSED"
WORDS = {"reached": AIM_REACHED, "kept": FLOOR_KEPT, "missed": MISSED}
OURS = "ours"


@dataclass(frozen=True)
class Target:
    """The least ratio that is tolerated, and the one that is wanted; None where there is none."""

    floor: float
    aim: float | None = None


@dataclass(frozen=True)
class LeftOut:
    """A side that cannot be measured, or does other work, and why."""

    name: str
    label: str
    why: str


@dataclass(frozen=True)
class Family:
    """One comparison.

    Attributes
    ----------
    name : as in the record; title, setting : for people.
    sides : the first is ours, named `ours`.
    targets : by the names of sides.
    left_out : sides that are missing here.
    """

    name: str
    title: str
    setting: str
    sides: tuple[Side, ...]
    targets: Mapping[str, Target] = field(default_factory=dict)
    left_out: tuple[LeftOut, ...] = ()


def family(
    name: str, title: str, setting: str, candidates: Iterable[Side | LeftOut], targets: Mapping[str, Target]
) -> Family:
    """A family of the candidates that are there.

    Raises
    ------
    ValueError
        Two candidates of one name, ours not in front, or a target that names no candidate.
    """
    every = tuple(candidates)
    names = [each.name for each in every]
    if names[0] != OURS or len(set(names)) < len(names) or not targets.keys() <= set(names):
        raise ValueError(f"{name}: sides {names}, targets {list(targets)}")
    sides = tuple(each for each in every if isinstance(each, Side))
    left_out = tuple(each for each in every if isinstance(each, LeftOut))
    return Family(name, title, setting, sides, targets, left_out)


def verdict(value: float, target: Target | None) -> str:
    """What a ratio, as the record has it, has reached; nothing where nothing is asked."""
    return "" if target is None else WORDS[standing(rounded(value), target.floor, target.aim)]


def measured(family: Family, repetitions: int) -> tuple[dict[str, Speeds], dict[str, Ratio]]:
    """The speed of every side, and how many times as fast as each other side ours is."""
    speeds = interleaved(family.sides, repetitions)
    return speeds, {side.name: ratio(speeds[OURS], speeds[side.name]) for side in family.sides[1:]}


def record_of(family: Family, ratios: Mapping[str, Ratio]) -> dict[str, object]:
    """The entry of the record."""

    def side(each: Side) -> dict[str, object]:
        found, target = ratios[each.name], family.targets.get(each.name)
        return {
            "name": each.name,
            "label": each.label,
            "ratio": found.value,
            "low": found.low,
            "high": found.high,
            "floor": target.floor if target else None,
            "aim": target.aim if target else None,
        }

    return {
        "name": family.name,
        "title": family.title,
        "setting": family.setting,
        "sides": [side(each) for each in family.sides[1:]],
        "left_out": [{"name": each.name, "label": each.label, "why": each.why} for each in family.left_out],
    }


def table(family: Family, speeds: Mapping[str, Speeds], ratios: Mapping[str, Ratio]) -> str:
    """For a terminal: speeds, ratios with the least and largest repetition, and verdicts."""
    lines = [f"{family.title}: {family.setting}", f"  {OURS:44} {pace(family.sides[0], speeds[OURS])}"]
    for side in family.sides[1:]:
        found, target = ratios[side.name], family.targets.get(side.name)
        asked = ""
        if target is not None:
            aim = "" if target.aim is None else f", aim {target.aim:.3g}"
            asked = f"  {verdict(found.value, target)} (floor {target.floor:.3g}{aim})"
        spread = f"{found.value:8.3g} x [{found.low:.3g}, {found.high:.3g}]"
        lines.append(f"  {side.label:44} {pace(side, speeds[side.name])} {spread:26}{asked}")
    lines += [f"  {each.label:44} left out: {each.why}" for each in family.left_out]
    return "\n".join(lines)


def pace(side: Side, speeds: Speeds) -> str:
    """Best speed of a side, for people."""
    return f"{speeds.best:10.4g} runs/s  " if side.per_run else f"{1e-6 * speeds.best:10.4g} M rounds/s"
