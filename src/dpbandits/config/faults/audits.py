"""Check the references in audits and in the tests of claims that read audits."""

from collections.abc import Iterator

from dpbandits.algorithms.registry import TABLE
from dpbandits.audits.release import DECLARED
from dpbandits.base.own_code import Fault as CodeFault
from dpbandits.base.registry import ALGORITHMS
from dpbandits.config.faults.functions import bounds_faults, range_faults, releases, settings_read
from dpbandits.config.grid import GRID_RANGES, grid_names
from dpbandits.config.loading import SCALES, Paper
from dpbandits.config.models.claims import Analytic, Audit, AuditClaim, AuditTest
from dpbandits.config.models.fields import Ranges
from dpbandits.config.values import domain_of, given
from dpbandits.config.wording import got, missing, unknown, unknown_keys


def audit_faults(paper: Paper, key: str, section: Audit) -> Iterator[str]:
    """Faults of unknown releases, algorithms and calibrations, and of grids with a missing or invalid epsilon."""
    yield from unknown(f"{key}.release", [section.release], {**releases(paper.key), DECLARED: {}})
    yield from unknown(f"{key}.algorithms", section.algorithms, TABLE)
    if section.release == DECLARED:
        yield from _declared_faults(key, section)
    for name in section.algorithms:
        if name in TABLE:
            own = [c for c, same in TABLE[name].calibrations.items() if c == same]
            yield from unknown(f"{key}.calibrations", section.calibrations, own)
    yield from unknown(f"{key}.proof", section.proof or (), paper.theorems)
    if "certified" in section.calibrations and not section.proof and section.release != DECLARED:
        yield f"{key}.proof: {missing('the theorems that prove the certified noise')}"
    parameters = (TABLE[name].parameters for name in section.algorithms if name in TABLE)
    known = sorted({"eps", "delta", *GRID_RANGES, *settings_read(paper.key), *_taken(section)}.union(*parameters))
    yield from unknown_keys(f"{key}.constants", section.constants or {}, known)
    for name, constant in (section.constants or {}).items():
        if domain_of(name) is not None:
            continue
        if isinstance(value := given(constant), bool) or not isinstance(value, int | float):
            yield f"{key}.constants.{name}: {got(value, 'must be a number')}"
        else:
            yield from _number_faults(f"{key}.constants", name, value)
    for name, ends in (section.theorem or {}).items():
        yield from bounds_faults(f"{key}.theorem.{name}", ends)
        if any(name not in point for scale in SCALES for point in section.settings(scale)):
            yield f"{key}.theorem.{name}: every point of `grid` must have `{name}`. Add it to `grid` or delete it here."
            return
    for scale in SCALES:
        yield from unknown_keys(f"{key}.grid.{scale}", grid_names(section.settings(scale)), known)
        for point in section.settings(scale):
            if not point.get("eps", 0.0) > 0.0:
                said = got(point["eps"], "must be > 0") if "eps" in point else missing("values > 0")
                yield f"{key}.grid.{scale}.eps: {said}"
                return
            found = [each for name in point for each in _number_faults(f"{key}.grid.{scale}", name, point[name])]
            if found:
                yield found[0]
                return


def _declared_faults(key: str, section: Audit) -> Iterator[str]:
    """Faults of algorithms that declare no release, and of keys that a declared release does not support."""
    from dpbandits.audits.custom import of_class  # takes a second, which only papers with a declared release need
    from dpbandits.audits.custom.own import LEAST_TRIALS

    if section.target != "mechanism":
        yield f"{key}.target: {got(section.target, f'must be `mechanism` if `release` is `{DECLARED}`')}"
    if "tuned" in section.calibrations:
        yield f"{key}.calibrations: {got('tuned', 'must be printed, released or certified')}"
    for scale in SCALES:
        if (trials := section.trials.at(scale)) < LEAST_TRIALS:
            yield f"{key}.trials.{scale}: {got(trials, f'must be at least {LEAST_TRIALS}')}"
    if section.proof:
        yield f"{key}.proof: {got(list(section.proof), 'applies only to releases of the paper. Delete it.')}"
    for index, name in enumerate(section.algorithms):
        if name in TABLE:
            try:
                of_class.check(name)
            except CodeFault as fault:
                yield f"{key}.algorithms[{index}]: {fault.text}"


def _taken(section: Audit) -> set[str]:
    """Names of the arguments of the releases that the classes of an audit declare."""
    if section.release != DECLARED:
        return set()
    from dpbandits.audits.custom.declared import takes

    modules = [ALGORITHMS.module(name) for name in section.algorithms if name in TABLE]
    releases = [getattr(getattr(module, "rule", None), "release", None) for module in modules]
    return {name for release in releases if callable(release) for name in takes(release)}


def _number_faults(key: str, name: str, value: float) -> Iterator[str]:
    """Faults of numbers outside their range; a delta of 0 is allowed here."""
    if name != "delta":
        yield from range_faults(key, name, [value])
    elif not 0.0 <= value < 1.0:
        yield f"{key}.delta: {got(value, 'must be >= 0 and < 1')}"


def audit_test_faults(paper: Paper, key: str, section: Analytic | AuditClaim) -> Iterator[str]:
    """Faults of unknown audits, and of tests without a cell at some scale."""
    for index, test in enumerate(section.tests):
        if not isinstance(test, AuditTest):
            continue
        here = f"{key}.tests[{index}]"
        yield from unknown(f"{here}.audit", [test.audit], paper.known("audits"))
        yield from bounds_faults(f"{here}.bounds", test.bounds, points=True)
        if test.audit not in paper.audits:
            continue
        audit = paper.audits[test.audit]
        yield from unknown(f"{here}.algorithms", test.algorithms or (), audit.algorithms)
        for calibration in test.calibrations or section.calibrations:
            own = [TABLE[a].calibrations.get(calibration) for a in audit.algorithms if a in TABLE]
            if not set(own) & set(audit.calibrations):
                offered = ", ".join(audit.calibrations)
                said = f"the audit `{test.audit}` is not run at calibration `{calibration}`"
                yield f"{here}.audit: {said}. Add it to the audit, or use one of: {offered}."
        yield from _range_faults(f"{here}.within", test.within, test.audit, audit)
        yield from _range_faults(f"audits.{test.audit}.theorem", audit.theorem, test.audit, audit)


def _range_faults(key: str, ranges: Ranges | None, name: str, audit: Audit) -> Iterator[str]:
    """Faults of ranges in which an audit has no grid point at some scale."""
    for axis, (least, most) in (ranges or {}).items():
        for scale in SCALES:
            values = [point.get(axis) for point in audit.settings(scale)]
            if not any(
                value is not None and (least is None or value >= least) and (most is None or value <= most)
                for value in values
            ):
                said = f"no grid point of the audit `{name}` lies in this range at scale `{scale}`. Widen it."
                yield f"{key}.{axis}: {got([least, most])}; {said}"
