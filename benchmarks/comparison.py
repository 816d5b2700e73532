"""Compare sides that do the same work, with goals for their speed ratios."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from benchmarks.record import rounded
from benchmarks.timing import Ratio, Side, Speeds, interleaved, ratio
from dpbandits.text.speed import standing

TARGET_REACHED, REQUIREMENT_MET, MISSED = "target reached", "requirement met", "MISSED"
WORDS = {"reached": TARGET_REACHED, "met": REQUIREMENT_MET, "missed": MISSED}
OURS = "ours"


@dataclass(frozen=True)
class Goal:
    """Required ratio, and target (None if there is none)."""

    required: float
    target: float | None = None


@dataclass(frozen=True)
class LeftOut:
    """A side that cannot be measured or does other work, with the reason."""

    name: str
    label: str
    why: str


@dataclass(frozen=True)
class Family:
    """One comparison.

    Attributes
    ----------
    name : key in the record; title, setting : for display.
    sides : ours first, named `ours`.
    goals : goals by name of the side.
    left_out : sides missing on this machine.
    """

    name: str
    title: str
    setting: str
    sides: tuple[Side, ...]
    goals: Mapping[str, Goal] = field(default_factory=dict)
    left_out: tuple[LeftOut, ...] = ()


def family(
    name: str, title: str, setting: str, candidates: Iterable[Side | LeftOut], goals: Mapping[str, Goal]
) -> Family:
    """Family of those candidates that are available.

    Raises
    ------
    ValueError
        Two candidates share a name, ours is not first, or a goal names no candidate.
    """
    every = tuple(candidates)
    names = [each.name for each in every]
    if names[0] != OURS or len(set(names)) < len(names) or not goals.keys() <= set(names):
        raise ValueError(f"{name}: sides {names}, goals {list(goals)}")
    sides = tuple(each for each in every if isinstance(each, Side))
    left_out = tuple(each for each in every if isinstance(each, LeftOut))
    return Family(name, title, setting, sides, goals, left_out)


def verdict(value: float, goal: Goal | None) -> str:
    """Standing of a recorded ratio; empty if no goal is set."""
    return "" if goal is None else WORDS[standing(rounded(value), goal.required, goal.target)]


def measured(family: Family, repetitions: int) -> tuple[dict[str, Speeds], dict[str, Ratio]]:
    """Speed of every side, and the ratio of our speed to that of each other side."""
    speeds = interleaved(family.sides, repetitions)
    return speeds, {side.name: ratio(speeds[OURS], speeds[side.name]) for side in family.sides[1:]}


def record_of(family: Family, ratios: Mapping[str, Ratio]) -> dict[str, object]:
    """Record entry of a comparison."""

    def side(each: Side) -> dict[str, object]:
        found, goal = ratios[each.name], family.goals.get(each.name)
        return {
            "name": each.name,
            "label": each.label,
            "ratio": found.value,
            "low": found.low,
            "high": found.high,
            "required": goal.required if goal else None,
            "target": goal.target if goal else None,
        }

    return {
        "name": family.name,
        "title": family.title,
        "setting": family.setting,
        "sides": [side(each) for each in family.sides[1:]],
        "left_out": [{"name": each.name, "label": each.label, "why": each.why} for each in family.left_out],
    }


def table(family: Family, speeds: Mapping[str, Speeds], ratios: Mapping[str, Ratio]) -> str:
    """Table for a terminal: speeds, ratios with the smallest and largest repetition, and standings."""
    lines = [f"{family.title}: {family.setting}", f"  {OURS:44} {pace(family.sides[0], speeds[OURS])}"]
    for side in family.sides[1:]:
        found, goal = ratios[side.name], family.goals.get(side.name)
        asked = ""
        if goal is not None:
            target = "" if goal.target is None else f", target {goal.target:.3g}"
            asked = f"  {verdict(found.value, goal)} (required {goal.required:.3g}{target})"
        spread = f"{found.value:8.3g} x [{found.low:.3g}, {found.high:.3g}]"
        lines.append(f"  {side.label:44} {pace(side, speeds[side.name])} {spread:26}{asked}")
    lines += [f"  {each.label:44} left out: {each.why}" for each in family.left_out]
    return "\n".join(lines)


def pace(side: Side, speeds: Speeds) -> str:
    """Best speed of a side, for display."""
    return f"{speeds.best:10.4g} runs/s  " if side.per_run else f"{1e-6 * speeds.best:10.4g} M rounds/s"
