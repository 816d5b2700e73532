"""Draw the figures of a paper as described in its YAML: select the rows and draw them.

Drawings compute no statistics. Everything shown comes from the summary tables and the claim records.
"""

import gc
import math
from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from types import ModuleType
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from dpbandits.base.entries import Choice, Domain
from dpbandits.base.references import parts
from dpbandits.config.grid import grid_names, other_horizon
from dpbandits.config.models.experiments import Experiment
from dpbandits.config.models.figures import (
    AnyFigure,
    Audited,
    Drawn,
    Estimates,
    OfExperiment,
    RegretAgainstRound,
    RegretGrowth,
)
from dpbandits.config.values import domains_of
from dpbandits.environments.registry import TABLE as FAMILIES
from dpbandits.figures import captions, files, frames
from dpbandits.figures.kinds import audit, estimates, regret_against_budget, regret_against_round, regret_growth
from dpbandits.figures.results import Results
from dpbandits.figures.values import setting
from dpbandits.text import names
from dpbandits.text.escapes import in_cell, in_picture
from dpbandits.text.text import left_out, marked, worded

AUDITS = {drawn.__name__: drawn for drawn in (audit.audit_epsilons, audit.audit_verdicts, audit.audit_power)}
"""Drawings based on audit records."""


def draw(results: Results, name: str, calibration: str) -> Figure:
    """Draw one figure of the paper at one calibration."""
    section = results.paper.figures[name]
    title = in_picture(section.title(calibration))
    figure = _drawn(results, name, calibration, title)
    captions.of(figure).verdicts = by_verdict(
        r for r in results.records if r["calibration"] == calibration and _named(r) in section.claims
    )
    return figure


def _drawn(results: Results, name: str, calibration: str, title: str) -> Figure:
    """Figure with its caption, except for the verdicts."""
    section = results.paper.figures[name]
    if isinstance(section, Audited):
        return AUDITS[section.drawing](audited(results, [calibration]), title)
    if isinstance(section, Drawn):
        drawn = getattr(_own(results), section.drawing)
        notes = [*filter(None, [section.note(calibration)]), "closed form"]
        return drawn(calibration, **section.arguments, title=title, notes=notes)
    if isinstance(section, Estimates):
        return _estimates(results.measurement(section.measurement, calibration), title)
    remarks = list(filter(None, [section.note(calibration), other_horizon(results.paper, name, results.scale)]))
    return _regret(results, section, calibration, title, remarks)


def save(results: Results, name: str) -> None:
    """Write a figure at all calibrations as SVG."""
    gc.freeze()  # freeze existing objects: each figure is a reference cycle, and collecting it then stays quick
    results.figures.mkdir(parents=True, exist_ok=True)
    for calibration in results.paper.figures[name].calibrations:
        files.save(draw(results, name, calibration), results.figures / f"{name}-{calibration}")
        gc.collect()


def _estimates(found: Mapping[str, Any], title: str) -> Figure:
    """Draw the values of a measurement, one panel per grid value."""
    rows = pd.DataFrame(found["details"], columns=["label", "reading", "curve", "estimate", "interval"])
    settings = rows["label"].str.extract(r" at (?P<name>\w+) = (?P<value>[^,]+)")
    rows = rows.assign(
        panel=settings["name"].map(names.SIGNS) + " = " + settings["value"],
        low=rows["interval"].str[0].astype(float).fillna(-math.inf),
        high=rows["interval"].str[1].astype(float).fillna(math.inf),
    )
    notes = [f"95 % intervals over {found['n']} instances, cut at the frame"]
    if left_out(found):
        notes.append(f"{len(left_out(found))} left out: not run or not resolved")
    return estimates.draw(rows, "regret / non-private regret", title, notes)


def _regret(results: Results, section: OfExperiment, calibration: str, title: str, remarks: Sequence[str]) -> Figure:
    """Draw curves of an experiment against the round, the budget or a grid value."""
    summary = frames.summary_of(results, section)
    bands = "bands: pointwise 95 % t intervals"
    if isinstance(section, RegretAgainstRound) and section.statistic:
        summary = summary.assign(mean=summary["median"], low=summary["median"], high=summary["upper"])
        bands = "medians, and bands to the 80 % quantile"
    experiment = results.paper.experiments[section.experiment]
    held = frames.held_at(experiment, section.held, results.scale)

    def lines_of(at: frames.Held) -> pd.DataFrame:
        return frames.lines_of(results, summary, section.curves, calibration, at)

    lines = lines_of(held)
    notes = [*remarks, f"{bands} over {frames.runs_of(lines)} {unit_of(experiment)}"]
    if not isinstance(section, RegretAgainstRound | RegretGrowth):
        return regret_against_budget.draw(lines, title, notes)
    if isinstance(section, RegretGrowth) and section.titled:
        blocks = {
            in_picture(name): frames.held_at(experiment, block, results.scale) for name, block in section.blocks.items()
        }
    else:
        domain = domains_of(parts(curve)[0] for curve in section.curves).get(section.panels)
        values = _panel_values(results, section, lines)
        blocks = {panel_title(section.panels, value, domain): {section.panels: [value]} for value in values}
    panels = pd.concat([lines_of({**held, **at}).assign(panel=name) for name, at in blocks.items()], ignore_index=True)
    if isinstance(section, RegretGrowth):
        along = section.along or "T"
        if section.worst:
            worst = frames.largest(lines_of(shown_at(section, held)), along)
            name = f"largest over {names.sign_of(section.panels)}"
            panels = pd.concat([worst.assign(panel=name), panels], ignore_index=True)
        return regret_growth.draw(panels, along, title, notes, section.guides or ())
    shown = names.AXES.get(section.column or "regret", section.column or "")
    logarithmic, to_quantile = section.scale is not None, section.statistic is not None
    growing = section.column is None
    return regret_against_round.draw(
        panels, title, notes, section.marks or (), shown, growing, logarithmic, to_quantile
    )


def shown_at(section: OfExperiment, held: frames.Held) -> frames.Held:
    """Grid values that a figure fixes, without those over which it shows the largest mean."""
    free = section.panels if isinstance(section, RegretGrowth) and section.worst else None
    return {name: values for name, values in held.items() if name != free}


def audited(results: Results, calibrations: Sequence[str]) -> pd.DataFrame:
    """Audit records at some calibrations, and those of the calibrations that represent them."""
    wanted = [
        r
        for r in results.audits
        if any(r["calibration"] == results.stands_for(r["algorithm"], each) for each in calibrations)
    ]
    return audit.frame(wanted)


def by_verdict(records: Iterable[Mapping[str, Any]]) -> str:
    """Claims by verdict: `holds: C1, C3; unclear: C9 (unit contexts)`."""
    found: dict[str, list[str]] = {}
    for record in records:
        claim, _, variant = _named(record).partition("/")
        name = claim + (f" ({variant.replace('_', ' ')})" if variant else "")
        found.setdefault(worded(marked(record)), []).append(name)
    return "; ".join(f"{verdict}: {', '.join(names)}" for verdict, names in found.items())


def _named(record: Mapping[str, Any]) -> str:
    """Claim of a record with its variant: `C9` or `C9/unit_contexts`."""
    return "/".join(filter(None, (record["id"].partition("/")[2], record["variant"])))


def _own(results: Results) -> ModuleType:
    """Module `figures/<paper>.py` with the closed-form figures and their data rows."""
    return import_module(f"dpbandits.figures.papers.{results.paper.key}")


def unit_of(experiment: Experiment) -> str:
    """What a seed counts: an instance with one run, or a run if all seeds play the same instance."""
    arguments = {name: value for name, value in experiment.environment.items() if isinstance(value, int | float)}
    return "runs" if FAMILIES[str(experiment.environment["family"])].one_instance(arguments) else "instances"


def panel_title(name: str, value: float, domain: Domain | None) -> str:
    """Title of a panel: `Δ = 0.25`, or a named value of the configuration, `index below 0: lowest`."""
    if isinstance(domain, Choice):
        word = next(word for word, number in domain.words.items() if number == value)
        return f"{names.sign_of(name)}: {word}"
    return f"{names.sign_of(name)} = {setting(value) if name == 'T' else format(value, 'g')}"


def _panel_values(results: Results, section: RegretGrowth | RegretAgainstRound, lines: pd.DataFrame) -> Sequence[float]:
    """Values with a panel each: those of the grid, or against the round those that its curves have."""
    name = section.panels
    if isinstance(section, RegretGrowth):
        experiment = results.paper.experiments[section.experiment]
        grid = experiment.settings_at(results.scale)
        held = frames.held_at(experiment, section.held, results.scale).get(name)
        return [value for value in dict.fromkeys(point[name] for point in grid) if held is None or value in held]
    return sorted(lines[name].dropna().unique())


def data_of(results: Results, name: str) -> str:
    """Data of a figure at all calibrations, as CSV with the digits that single precision has."""
    rows = numbers(results, results.paper.figures[name])
    for column in [each for each in rows if rows[each].dtype.kind == "O"]:
        rows = rows.assign(**{column: pd.Series(list(map(in_cell, rows[column])), rows.index, object)})
    text: str = rows.to_csv(index=False, lineterminator="\n", na_rep="nan", float_format="%.9g")
    return text


def numbers(results: Results, section: AnyFigure) -> pd.DataFrame:
    """What a figure shows at all calibrations, a row for each point."""
    if isinstance(section, OfExperiment):
        rows = frames.summary_of(results, section)
        upper = ("upper",) if isinstance(section, RegretAgainstRound) and section.column else ()
        experiment = results.paper.experiments[section.experiment]
        names = [*frames.LABELS, *grid_names(experiment.settings), *frames.MOMENTS, *upper]
        curves = rows["algorithm"] + (":" + rows["variant"]).where(rows["variant"] != "", "")
        held = frames.held_at(experiment, section.held, results.scale)
        return frames.shown(rows[curves.isin(section.curves)], shown_at(section, held))[names]
    if isinstance(section, Estimates):
        columns = ("calibration", "reading", "comparison", "estimate", "low", "high")
        every = ((each, results.measurement(section.measurement, each)["details"]) for each in section.calibrations)
        found = [
            (calibration, row["reading"], row["label"], row["estimate"], *row["interval"])
            for calibration, details in every
            for row in details
        ]
        return pd.DataFrame([["" if cell is None else cell for cell in row] for row in found], columns=columns)
    if isinstance(section, Audited):
        return audit.data_of(audited(results, section.calibrations))
    rows_of = getattr(_own(results), section.drawing + "_rows")
    rows = [row for calibration in section.calibrations for row in rows_of(calibration, **section.arguments)]
    return pd.DataFrame(rows, dtype=object)
