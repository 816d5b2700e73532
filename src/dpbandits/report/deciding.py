"""The values of a figure that a verdict was decided by, found by curve, setting and panel."""

import math
import re
from collections.abc import Iterator

from dpbandits.base.references import parts
from dpbandits.config.entries import TABLE
from dpbandits.config.models.figures import AnyFigure, OfExperiment, RegretAgainstRound, RegretGrowth
from dpbandits.report.overlays import Overlay, Value
from dpbandits.text.names import name_of
from dpbandits.text.reproduction import CURVE, SETTING

SAYS = re.compile(r"(?P<curve>.+?): (?:\S+ = (?P<x>[-\d.,e+]*\d), )?")
NUMBER = re.compile(r" = (?P<number>[-\d.,e+]*\d)$")
ALIKE = 1e-4
"""Relative difference up to which two settings are one: comparisons name them with six digits."""


def deciding_values(label: str, figure: AnyFigure, drawn: Overlay) -> list[Value]:
    """The values of the curves and settings that a comparison names; none where the figure does not show them.

    Parameters
    ----------
    label : of the comparison, such as `phased_elimination_central / phased_elimination at eps = 1`.
    """
    if not isinstance(figure, OfExperiment):
        return []
    curves = [name.partition("@")[0] for name in CURVE.findall(label) if parts(name)[0] in TABLE]
    names = {name_of(curve) for curve in curves}
    settings: dict[str, list[float]] = {}
    for found in SETTING.finditer(label):
        settings.setdefault(found["name"], []).extend(float(end) for end in (found["first"], found["last"]) if end)
    along = "T" if isinstance(figure, RegretAgainstRound) else "eps"
    if isinstance(figure, RegretGrowth):
        along = figure.along or "T"
    return [
        value
        for value in drawn.values
        if _in_panel(value, figure, settings)
        and any(_is_named(curve, names) and _at(x, settings.get(along)) for curve, x in _told(value))
    ]


def _told(value: Value) -> Iterator[tuple[str, float]]:
    """Curve and setting of every line that a value says; NaN for a curve that has no setting."""
    for line in value.says.splitlines():
        found = SAYS.match(line)
        if found:
            yield found["curve"], float(found["x"].replace(",", "")) if found["x"] else math.nan


def _is_named(curve: str, names: set[str]) -> bool:
    """Whether a curve is one of these; its name may have its calibration after it, `central (certified)`."""
    plain = re.sub(r"(?: \(|, )(?:printed|released|tuned|certified)\)$", "", curve)
    return curve in names or plain in names or f"{plain})" in names


def _at(x: float, wanted: list[float] | None) -> bool:
    """Whether a setting is one of those wanted; a curve without a setting is everywhere."""
    return math.isnan(x) or wanted is None or any(math.isclose(x, each, rel_tol=ALIKE) for each in wanted)


def _in_panel(value: Value, figure: OfExperiment, settings: dict[str, list[float]]) -> bool:
    """Whether a value is in a panel of a setting that is wanted; panels that say nothing of it are."""
    panels = getattr(figure, "panels", None)
    number = NUMBER.search(value.panel)
    if panels not in settings or number is None:
        return True
    return _at(float(number["number"].replace(",", "")), settings[panels])
