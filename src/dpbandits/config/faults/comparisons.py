"""Check the references in tests of claims and measurements."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from dpbandits.base.combinations import Grid, exponent
from dpbandits.base.references import parts
from dpbandits.config.entries import TABLE
from dpbandits.config.faults.functions import bounds_faults
from dpbandits.config.grid import defaults_of, grid_names, points_of
from dpbandits.config.loading import Paper
from dpbandits.config.models.claims import AnyClaim, Statistical
from dpbandits.config.models.compared import Comparison, FlatOf, OfMeans, RatioOf, SlopeOf
from dpbandits.config.models.comparisons import ArgminBetween, Measurement, SlopeBetween, SlopeOrder
from dpbandits.config.models.experiments import Entry, Experiment
from dpbandits.config.sections import DIFFERENT, FALLING, FEWEST, SEVERAL
from dpbandits.config.wording import got, listed, missing, unknown, unknown_keys

NOT_IN_GRID = "the grid of the experiment has no such point. Choose one of it, or add this one."


def silent_faults(key: str, section: AnyClaim | Measurement) -> Iterator[str]:
    for calibration in section.calibrations:
        if not section.tests_of(calibration):
            yield f"{key}.calibrations: {got(calibration)}; no test has this calibration. Delete it or add a test."


def known_curves(paper: Paper, experiment: str) -> dict[tuple[str, str], Entry]:
    """The entries of an experiment by reference `algorithm[:variant]` and calibration."""
    return {
        (reference(entry), calibration): entry
        for entry in paper.experiments[experiment].entries
        if entry.algorithm in TABLE
        for calibration in entry.calibrations
    }


def reference(entry: Entry) -> str:
    """The name of a curve in tests and figures: `algorithm` or `algorithm:variant`."""
    return ":".join(filter(None, (entry.algorithm, entry.variant)))


def test_faults(
    paper: Paper, key: str, section: Statistical | Measurement, of_grid: Callable[[str], dict[str, list[float | int]]]
) -> Iterator[str]:
    yield from own_faults(key, section)
    yield from unknown(f"{key}.experiment", [section.experiment], paper.known("experiments"))
    if section.experiment not in paper.experiments:
        return
    experiment = paper.experiments[section.experiment]
    known = known_curves(paper, section.experiment)
    values = of_grid(section.experiment)
    counting = {test.predicate == "never" for test in section.tests}
    if len(counting) > 1:
        yield f"{key}.tests: the predicate `never` cannot be combined with others. Give it its own claim."
    tests: Sequence[Comparison] = section.tests
    for index, test in enumerate(tests):
        here = f"{key}.tests[{index}]"
        calibrations = test.calibrations or section.calibrations
        for role, name in test.roles:
            algorithm, _, pinned = parts(name)
            curve = name.partition("@")[0]
            yield from unknown(f"{here}.{role}", [curve], sorted({each for each, _ in known}))
            if algorithm not in TABLE:
                continue
            offered = TABLE[algorithm].calibrations
            if pinned:
                runs = [f"{curve}@{each}" for each, own in offered.items() if (curve, own) in known]
                yield from unknown(f"{here}.{role}", [name], runs)
            for calibration in [pinned] if pinned else calibrations:
                own = offered.get(calibration, "")
                if (curve, own) in known:
                    entry = known[curve, own]
                    moved = bool(test.moved) and role != "baseline"
                    if not (moved and role == "against"):
                        yield from _setting_faults(paper, here, experiment, entry, own, test, role, values)
                    if moved and (role == "against") == ("against" in dict(test.roles)):
                        yield from _reference_faults(paper, here, experiment, entry, own, test, role, values)
                elif not pinned:
                    says = f"`{name}` is not run at this calibration. Leave it out, or add it to the curve."
                    yield f"{key}.calibrations: {got(calibration)}; {says}"
        if isinstance(test, ArgminBetween):
            yield from _argmin_faults(here, experiment, test)


def class_faults(key: str, section: Statistical) -> Iterator[str]:
    """Faults of tests that cannot decide a claim of this class or source.

    The slope of an upper rate has only an upper bound, because slower growth never refutes it; `flat` compares with an
    average, which slower growth lowers. Medians describe typical
    runs, but a theorem about regret is about means.
    """
    for index, test in enumerate(section.tests):
        if section.source == "theorem" and isinstance(test, OfMeans) and test.statistic is not None:
            said = "a theorem is about means; delete this key, or name another `source`"
            yield f"{key}.tests[{index}].statistic: {got(test.statistic)}; {said}"
        if section.class_ == "upper_rate" and isinstance(test, SlopeBetween):
            falling = test.along in FALLING and not test.scale
            least, most = reversed(test.bounds) if falling else test.bounds
            if least is not None or most is None:
                must = "[x, null]" if falling else "[null, x]"
                said = f"must be {must}, since the class is `upper_rate` and less growth never refutes it"
                yield f"{key}.tests[{index}].bounds: {got(list(test.bounds), said)}"
        if section.class_ == "upper_rate" and isinstance(test, FlatOf):
            said = "`flat` also fails for slower growth, which never refutes an `upper_rate`. Use `ratio_between`."
            yield f"{key}.tests[{index}].predicate: {said}"


def own_faults(key: str, section: Statistical | Measurement) -> Iterator[str]:
    """Faults of tests that do not depend on the experiment."""
    for index, test in enumerate(section.tests):
        here = f"{key}.tests[{index}]"
        for role, name in test.roles:
            place, column = test.given_column(role)
            algorithm, _, _ = parts(name)
            if algorithm in TABLE:
                yield from unknown(f"{here}.{place}", [column] if column else [], TABLE[algorithm].outputs)
        yield from _itself_faults(here, test, test.calibrations or section.calibrations)
        yield from _keys_faults(here, test)
        yield from _along_faults(here, test)
        for name, pair in (("bounds", test.allowed), ("tolerated", test.outer)):
            yield from bounds_faults(f"{here}.{name}", pair) if pair is not None else ()


def _keys_faults(key: str, test: Comparison) -> Iterator[str]:
    """Faults of keys of a test that exclude or need each other."""
    if isinstance(test, RatioOf) and test.against_column and not test.against:
        yield f"{key}.against_column: needs `against`. Add `against` or delete this key."
    if isinstance(test, SlopeOrder) and not test.across and len(test.curves) < 2:
        yield f"{key}.curves: {got(test.curves, 'must have at least two entries, or one and `across`')}"


def _itself_faults(key: str, test: Comparison, calibrations: Sequence[str]) -> Iterator[str]:
    """Faults of curves that are compared with the same output of the same runs, under any name."""
    for calibration in calibrations:
        seen = set()
        for role, name in test.roles:
            algorithm, variant, pinned = parts(name)
            offered = TABLE[algorithm].calibrations if algorithm in TABLE else {}
            runs = (algorithm, variant, offered.get(pinned or calibration), test.column_of(role))
            if runs in seen:
                yield f"{key}: `{name}` is compared with itself; `curves`, `against` and `baseline` must differ"
                return
            seen.add(runs)


def _along_faults(key: str, test: Comparison) -> Iterator[str]:
    """Faults of predicates over several settings that have too few settings or no value to vary."""
    found, predicate = test.settings, test.predicate
    if predicate in SEVERAL and len(found) < 2:
        yield f"{key}.at: got one setting; `{predicate}` needs at least 2"
    elif len(found) < FEWEST.get(predicate, 0):
        yield f"{key}.at: got {len(found)} settings; `{predicate}` needs at least {FEWEST[predicate]}"
    ways = test.ways or ["T"] * (predicate == "flat")
    above, taken = 0.0, "inverse" if predicate in FEWEST else "logarithm"
    if isinstance(test, SlopeOf) and test.scale:
        above, taken = 1.0, "logarithm twice"
    for along in ways:
        if any(along not in setting for setting in found) or len({s[along] for s in found if along in s}) < 2:
            yield f"{key}.at.{along}: missing or constant; `{predicate}` needs at least 2 values of `{along}`"
        elif (least := min(setting[along] for setting in found)) <= above:
            yield f"{key}.at.{along}: {got(least, f'must be > {above:g}, because `{predicate}` takes its {taken}')}"
    worst = test.worst if isinstance(test, SlopeOf | SlopeOrder) else None
    if worst and (worst in ways or len({s[worst] for s in found if worst in s}) < 2):
        yield f"{key}.worst: {got(worst, 'must be a grid value that varies in `at` and is not `along`')}"
    if len(set(ways)) < len(ways):
        yield f"{key}.across: {got(ways[1], 'must be another grid value than `along`')}"


def _argmin_faults(key: str, experiment: Experiment, test: ArgminBetween) -> Iterator[str]:
    """Faults of values of `along` that do not lie both inside and outside the bounds, at every scale."""
    along = test.along
    low, high = (default if bound is None else bound for bound, default in zip(test.bounds, (-1e9, 1e9), strict=True))
    found = [setting for setting in test.settings if setting.get(along, 0.0) > 0.0]
    for scale, _ in experiment.size.items():
        horizon = experiment.horizon_at(scale)
        for rounds in dict.fromkeys(setting.get("T", horizon) for setting in found):
            values = [setting[along] for setting in found if setting.get("T", horizon) == rounds]
            if len({low <= exponent(value, rounds) <= high for value in values}) < 2:
                allowed = f"must have powers of T = {rounds:g} (scale `{scale}`) both inside and outside of `bounds`"
                yield f"{key}.at.{along}: {got([_plain(value) for value in values], allowed)}"
                return


def _reference_faults(
    paper: Paper,
    key: str,
    experiment: Experiment,
    entry: Entry,
    calibration: str,
    test: Comparison,
    role: str,
    values: Mapping[str, list[float | int]],
) -> Iterator[str]:
    """Faults of settings that, moved to the reference, are no point of the curve or do not change.

    With `against` the point may stay the same, because the curve differs.
    """
    for name, value in test.moved.items():
        yield from unknown_keys(f"{key}.reference", [name], values)
        yield from unknown(f"{key}.reference.{name}", [value], values.get(name, [value]))
    if not all(value in values.get(name, ()) for name, value in test.moved.items()):
        return
    defaults = defaults_of(paper, experiment, entry, calibration)
    have = points_of(paper, experiment, entry, calibration)
    for setting in test.settings:
        before, after = (
            {name: float(given.get(name, defaults.get(name, 0.0))) for name in have[0]}
            for given in (setting, {**setting, **test.moved})
        )
        said = ", ".join(f"{name} = {value:g}" for name, value in after.items())
        if after not in have:
            yield f"{key}.reference: got {said}; {NOT_IN_GRID}"
            return
        if after == before and role == "curves":
            other = f"`at` must give other points of `{reference(entry)}`"
            yield f"{key}.reference: {said} is compared with itself; {other}"
            return


def _setting_faults(
    paper: Paper,
    key: str,
    experiment: Experiment,
    entry: Entry,
    calibration: str,
    test: Comparison,
    role: str,
    values: Mapping[str, list[float | int]],
) -> Iterator[str]:
    """Faults of settings that are not one point of the curve, or coincide although the predicate compares them."""
    defaults = defaults_of(paper, experiment, entry, calibration)
    have = [tuple(point.items()) for point in points_of(paper, experiment, entry, calibration)]
    used = [name for name, _ in have[0]]
    wanted = []
    for setting in test.settings:
        for name, value in setting.items():
            if name not in values:
                yield from unknown_keys(f"{key}.{place_of(test.grid, name)}", [name], values)
                return
            if value not in values[name]:
                place = place_of(test.grid, name, value)
                yield from unknown(f"{key}.{place}.{name}", [_plain(value)], values[name])
                return
        lacking = [name for name in used if name not in setting and name not in defaults]
        if lacking:
            yield f"{key}.at.{lacking[0]}: {missing('values among: ' + listed('', values[lacking[0]]))}"
            return
        wanted.append(tuple((name, float(setting.get(name, defaults.get(name, 0.0)))) for name in used))
        if wanted[-1] not in have:
            said = ", ".join(f"{name} = {value:g}" for name, value in wanted[-1])
            yield f"{key}.at: got {said}; {NOT_IN_GRID}"
            return
    if role == "curves" and test.predicate in DIFFERENT and len(set(wanted)) < len(wanted):
        says = "does not depend on what the test varies. Leave the curve out."
        yield f"{key}.curves: the regret of `{reference(entry)}` {says}"


def grid_values(
    paper: Paper, experiment: Experiment, known: Mapping[tuple[str, str], Entry]
) -> dict[str, list[float | int]]:
    """The values of every grid name at the points of some curves."""
    every = [point for (_, c), entry in known.items() for point in points_of(paper, experiment, entry, c)]
    return {
        name: [_plain(value) for value in sorted({point[name] for point in every if name in point})]
        for name in grid_names(experiment.settings)
    }


def place_of(at: Grid, name: str, value: float | None = None) -> str:
    """Where a test gives a grid name or one of its values: `at`, or `at[1]` in a list."""
    if isinstance(at, Mapping):
        return "at"
    found = (f"at[{i}]" for i, block in enumerate(at) if name in block and (value is None or value in block[name]))
    return next(found, "at")


def _plain(value: float) -> float | int:
    return int(value) if value.is_integer() else value
