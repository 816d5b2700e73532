"""Find the values of a figure that decide a verdict, by curve, setting and panel."""

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
"""Relative tolerance for equal settings. Comparisons print settings with six digits."""


def deciding_values(label: str, figure: AnyFigure, drawn: Overlay) -> list[Value]:
    """Values of the curves and settings that a comparison names; empty if the figure does not show them.

    Parameters
    ----------
    label : label of the comparison, such as `phased_elimination_central / phased_elimination at eps = 1`.
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
    """Curve and setting of each line in a value's text; NaN for a curve without a setting."""
    for line in value.says.splitlines():
        found = SAYS.match(line)
        if found:
            yield found["curve"], float(found["x"].replace(",", "")) if found["x"] else math.nan


def _is_named(curve: str, names: set[str]) -> bool:
    """Whether a curve has one of these names; its own name may end in a calibration, `central (certified)`."""
    plain = re.sub(r"(?: \(|, )(?:printed|released|tuned|certified)\)$", "", curve)
    return curve in names or plain in names or f"{plain})" in names


def _at(x: float, wanted: list[float] | None) -> bool:
    """Whether a setting is among those wanted; a curve without a setting matches all."""
    return math.isnan(x) or wanted is None or any(math.isclose(x, each, rel_tol=ALIKE) for each in wanted)


def _in_panel(value: Value, figure: OfExperiment, settings: dict[str, list[float]]) -> bool:
    """Whether a value's panel matches the wanted settings; panels that state none match all."""
    panels = getattr(figure, "panels", None)
    number = NUMBER.search(value.panel)
    if panels not in settings or number is None:
        return True
    return _at(float(number["number"].replace(",", "")), settings[panels])
