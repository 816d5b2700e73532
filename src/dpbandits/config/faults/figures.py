"""Check the references in figures and tables: experiments, curves, grid values, measurements, claims."""

from collections.abc import Iterator, Mapping

from dpbandits.config.entries import TABLE
from dpbandits.config.faults.comparisons import grid_values, known_curves
from dpbandits.config.faults.functions import argument_faults, drawings
from dpbandits.config.grid import grid_names, points_of
from dpbandits.config.loading import Paper
from dpbandits.config.models.experiments import Entry
from dpbandits.config.models.figures import (
    AnyFigure,
    Audited,
    Drawn,
    Estimates,
    OfExperiment,
    RegretAgainstRound,
    RegretGrowth,
    Table,
)
from dpbandits.config.wording import got, unknown, unknown_keys


def figure_faults(paper: Paper, key: str, section: AnyFigure) -> Iterator[str]:
    yield from unknown(f"{key}.claims", section.claims, paper.known("claims"))
    if isinstance(section, Estimates):
        yield from _estimates_faults(paper, key, section)
    if isinstance(section, Drawn):
        functions = drawings(paper.key)
        yield from unknown(f"{key}.drawing", [section.drawing], functions)
        yield from argument_faults(key, section.arguments, functions.get(section.drawing))
    if isinstance(section, Audited):
        own = {TABLE[a].calibrations.get(c) for each in paper.audits.values() for a in each.algorithms if a in TABLE
               for c in each.calibrations}  # fmt: skip
        yield from unknown(f"{key}.calibrations", section.calibrations, sorted(filter(None, own)))
    if isinstance(section, OfExperiment):
        yield from unknown(f"{key}.experiment", [section.experiment], paper.known("experiments"))
        if section.experiment in paper.experiments:
            yield from _curves_faults(paper, key, section)


def _estimates_faults(paper: Paper, key: str, section: Estimates) -> Iterator[str]:
    yield from unknown(f"{key}.measurement", [section.measurement], paper.known("measurements"))
    if section.measurement in paper.measurements:
        measurement = paper.measurements[section.measurement]
        yield from unknown(f"{key}.calibrations", section.calibrations, measurement.calibrations)
        for name in dict.fromkeys(name for test in measurement.tests for name in test.curves if "@" in name):
            said = f"it compares with `{name}`, and a figure shows one calibration only. Draw another one."
            yield f"{key}.measurement: `{section.measurement}` cannot be drawn; {said}"


def _curves_faults(paper: Paper, key: str, section: OfExperiment) -> Iterator[str]:
    """Faults of curves, calibrations and grid values that the experiment of a figure does not have."""
    experiment, known = paper.experiments[section.experiment], known_curves(paper, section.experiment)
    yield from unknown(f"{key}.curves", section.curves, dict.fromkeys(name for name, _ in known))
    runs = dict.fromkeys(calibration for name, calibration in known if name in section.curves)
    yield from unknown(f"{key}.calibrations", section.calibrations, runs)
    if isinstance(section, RegretAgainstRound):
        if section.statistic and not section.column:
            yield f"{key}.statistic: needs `column`. Add `column` or delete this key."
        yield from unknown(f"{key}.column", [section.column] if section.column else [], experiment.traced or [])
    names = grid_names(experiment.settings)
    yield from unknown_keys(f"{key}.at", section.held, names)
    allowed = grid_values(
        paper, experiment, {each: entry for each, entry in known.items() if each[0] in section.curves}
    )
    for name, values in section.held.items():
        yield from unknown(f"{key}.at.{name}", values, allowed[name] if name in names else values)
    for title, block in (section.blocks if isinstance(section, RegretGrowth) else {}).items():
        yield from unknown_keys(f"{key}.titled.{title}", block, names)
        for name, values in block.items():
            yield from unknown(f"{key}.titled.{title}.{name}", values, allowed[name] if name in names else values)
    if isinstance(section, RegretGrowth | RegretAgainstRound):
        yield from unknown(f"{key}.panels", [section.panels], names)
    if isinstance(section, RegretGrowth):
        yield from unknown(f"{key}.along", [section.along or "T"], names)
    if isinstance(section, RegretAgainstRound) and section.panels in names:
        yield from _panel_faults(paper, key, section, known)


def _entries(count: int) -> str:
    return f"{count} entry" if count == 1 else f"{count} entries"


def _panel_faults(
    paper: Paper, key: str, section: RegretAgainstRound, known: Mapping[tuple[str, str], Entry]
) -> Iterator[str]:
    """Faults of a figure of regret against the round: several points of a curve in a panel, or no panel."""
    experiment, panels, held = paper.experiments[section.experiment], section.panels, section.held
    shown_values = set()
    for (name, calibration), entry in known.items():
        points = [
            point
            for point in points_of(paper, experiment, entry, calibration)
            if name in section.curves and all(point.get(each, values[0]) in values for each, values in held.items())
        ]
        values = {point.get(panels) for point in points}
        if len(points) > len(values):
            free = [each for each in points[0] if each != panels and len({point[each] for point in points}) > 1]
            said = f"a panel shows one point of `{name}`, but several are left"
            yield f"{key}.at: {said}. Give one value of {', '.join(free)}."
            return
        shown_values |= values - {None}
    if not shown_values:
        yield f"{key}.panels: {got(panels)}; no curve of the figure has a value of `{panels}`"


def table_faults(paper: Paper, key: str, section: Table) -> Iterator[str]:
    width, length = len(section.columns), len(section.rows)
    for index, row in enumerate(section.rows):
        if len(row) != width:
            yield f"{key}.rows[{index}]: got {_entries(len(row))}; must have {width}, one for each column"
    verdicts = section.verdicts or (None,) * length
    if len(verdicts) != length:
        yield f"{key}.verdicts: got {_entries(len(verdicts))}; must have {length}, one for each row"
    yield from unknown(f"{key}.verdicts", [claim for claim in verdicts if claim is not None], paper.known("claims"))
    for index, column in enumerate(section.measured or ()):
        here = f"{key}.measured[{index}]"
        yield from unknown(f"{here}.measurement", [column.measurement], paper.known("measurements"))
        if len(column.curves) != length:
            yield f"{here}.curves: got {_entries(len(column.curves))}; must have {length}, one for each row"
        if column.measurement in paper.measurements:
            source = paper.measurements[column.measurement]
            yield from unknown(f"{here}.calibration", [column.calibration], source.calibrations)
            have = dict.fromkeys(curve for test in source.tests for curve in test.curves)
            yield from unknown(f"{here}.curves", [c for c in column.curves if c is not None], have)
