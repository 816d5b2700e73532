"""What turns a verdict: the committed tables of a paper with one thing wrong, judged again.

Verdicts are judged from the tables of the full scale, on the first seeds that all curves of a claim have or on fewer.
A mutant is the same table with one thing wrong: rows of a curve are simulated anew with a fault, on the same instances,
or rows are exchanged. A verdict that no listed mutant turns would say nothing about the algorithm.

A `Study` is a paper with its mutants; the functions here take it first and remember what they found.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache

import numpy as np

from dpbandits.base.parquet import read_table
from dpbandits.base.references import parts
from dpbandits.base.registry import ALGORITHMS
from dpbandits.base.storage import read_json
from dpbandits.claims.families import shown_by, with_pilot
from dpbandits.claims.pools import Pools, Shown, family_of
from dpbandits.claims.predicates import COUNTS
from dpbandits.claims.samples import Runs
from dpbandits.config.curves import names_of_points
from dpbandits.config.entries import TABLE
from dpbandits.config.grid import curves
from dpbandits.config.models.claims import Statistical
from dpbandits.config.sections import common_seeds, judged_outputs
from dpbandits.planning.pilots import shown_in_pilot
from dpbandits.stages import judge, runs
from dpbandits.stages.aggregate import evaluated, final_rows
from dpbandits.stages.calibrate import certified
from tests.shipped import ROOT, shipped
from tests.statistical import kept_runs
from tests.tables import stacked

PROJECT = shipped("full")
COINCIDES = {name: algorithm.calibrations for name, algorithm in TABLE.items()}
AT = 1e6  # horizon at which a fault that grows with T has factor 1
OUT_OF_REACH = 1e9
ENOUGH = Shown(10**6, None)
NO_NOISE = 1e6  # a budget so many times larger leaves noise and its part of the width without effect
CONSTANT, DROPPED, SWAPPED, HORIZON = KINDS = "constant changed", "noise dropped", "curves swapped", "wrong in T"


@dataclass(frozen=True)
class Fault:
    """What is wrong with one curve.

    It is run with `budget` * eps ** `exponent` * (T / 1e6) ** `growth` in place of eps, times every argument of the
    environment or value of the grid in `by` to its power, and with `parameters` in place of its own; or, where `other`
    names a curve, the two exchange their rows; or, where `instead` does, it has the rows of that one.
    """

    curve: str
    budget: float = 1.0
    exponent: float = 1.0
    growth: float = 0.0
    by: Mapping[str, float] = field(default_factory=dict)
    parameters: Mapping[str, float] = field(default_factory=dict)
    other: str = ""
    instead: str = ""


@dataclass(frozen=True)
class Mutant:
    """Faults, and the verdict that they give a claim; on so many of the first `seeds`, where not on as many as it."""

    claim: str
    variant: str
    calibration: str
    kind: str
    what: str
    expected: str
    faults: tuple[Fault, ...]
    seeds: int = 0

    @property
    def case(self):
        return self.claim, self.variant, self.calibration


@dataclass(frozen=True, eq=False)
class Study:
    """A paper with its mutants.

    Attributes
    ----------
    seeds : how many of the first seeds are judged at most, by experiment; where it says nothing, all that the curves of
        a claim have.
    seeds_of : the same for a claim that needs another number.
    checked : cases and curves of them whose rows in the tables are compared with rows simulated here.
    """

    paper: str
    mutants: tuple[Mutant, ...]
    seeds: Mapping[str, int] = field(default_factory=dict)
    seeds_of: Mapping[str, int] = field(default_factory=dict)
    checked: tuple[tuple[tuple[str, str, str], str], ...] = ()

    @property
    def data(self):
        return ROOT / "figures" / self.paper / "data"

    @property
    def cases(self):
        return cases(self.paper)

    def most(self, case):
        """How many of the first seeds are judged at most; None for all."""
        return self.seeds_of.get(case[0], self.seeds.get(self.cases[case].experiment))


def mutants(claim, calibrations, kind, what, expected, *faults, variant="", seeds=0):
    """The same mutant under several calibrations."""
    return [Mutant(claim, variant, calibration, kind, what, expected, faults, seeds) for calibration in calibrations]


def swapped(claim, calibrations, first, second, what, expected, variant=""):
    return mutants(claim, calibrations, SWAPPED, what, expected, Fault(first, other=second), variant=variant)


def replaced(claim, calibrations, curve, by, what, expected, variant=""):
    """A curve has the rows of another one."""
    return mutants(claim, calibrations, SWAPPED, what, expected, Fault(curve, instead=by), variant=variant)


def noisy(claim, calibrations, curve, what, expected, budget, variant="", seeds=0):
    return mutants(
        claim, calibrations, CONSTANT, what, expected, Fault(curve, budget=budget), variant=variant, seeds=seeds
    )


def faulty(claim, calibrations, kind, what, expected, curve, variant="", seeds=0, **wrong):
    """One curve run with a fault."""
    return mutants(claim, calibrations, kind, what, expected, Fault(curve, **wrong), variant=variant, seeds=seeds)


def dropped(claim, calibrations, curve, what, expected, seeds=0):
    fault = Fault(curve, budget=NO_NOISE)
    return mutants(claim, calibrations, DROPPED, f"{what} without noise", expected, fault, seeds=seeds)


@cache
def cases(paper):
    """The section of every statistical claim by claim, variant and calibration."""
    return {
        (claim, variant, calibration): section
        for claim, variant, calibration, section in judge.cases(PROJECT.papers[paper].claims)
        if isinstance(section, Statistical)
    }


def seeds_of(study, case):
    """The seeds on which a claim is judged: all that its curves have, or as many as the study says."""
    every = curves_of(study, study.cases[case].experiment).values()
    there, most = common_seeds(claimed(study, case), case[2], every, COINCIDES), study.most(case)
    return there if most is None else min(there, most)


def seeds_of_mutant(study, mutant):
    """The seeds of curves that are run with a fault."""
    there = seeds_of(study, mutant.case)
    return min(mutant.seeds or there, there)


def claimed(study, case):
    """The tests that a claim consists of."""
    return study.cases[case].tests_of(case[2])


def key_of(reference, calibration):
    """Algorithm, variant, and the calibration whose runs stand for this one."""
    algorithm, variant, pinned = parts(reference)
    return algorithm, variant, COINCIDES[algorithm][pinned or calibration]


@cache
def curves_of(study, experiment):
    return dict(keyed(curves(PROJECT, PROJECT.papers[study.paper], experiment)))


def keyed(found):
    """Curves with their keys."""
    return [((c.algorithm, c.variant, c.calibration), c) for c in found]


@cache
def stored(study, experiment):
    """The table of the full scale by curve."""
    table = read_table(study.data / f"{experiment}.parquet")[0]
    names = [table[name].astype(str) for name in ("algorithm", "variant", "calibration")]
    found = {}
    for key in curves_of(study, experiment):
        rows = np.logical_and.reduce([column == name for column, name in zip(names, key, strict=True)])
        found[key] = {name: values[rows] for name, values in table.items()}
    return found


def first_seeds(rows, seeds):
    """The rows of the first seeds; all of them where `seeds` is None."""
    return rows if seeds is None else {name: values[rows["seed"] < seeds] for name, values in rows.items()}


@cache
def experiment(study, case):
    """Rows by curve, of the curves that a claim compares: those of the first seeds where the study says so."""
    names = [name for test in claimed(study, case) for _, name in test.roles]
    faults = [fault for mutant in study.mutants if mutant.case == case for fault in mutant.faults]
    names += [name for fault in faults for name in (fault.curve, fault.other or fault.instead) if name]
    rows = stored(study, study.cases[case].experiment)
    keys = dict.fromkeys(key_of(name, case[2]) for name in names)
    return {key: first_seeds(rows[key], study.most(case)) for key in keys}


def points_of(study, curve, case):
    """Points of a curve that the tests of a claim look at."""
    wanted = [
        {**setting, **changes}
        for test in claimed(study, case)
        for setting in test.settings
        for changes in ({}, test.moved)
    ]
    return tuple(
        point
        for point in curve.points
        if any(all(setting.get(name, curve.default(name)) == point[name] for name in point) for setting in wanted)
    )


def wrong(curve, point, fault):
    """The point that a curve with the fault runs in place of this one."""
    if "eps" not in point:
        return {**point, **fault.parameters}
    eps = fault.budget * point["eps"] ** fault.exponent * (curve.horizon_at(point) / AT) ** fault.growth
    for name, power in fault.by.items():
        eps *= {**curve.environment_at(point), **point}[name] ** power
    return {**point, "eps": eps, **fault.parameters}


@cache
def noise_for(request):
    return certified(request)


CACHE = {}


def simulated(study, name, key, seeds, points, fault):
    """Rows of one curve at these points, run with the fault and labeled as if it had none."""
    label = (study.paper, name, key, seeds, str(points), str(fault))
    if label not in CACHE:
        faulty = with_fault(study, name, key, seeds, points, fault)
        names = names_of_points(tuple(curves_of(study, name).values()))
        ((_, ends),) = evaluated(faulty, PROJECT.root_seed) if faulty.bound else [(0, played(study, faulty))]
        named = replace(faulty, points=points)
        CACHE[label] = stacked([final_rows(named, names, p, 0, last) for p, (_, last) in enumerate(ends)])
    return CACHE[label]


def with_fault(study, name, key, seeds, points, fault):
    """One curve with its fault, at these points."""
    curve = replace(curves_of(study, name)[key], seeds=seeds, chunk=seeds, points=points)
    return replace(curve, points=tuple(wrong(curve, point, fault) for point in points))


def played(study, curve):
    """Outputs at the horizon of all seeds of a curve, by point."""
    find = kept_runs.ends if study.paper in kept_runs.LONG else kept_runs.simulated
    return find(curve, noise_of(curve), PROJECT.root_seed)


def noise_of(curve):
    """The noise that each point of a curve needs."""
    asks = ALGORITHMS.module(curve.algorithm).requests if curve.calibration == "certified" else lambda _: {}
    return [{what: noise_for(ask) for what, ask in asks(setting).items()} for setting in curve.settings()]


def simulations(study):
    """Every curve with a fault that the mutants of a paper run, and its noise."""
    for mutant in study.mutants:
        name, seeds = study.cases[mutant.case].experiment, seeds_of_mutant(study, mutant)
        for fault in mutant.faults:
            key = key_of(fault.curve, mutant.calibration)
            if not (fault.other or fault.instead or curves_of(study, name)[key].bound):
                points = points_of(study, curves_of(study, name)[key], mutant.case)
                curve = with_fault(study, name, key, seeds, points, fault)
                yield curve, noise_of(curve)


def record(study, rows, case, tests=None, seen=None):
    """The verdict part of a claim's record; the tails are those of these rows.

    It is judged on the first seeds that all its curves have in these rows. A mutant may have too few runs for a
    verdict; it is judged as if enough had been `seen`, and none of them large.
    """
    section, calibration = study.cases[case], case[2]
    each = tuple(curves_of(study, section.experiment).values())
    paper = PROJECT.papers[study.paper]
    outputs = judged_outputs(paper.claims, paper.measurements, paper.rules)[section.experiment]
    filled = runs.filled(stacked(list(rows.values())), outputs)
    if seen is None:
        seen = {family_of(curve, at): ENOUGH for curve in each for at in curve.points}
    there = [replace(curve, seeds=played_seeds(rows[key])) for key, curve in keyed(each) if key in rows]
    seeds = common_seeds(claimed(study, case), calibration, there, COINCIDES)
    sample = Runs(filled, each, calibration, COINCIDES, Pools(filled, each, seen), seeds)
    judged = section.model_copy(update={"tests": tests}) if tests else section
    return judge.judge_claim(judged, calibration, paper.rules, sample, sample.tail)


def played_seeds(rows):
    """How many seeds there are in the rows of a curve."""
    return int(rows["seed"].max(initial=-1)) + 1


@cache
def shown(study):
    """What the tables show of every algorithm, and the pilot of the paper beside them."""
    experiments = PROJECT.papers[study.paper].experiments
    every = {name: tuple(curves_of(study, name).values()) for name in experiments}
    tables = {name: study.data / f"{name}.parquet" for name in experiments}
    own = shown_by((runs.read_runs(tables[name], {"regret"}, each), each) for name, each in every.items())
    return with_pilot(own, shown_in_pilot(PROJECT, study.paper))


@cache
def original(study, case):
    return record(study, experiment(study, case), case)


def labeled(rows, key):
    """Rows under the name of another curve."""
    names = zip(("algorithm", "variant", "calibration"), key, strict=True)
    return rows | {name: np.full(len(rows["seed"]), value, dtype=object) for name, value in names}


def mutated(study, mutant):
    """Rows of the experiment with the mutant's faults, one after the other."""
    case, name = mutant.case, study.cases[mutant.case].experiment
    seeds = seeds_of_mutant(study, mutant)
    rows = {key: first_seeds(each, mutant.seeds or None) for key, each in experiment(study, case).items()}
    for fault in mutant.faults:
        key = key_of(fault.curve, mutant.calibration)
        if fault.other:
            other = key_of(fault.other, mutant.calibration)
            rows |= {key: labeled(rows[other], key), other: labeled(rows[key], other)}
        elif fault.instead:
            rows[key] = labeled(rows[key_of(fault.instead, mutant.calibration)], key)
        else:
            points = points_of(study, curves_of(study, name)[key], case)
            rows[key] = simulated(study, name, key, seeds, points, fault)
    return rows


@cache
def results(study):
    return [record(study, mutated(study, mutant), mutant.case) for mutant in study.mutants]


def readings(found):
    return {entry["reading"]: entry["verdict"] for entry in found["readings"]}


# What the tests of a paper compare


def as_listed(study):
    """What the list says of every mutant."""
    return {(*m.case, m.what): m.expected for m in study.mutants}


def as_found(study):
    return {(*m.case, m.what): r["verdict"] for m, r in zip(study.mutants, results(study), strict=True)}


def table(study):
    """The table of mutants as text."""
    lines = [f"\n{study.paper:23}| {'calibration':12}| {'verdict':8}| {'mutant':52}| new verdict"]
    for m, found in zip(study.mutants, results(study), strict=True):
        claim, what, before = "/".join(filter(None, m.case[:2])), f"{m.kind}: {m.what}", original(study, m.case)
        lines.append(f"{claim:23}| {m.calibration:12}| {before['verdict']:8}| {what:52}| {found['verdict']}")
    return "\n".join(lines)


UNDECIDED = ("unclear", "not_tested")


@cache
def verdicts(study):
    """By what the tables show of every algorithm."""
    seen = shown(study)
    return {case: record(study, experiment(study, case), case, seen=seen)["verdict"] for case in study.cases}


def committed_verdicts(study):
    """Those of all seeds."""
    records = read_json(study.data / "claims.json")["records"]
    full = {(r["id"].removeprefix(f"{study.paper}/"), r["variant"], r["calibration"]): r["verdict"] for r in records}
    return {case: full[case] for case in study.cases}


def decided(study):
    """Cases that are decided, or would be if enough runs had been seen."""
    return {case for case in study.cases if original(study, case)["verdict"] not in UNDECIDED}


def turned(study):
    """Cases whose verdict is another in some mutant, and not for want of seeds."""
    return {
        m.case
        for m, found in zip(study.mutants, results(study), strict=True)
        if found["verdict"] not in {original(study, m.case)["verdict"], "unclear" if m.seeds else ""}
    }


def readings_left(study):
    """The decided readings of unclear claims that are the same in all mutants."""
    left = {
        (*case, reading): verdict
        for case in study.cases.keys() - decided(study)
        for reading, verdict in readings(original(study, case)).items()
        if verdict not in UNDECIDED
    }
    for mutant, found in zip(study.mutants, results(study), strict=True):
        for reading, verdict in readings(found).items():
            if verdict not in {left.get((*mutant.case, reading), verdict), "unclear" if mutant.seeds else ""}:
                del left[(*mutant.case, reading)]
    return left


def disagreeing(study):
    """Undecided cases in which one reading holds and another fails."""
    unclear = study.cases.keys() - decided(study)
    return {case for case in unclear if {"holds", "fails"} <= set(readings(original(study, case)).values())}


def without_fault(study, case, name, seeds=3):
    """Rows of a curve simulated here without a fault, and the rows of the table in their place."""
    experiment_name, key = study.cases[case].experiment, key_of(name, case[2])
    points = points_of(study, curves_of(study, experiment_name)[key], case)
    table = first_seeds(stored(study, experiment_name)[key], seeds)
    rows = [
        np.flatnonzero(np.logical_and.reduce([table["seed"] == seed, *(table[n] == v for n, v in point.items())]))
        for point in points
        for seed in range(seeds)
    ]
    assert {len(each) for each in rows} == {1}
    found = simulated(study, experiment_name, key, seeds, points, Fault(name))
    return found, {column: table[column][np.concatenate(rows)] for column in found if column in table}


def same_rows(found, expected):
    """Equal, numbers to rounding: certified noise is the root of an equation."""
    for column, values in expected.items():
        same = np.testing.assert_allclose if values.dtype.kind == "f" else np.testing.assert_array_equal
        same(found[column], values)


# Thresholds: each is moved with the other side taken away, and its test is judged alone


def every_test(study):
    return [(case, index, test) for case in study.cases for index, test in enumerate(claimed(study, case))]


def named(value):
    """C1-ls22-printed for a case, its paper for a study."""
    if isinstance(value, Study):
        return value.paper
    return "-".join(filter(None, value)) if isinstance(value, tuple) else str(value)


def ranges(study):
    """Case and number of the test of every range of where regret is least."""
    return [(case, index) for case, index, test in every_test(study) if test.predicate == "argmin_between"]


def thresholds(study, key):
    """Case, number of the test, and side of every bound under `bounds` or `tolerated`, but of such a range."""
    return [
        (case, index, side)
        for case, index, test in every_test(study)
        for side, bound in enumerate(getattr(test, key, None) or ())
        if bound is not None and (case, index) not in ranges(study)
    ]


def counts(study):
    """Case and number of the test of every count."""
    return [(case, index) for case, index, test in every_test(study) if test.predicate in COUNTS]


def alone(study, case, test):
    """The verdict of one test."""
    return record(study, experiment(study, case), case, [test])["verdict"]


def one_sided(test, side, bound):
    """The test with this bound at `side` and none at the other, nothing tolerated beyond it."""
    changes = {"bounds": (bound, None) if side == 0 else (None, bound)}
    return test.model_copy(update=changes | ({"tolerated": None} if test.outer else {}))


def with_bound_moved(study, case, index, side):
    """The verdict of a test with one bound alone, and that with this bound moved far to the other side."""
    test = claimed(study, case)[index]
    before = alone(study, case, one_sided(test, side, test.bounds[side]))
    inwards = OUT_OF_REACH if side == 0 else -OUT_OF_REACH
    return before, alone(study, case, one_sided(test, side, -inwards if before == "fails" else inwards))


def with_bound_out_of_reach(study, case, index, side):
    """The verdicts of a test whose bound is out of reach: with the range that is tolerated, and with any tolerated."""
    inwards = OUT_OF_REACH if side == 0 else -OUT_OF_REACH
    test = one_sided(claimed(study, case)[index], side, inwards)
    return [alone(study, case, test.model_copy(update={"tolerated": range_})) for range_ in (test.bounds, (None, None))]


def limited(study, case, index, side):
    """Whether some comparison with a bound on this side has the joint limit by which it would fail."""
    details = record(study, experiment(study, case), case, [claimed(study, case)[index]])["details"]
    return any(None not in (each["allowed"][side], each["joint"][1 - side]) for each in details)


def with_count_moved(study, case, index):
    """The verdicts of a count above -1, above 1e9, and above -1 where every rate is allowed."""
    test = claimed(study, case)[index]
    changes = ({"above": -1}, {"above": OUT_OF_REACH}, {"above": -1, "rate": 1})
    return [alone(study, case, test.model_copy(update=moved)) for moved in changes]
