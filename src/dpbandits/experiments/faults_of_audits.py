"""What audits, and the tests of claims that read them, refer to: the part of `faults` that speaks about them."""

from collections.abc import Iterator, Mapping
from typing import Any

from dpbandits.algorithms.table import TABLE
from dpbandits.combinations import combinations
from dpbandits.experiments.config import SCALES, Paper, unknown
from dpbandits.experiments.faults_of_functions import bounds_faults, range_faults, releases, settings_read
from dpbandits.experiments.grid import GRID_RANGES, grid_names, value_of


def audit_faults(paper: Paper, key: str, section: Mapping[str, Any]) -> Iterator[str]:
    """Releases, algorithms and calibrations that are not there, and grids without a budget or with a wrong one."""
    yield from unknown(f"{key}.release", [section["release"]], releases(paper.key))
    yield from unknown(f"{key}.algorithms", section["algorithms"], TABLE)
    for name in section["algorithms"]:
        if name in TABLE:
            own = [c for c, same in TABLE[name].calibrations.items() if c == same]
            yield from unknown(f"{key}.calibrations", section["calibrations"], own)
    parameters = (TABLE[name].parameters for name in section["algorithms"] if name in TABLE)
    known = sorted({"eps", "delta", *GRID_RANGES, *settings_read(paper.key)}.union(*parameters))
    yield from unknown(f"{key}.constants", section.get("constants", {}), known)
    for name, constant in section.get("constants", {}).items():
        yield from _number_faults(f"{key}.constants", name, value_of(constant))
    for name, ends in section.get("theorem", {}).items():
        yield from bounds_faults(f"{key}.theorem.{name}", ends)
        if any(name not in point for scale in SCALES for point in combinations(section["grid"][scale])):
            yield f"{key}.theorem.{name}: is not allowed; every point of the grid must have it"
            return
    for scale in SCALES:
        yield from unknown(f"{key}.grid.{scale}", grid_names({"grid": section["grid"][scale]}), known)
        for point in combinations(section["grid"][scale]):
            if not point.get("eps", 0.0) > 0.0:
                yield f"{key}.grid.{scale}.eps: must be given, and > 0"
                return
            found = [each for name in point for each in _number_faults(f"{key}.grid.{scale}", name, point[name])]
            if found:
                yield found[0]
                return


def _number_faults(key: str, name: str, value: float) -> Iterator[str]:
    """As everywhere, but that a level of 0 is one."""
    if name != "delta":
        yield from range_faults(key, name, [value])
    elif not 0.0 <= value < 1.0:
        yield f"{key}.delta: {value:g} is not allowed; must be >= 0 and < 1"


def audit_test_faults(paper: Paper, key: str, section: Mapping[str, Any]) -> Iterator[str]:
    """Audits that are not there, and tests without a cell at some scale."""
    for index, test in enumerate(section["tests"]):
        if "audit" not in test:
            continue
        here = f"{key}.tests[{index}]"
        yield from unknown(f"{here}.audit", [test["audit"]], paper.audits)
        yield from bounds_faults(f"{here}.bounds", test["bounds"], points=True)
        if test["audit"] not in paper.audits:
            continue
        audit = paper.audits[test["audit"]]
        yield from unknown(f"{here}.algorithms", test.get("algorithms", []), audit["algorithms"])
        for calibration in test.get("calibrations", section["calibrations"]):
            own = [TABLE[a].calibrations.get(calibration) for a in audit["algorithms"] if a in TABLE]
            if not set(own) & set(audit["calibrations"]):
                yield f"{here}.audit: {test['audit']} is not allowed; it has no cell at {calibration}"
        for name, (least, most) in test.get("within", {}).items():
            for scale in SCALES:
                values = [point.get(name) for point in combinations(audit["grid"][scale])]
                if not any(
                    value is not None and (least is None or value >= least) and (most is None or value <= most)
                    for value in values
                ):
                    yield f"{here}.within.{name}: at the scale {scale} no cell of {test['audit']} lies there"
