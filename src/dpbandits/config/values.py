"""Converts values of the configuration to numbers; a constant may be a number, true, false, a word or null.

The algorithm's domain of the constant defines the allowed values and their numbers (`base.entries.Domain`).
"""

import functools
from collections.abc import Iterable, Mapping
from typing import Any

from dpbandits.base.entries import Domain, Range
from dpbandits.config.entries import ALGORITHMS, TABLE
from dpbandits.config.models.claims import AnyClaim, Audit, Statistical
from dpbandits.config.models.compared import Comparison
from dpbandits.config.models.comparisons import Measurement
from dpbandits.config.models.experiments import Experiment
from dpbandits.config.models.fields import Assumed
from dpbandits.config.models.figures import AnyFigure, OfExperiment, RegretGrowth
from dpbandits.config.wording import got

Key = tuple[str | int, ...]
Fault = tuple[Key, str]


def given(constant: Any) -> Any:
    """The value of a constant as written, with or without a source."""
    if isinstance(constant, Assumed):
        return constant.value
    return constant["value"] if isinstance(constant, Mapping) else constant


def number_of(name: str, constant: Any, domains: Mapping[str, Domain]) -> float:
    """The number of a constant, by its domain in `domains` or else in any algorithm that has it."""
    value = given(constant)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    domain = domains[name] if name in domains else domain_of(name)
    return domain.number(value) if domain else float("nan")


@functools.cache
def domain_of(name: str) -> Domain | None:
    """The domain of a constant, which is equal in all algorithms that have it."""
    return next((entry.parameters[name] for entry in ALGORITHMS.values() if name in entry.parameters), None)


def domains_of(algorithms: Iterable[str]) -> dict[str, Domain]:
    """The domains of the constants of some algorithms and bounds."""
    entries = [TABLE[name] for name in algorithms if name in TABLE]
    return {name: domain for entry in entries for name, domain in entry.parameters.items()}


def experiments_with_numbers(
    experiments: Mapping[str, Experiment], checked: bool
) -> tuple[dict[str, Experiment], list[Fault]]:
    """Convert all grid values of experiments to numbers; also return the faults of invalid values.

    Parameters
    ----------
    checked : whether the values are known to be valid; then no algorithm is imported to check numbers.
    """
    faults: list[Fault] = []
    found = {}
    for name, section in experiments.items():
        plain = _Plain([entry.algorithm for entry in section.curves], checked)
        found[name] = section.model_copy(update={"grid": plain.grid(section.grid, ("experiments", name, "grid"))})
        faults += plain.faults
    return found, faults


def audits_with_numbers(audits: Mapping[str, Audit], checked: bool) -> tuple[dict[str, Audit], list[Fault]]:
    """As `experiments_with_numbers`, for audits."""
    faults: list[Fault] = []
    found = {}
    for name, section in audits.items():
        plain = _Plain(section.algorithms, checked)
        grids = {
            scale: plain.grid(grid, ("audits", name, "grid", scale)) for scale, grid in section.grid.numbers.items()
        }
        found[name] = section.model_copy(update={"grid": section.grid.model_copy(update=grids)})
        faults += plain.faults
    return found, faults


def figures_with_numbers(
    figures: Mapping[str, AnyFigure], experiments: Mapping[str, Experiment], checked: bool
) -> tuple[dict[str, AnyFigure], list[Fault]]:
    """As `experiments_with_numbers`, for the grid values that figures hold fixed."""
    faults: list[Fault] = []
    found = dict(figures)
    for name, section in figures.items():
        if isinstance(section, OfExperiment) and section.at is not None:
            plain = _Plain(algorithms_of(experiments, section.experiment), checked)
            found[name] = section.model_copy(update={"at": plain.grid(section.at, ("figures", name, "at"))})
            faults += plain.faults
        if isinstance(section, RegretGrowth) and section.titled is not None:
            plain = _Plain(algorithms_of(experiments, section.experiment), checked)
            place = ("figures", name, "titled")
            titled = {title: plain.grid(block, (*place, title)) for title, block in section.titled.items()}
            found[name] = found[name].model_copy(update={"titled": titled})
            faults += plain.faults
    return found, faults


def measurements_with_numbers(
    measurements: Mapping[str, Measurement], experiments: Mapping[str, Experiment], checked: bool
) -> tuple[dict[str, Measurement], list[Fault]]:
    """As `experiments_with_numbers`, for the tests of measurements."""
    faults: list[Fault] = []
    found = {}
    for name, section in measurements.items():
        plain = _Plain(algorithms_of(experiments, section.experiment), checked)
        tests = plain.tests(section.tests, ("measurements", name, "tests"))
        found[name] = section.model_copy(update={"tests": tests})
        faults += plain.faults
    return found, faults


def claims_with_numbers(
    claims: Mapping[str, AnyClaim], experiments: Mapping[str, Experiment], checked: bool
) -> tuple[dict[str, AnyClaim], list[Fault]]:
    """As `experiments_with_numbers`, for the tests of claims and of their variants."""
    faults: list[Fault] = []
    found = dict(claims)
    for name, section in claims.items():
        if not isinstance(section, Statistical):  # other claims have no settings
            continue
        plain, here = _Plain(algorithms_of(experiments, section.experiment), checked), ("claims", name)
        changes: dict[str, Any] = {"tests": plain.tests(section.tests, (*here, "tests"))}
        faults += plain.faults
        if section.variants is not None:
            changes["variants"] = dict(section.variants)
        for variant, own in (section.variants or {}).items():
            if own.tests is not None:
                plain = _Plain(algorithms_of(experiments, own.experiment or section.experiment), checked)
                tests = plain.tests(own.tests, (*here, "variants", variant, "tests"))
                changes["variants"][variant] = own.model_copy(update={"tests": tests})
                faults += plain.faults
        found[name] = section.model_copy(update=changes)
    return found, faults


def algorithms_of(experiments: Mapping[str, Experiment], name: str) -> list[str] | None:
    """The algorithms of an experiment; None if the experiment does not exist."""
    return [entry.algorithm for entry in experiments[name].curves] if name in experiments else None


class _Plain:
    """Converts grid values to numbers for the algorithms of one experiment, and collects faults."""

    def __init__(self, algorithms: Iterable[str] | None, checked: bool) -> None:
        self.algorithms, self.checked = tuple(algorithms or ()), checked
        self.missing = algorithms is None
        self.faults: list[Fault] = []

    @functools.cached_property
    def unknown(self) -> bool:
        """Whether the experiment or one of its algorithms is unknown, which is reported separately."""
        return self.missing or any(name not in TABLE for name in self.algorithms)

    @functools.cached_property
    def domains(self) -> Mapping[str, Domain]:
        """The domains of the algorithms' constants; accessing them imports the algorithms."""
        return domains_of(self.algorithms)

    def tests(self, tests: Iterable[Comparison], path: Key) -> tuple[Comparison, ...]:
        """Tests with numbers in their grids and references."""
        return tuple(self._test(test, (*path, index)) for index, test in enumerate(tests))

    def _test(self, test: Comparison, path: Key) -> Comparison:
        changes: dict[str, Any] = {"at": self.grid(test.at, (*path, "at"))}
        if test.moved:
            here = (*path, "reference")
            changes["reference"] = {name: self.value(name, each, (*here, name)) for name, each in test.moved.items()}
        return test.model_copy(update=changes)

    def grid(self, grid: Any, path: Key) -> Any:
        """A grid with numbers."""
        if not isinstance(grid, Mapping):
            return [self.grid(block, (*path, index)) for index, block in enumerate(grid)]
        return {
            name: [self.value(name, each, (*path, name, index)) for index, each in enumerate(values)]
            for name, values in grid.items()
        }

    def value(self, name: str, value: Any, path: Key) -> float:
        """The number of a value, which may be a number, switch, word or null."""
        plain = isinstance(value, int | float) and not isinstance(value, bool)
        if plain and (self.checked or isinstance(self.domains.get(name), Range | None)):
            number: float = value
            return number
        if self.unknown and name not in self.domains:  # its domain is unknown until these are corrected
            return float("nan")
        try:
            if name not in self.domains:
                raise ValueError("must be a number")
            return self.domains[name].number(value)
        except ValueError as fault:
            self.faults.append((path, got(value, fault)))
            return float("nan")
