"""Every statistical verdict of hanna2022 that holds or fails can be turned: the table of mutants.

Verdicts are judged from the tables of the full scale, restricted to the first seeds. A mutant is the same table with
one thing wrong: rows of a curve are simulated anew with a fault, on the same instances, or two curves exchange their
rows. A verdict that no listed mutant turns would say nothing about the algorithm. The table of mutants is printed.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from dpbandits.algorithms.table import TABLE
from dpbandits.claims.predicates import COUNTS, settings
from dpbandits.experiments.config import load_project
from dpbandits.experiments.grid import curves
from dpbandits.privacy.accounting import least_noise
from dpbandits.stages import judge
from dpbandits.stages.aggregate import by_point, finals, stack
from dpbandits.stages.simulate import run_seeds
from dpbandits.statistics import holm
from dpbandits.storage import read_json, read_table
from dpbandits.streams import generator

ROOT = Path(__file__).parents[2]
DATA = ROOT / "figures/hanna2022/data"
PROJECT = load_project(ROOT, {"scale": "full"})
PAPER = PROJECT.papers["hanna2022"]
COINCIDES = {name: algorithm.calibrations for name, algorithm in TABLE.items()}
CASES = {
    (claim, variant, calibration): section
    for claim, variant, calibration, section in judge.cases(PAPER.claims)
    if section["kind"] == "statistical"
}
BASE, TEXTBOOK, CENTRAL = "phased_elimination", "phased_elimination_g_optimal", "phased_elimination_central"
LOCAL, SHUFFLED = "phased_elimination_local", "phased_elimination_shuffled"
UNIFORM, FW, NARROW = (f"phased_elimination_central_whole:{v}" for v in ("uniform", "fw", "uniform_narrow"))

SEEDS = {"figure2": 200, "high_privacy": 200, "scaling": 40, "figure3b": 100, "sensitivity": 400}
SEEDS_OF = {"C1": 500, "C2": 500, "C3": 1000, "C7": 400, "C10": 400, "C16": 20, "C23": 1500}
"""Round numbers, by experiment and claim, that decide as all seeds do. Of sensitivity, whose table has 100, more: so
that 1000 runs without an event hold."""
AT = 1e6  # horizon at which a fault that grows with T has factor 1
OUT_OF_REACH = 1e9
NO_NOISE = 1e6  # a budget so many times larger leaves noise and its part of the width without effect
CONSTANT, DROPPED, SWAPPED, HORIZON = "constant changed", "noise dropped", "curves swapped", "wrong in T"
PRINTED, TUNED, CERTIFIED = ALL = ("printed", "tuned", "certified")


@dataclass(frozen=True)
class Fault:
    """What is wrong with one curve.

    It is run with `budget` * eps ** `exponent` * (T / 1e6) ** `growth` in place of eps and with `parameters` in place
    of its own; or, where `other` names a curve, the two exchange their rows.
    """

    curve: str
    budget: float = 1.0
    exponent: float = 1.0
    growth: float = 0.0
    parameters: Mapping[str, float] = field(default_factory=dict)
    other: str = ""


@dataclass(frozen=True)
class Mutant:
    """Faults, and the verdict that they give a claim."""

    claim: str
    variant: str
    calibration: str
    kind: str
    what: str
    expected: str
    faults: tuple[Fault, ...]

    @property
    def case(self):
        return self.claim, self.variant, self.calibration


def mutants(claim, calibrations, kind, what, expected, *faults, variant=""):
    """The same mutant under several calibrations."""
    return [Mutant(claim, variant, calibration, kind, what, expected, faults) for calibration in calibrations]


def wide(curve, factor):
    """The fault of a confidence width that is multiplied, by calibration: the constant is 1, tuned 0.5."""
    return {c: Fault(curve, parameters={"width": factor * (0.5 if c == TUNED else 1.0)}) for c in ALL}


def swapped(claim, calibrations, first, second, what, expected, variant=""):
    fault = Fault(first, other=second)
    return mutants(claim, calibrations, SWAPPED, what, expected, fault, variant=variant)


def dropped(claim, calibrations, curve, what, expected):
    return mutants(claim, calibrations, DROPPED, f"{what} without noise", expected, Fault(curve, budget=NO_NOISE))


def noisy(claim, calibrations, curve, what, expected, budget):
    return mutants(claim, calibrations, CONSTANT, what, expected, Fault(curve, budget=budget))


def width(claim, calibrations, curve, what, expected, factor, variant=""):
    return [
        mutant
        for c in calibrations
        for mutant in mutants(claim, [c], CONSTANT, what, expected, wide(curve, factor)[c], variant=variant)
    ]


PRIVATE = (CENTRAL, SHUFFLED, LOCAL)
MUTANTS = [
    *width("C1", [PRINTED, TUNED], LOCAL, "width x 4 for local", "fails", 4),
    *noisy("C1", [PRINTED, TUNED], SHUFFLED, "noise x 100 for shuffled", "fails", 0.01),
    *mutants(
        "C1", [PRINTED], CONSTANT, "B = 1e6 for central", "fails", Fault(CENTRAL, parameters={"core_factor": 1e6})
    ),
    *swapped("C1", [PRINTED, TUNED], TEXTBOOK, BASE, "textbook's and non-private", "holds", "ls22"),
    *swapped("C1", [CERTIFIED], TEXTBOOK, BASE, "textbook's and non-private", "unclear", "ls22"),
    *mutants(
        "C1",
        [CERTIFIED],
        DROPPED,
        "local without noise, and that swap",
        "holds",
        Fault(LOCAL, budget=NO_NOISE),
        Fault(TEXTBOOK, other=BASE),
        variant="ls22",
    ),
    *noisy("C2", [PRINTED, TUNED], CENTRAL, "noise x 100 for central", "fails", 0.01),
    *dropped("C2", ALL, LOCAL, "local", "fails"),
    *swapped("C2", ALL, SHUFFLED, LOCAL, "shuffled and local", "fails"),
    *swapped("C2", [CERTIFIED], SHUFFLED, CENTRAL, "shuffled and central", "fails"),
    *noisy("C3", [PRINTED, TUNED], CENTRAL, "noise x 10 for central", "fails", 0.1),
    *mutants(
        "C3", [PRINTED], CONSTANT, "B = 1000 for central", "fails", Fault(CENTRAL, parameters={"core_factor": 1000.0})
    ),
    *swapped("C3", [PRINTED, TUNED], CENTRAL, LOCAL, "central and local", "fails"),
    *noisy("C3", [CERTIFIED], CENTRAL, "noise / 2 for central", "holds", 2),
    *dropped("C3", [CERTIFIED], CENTRAL, "central", "holds"),
    *dropped("C4", ALL, SHUFFLED, "shuffled", "holds"),
    *swapped("C4", ALL, SHUFFLED, LOCAL, "shuffled and local", "fails"),
    *noisy("C5", [PRINTED], LOCAL, "noise / 10 for local", "fails", 10),
    *dropped("C5", ALL, LOCAL, "local", "fails"),
    *swapped("C5", ALL, CENTRAL, LOCAL, "central and local", "fails"),
    *noisy("C6", [PRINTED], CENTRAL, "noise x 100 for central", "fails", 0.01),
    *dropped("C6", [PRINTED, TUNED], LOCAL, "local", "fails"),
    *swapped("C6", [PRINTED, TUNED], CENTRAL, SHUFFLED, "central and shuffled", "fails"),
    *noisy("C6", [CERTIFIED], CENTRAL, "noise / 4 for central", "holds", 4),
    *dropped("C6", [CERTIFIED], CENTRAL, "central", "holds"),
    *mutants("C7", [PRINTED, CERTIFIED], HORIZON, "noise x sqrt T for central", "fails", Fault(CENTRAL, growth=-0.5)),
    *swapped("C7", ALL, CENTRAL, LOCAL, "central and local", "fails"),
    *mutants("C8", [PRINTED, TUNED], CONSTANT, "noise 1 / eps^2 for central", "fails", Fault(CENTRAL, exponent=2)),
    *mutants("C8", ALL, CONSTANT, "noise of eps = 0.1 at every eps", "fails", Fault(CENTRAL, budget=0.1, exponent=0)),
    *swapped("C8", [PRINTED, CERTIFIED], CENTRAL, LOCAL, "central and local", "fails"),
    *dropped("C9", ALL, LOCAL, "local", "fails"),
    *mutants("C9", ALL, HORIZON, "noise / T for local", "fails", Fault(LOCAL, growth=1)),
    *swapped("C9", ALL, CENTRAL, LOCAL, "central and local", "fails"),
    *mutants("C10", ALL, CONSTANT, "noise 5 / eps^2 for local", "fails", Fault(LOCAL, budget=0.2, exponent=2)),
    *mutants("C11", ALL, HORIZON, "noise x T for central", "fails", Fault(CENTRAL, growth=-1)),
    *noisy("C12", ALL, SHUFFLED, "noise x 100 for shuffled", "fails", 0.01),
    *dropped("C12", ALL, CENTRAL, "central", "fails"),
    *swapped("C12", ALL, SHUFFLED, LOCAL, "shuffled and local", "fails"),
    *noisy("C15", [PRINTED, TUNED], CENTRAL, "noise x 10 for central", "fails", 0.1),
    *mutants(
        "C15", [PRINTED], CONSTANT, "B = 1000 for central", "fails", Fault(CENTRAL, parameters={"core_factor": 1000.0})
    ),
    *swapped("C15", [PRINTED, TUNED], CENTRAL, UNIFORM, "core set and whole set, uniform", "fails"),
    *noisy("C15", [CERTIFIED], CENTRAL, "noise / 2 for central", "holds", 2),
    *dropped("C15", [CERTIFIED], CENTRAL, "central", "holds"),
    *width("C16", [PRINTED, CERTIFIED], CENTRAL, "width / 4 for central", "holds", 0.25),
    *mutants(
        "C16",
        [TUNED],
        CONSTANT,
        "width x 4 for the whole set",
        "holds",
        *(wide(c, 4)[TUNED] for c in (UNIFORM, FW, NARROW)),
    ),
    *swapped("C16", ALL, UNIFORM, CENTRAL, "core set and whole set, uniform", "unclear"),
    *swapped("C16", ALL, FW, CENTRAL, "core set and whole set, fw", "fails"),
    *dropped("C16", ALL, UNIFORM, "whole set, uniform,", "unclear"),
    *swapped("C17", ALL, FW, CENTRAL, "core set and whole set, fw", "fails"),
    *swapped("C17", ALL, FW, CENTRAL, "core set and whole set, fw", "holds", "fw"),
    *width("C21", ALL, LOCAL, "width / 10 for local", "fails", 0.1),
    *width("C21", ALL, CENTRAL, "width / 10 for central", "fails", 0.1),
    *width("C22", ALL, LOCAL, "width / 100 for local", "fails", 0.01),
    *width("C22", ALL, CENTRAL, "width / 100 for central", "fails", 0.01),
    *(
        mutant
        for variant in ("quarter_width", "tenth_width")
        for mutant in mutants(
            "C21",
            [PRINTED],
            CONSTANT,
            "width as printed",
            "holds",
            *(wide(c, 1)[PRINTED] for c in PRIVATE),
            variant=variant,
        )
    ),
    *noisy("C23", [PRINTED, TUNED], LOCAL, "noise x 3 for local", "fails", 1 / 3),
    *noisy("C23", [CERTIFIED], LOCAL, "noise / 2.5 for local", "holds", 2.5),
    *dropped("C24", ALL, LOCAL, "local", "fails"),
    *mutants("C24", ALL, HORIZON, "eps = 0.1 at every T", "fails", Fault(LOCAL, budget=100, growth=0.5)),
]


def seeds_of(case):
    return SEEDS_OF.get(case[0], SEEDS[CASES[case]["experiment"]])


def key_of(reference, calibration):
    """Algorithm, variant, and the calibration whose runs stand for this one."""
    algorithm, _, variant = reference.partition(":")
    return algorithm, variant, COINCIDES[algorithm][calibration]


@cache
def curves_of(experiment):
    return {(c.algorithm, c.variant, c.calibration): c for c in curves(PROJECT, PAPER, experiment)}


@cache
def stored(experiment):
    """The table of the full scale by curve."""
    table = read_table(DATA / f"{experiment}.parquet")[0]
    names = [table[name].astype(str) for name in ("algorithm", "variant", "calibration")]
    found = {}
    for key in curves_of(experiment):
        rows = np.logical_and.reduce([column == name for column, name in zip(names, key, strict=True)])
        found[key] = {name: values[rows] for name, values in table.items()}
    return found


def first_seeds(rows, seeds):
    return {name: values[rows["seed"] < seeds] for name, values in rows.items()}


@cache
def experiment(case):
    """Rows by curve, of the curves that a claim compares and of its first seeds."""
    tests = judge.tests_of(CASES[case], case[2])
    names = [name for test in tests for name in (*test["curves"], test.get("against"), test.get("baseline")) if name]
    faults = [fault for mutant in MUTANTS if mutant.case == case for fault in mutant.faults if fault.other]
    names += [name for fault in faults for name in (fault.curve, fault.other)]
    rows = stored(CASES[case]["experiment"])
    return {key: first_seeds(rows[key], seeds_of(case)) for key in {key_of(name, case[2]): None for name in names}}


def points_of(curve, case):
    """Points of a curve that the tests of a claim look at."""
    wanted = [setting for test in judge.tests_of(CASES[case], case[2]) for setting in settings(test)]
    return tuple(
        point
        for point in curve.points
        if any(all(setting.get(name, curve.default(name)) == point[name] for name in point) for setting in wanted)
    )


def wrong(curve, point, fault):
    """The point that a curve with the fault runs in place of this one."""
    eps = {"eps": fault.budget * point["eps"] ** fault.exponent} if "eps" in point else {}
    if eps:
        eps["eps"] *= (curve.horizon_at(point) / AT) ** fault.growth
    return {**point, **eps, **fault.parameters}


@cache
def noise_for(request):
    return least_noise(request)


CACHE = {}


def simulated(name, key, seeds, points, fault):
    """Rows of one curve at these points, run with the fault and labelled as if it had none."""
    label = (name, key, seeds, str(points), str(fault))
    if label not in CACHE:
        curve = replace(curves_of(name)[key], seeds=seeds, chunk=seeds, points=points)
        faulty = replace(curve, points=tuple(wrong(curve, point, fault) for point in points))
        asks = import_module(f"dpbandits.algorithms.{key[0]}").requests if key[2] == CERTIFIED else lambda _: {}
        noise = [{what: noise_for(ask) for what, ask in asks(setting).items()} for setting in faulty.settings()]
        columns = run_seeds(faulty, PROJECT.root_seed, range(seeds), noise)
        names = dict.fromkeys(each for c in curves_of(name).values() for point in c.points for each in point)
        CACHE[label] = finals(curve, tuple(names), [by_point(faulty, columns)])
    return CACHE[label]


def record(rows, case, tests=None):
    """The verdict part of a claim's record, with the resamples that the pipeline gives it."""
    section, calibration = CASES[case], case[2]
    each = tuple(curves_of(section["experiment"]).values())
    sample = judge.sampler(stack(list(rows.values())), each, calibration, COINCIDES)
    rng = generator(PROJECT.root_seed, "resample", "/".join(filter(None, ["hanna2022", *case])))
    return judge.judge_claim({**section, "tests": tests or section["tests"]}, calibration, sample, rng)


@cache
def original(case):
    return record(experiment(case), case)


def mutated(mutant):
    """Rows of the experiment with the mutant's faults."""
    case, name = mutant.case, CASES[mutant.case]["experiment"]
    rows = dict(experiment(case))
    for fault in mutant.faults:
        key = key_of(fault.curve, mutant.calibration)
        if fault.other:
            other = key_of(fault.other, mutant.calibration)
            first, second = (
                rows[a] | {part: rows[b][part] for part in ("algorithm", "variant")}
                for a, b in ((key, other), (other, key))
            )
            rows |= {key: second, other: first}
        else:
            curve = curves_of(name)[key]
            rows[key] = simulated(name, key, seeds_of(case), points_of(curve, case), fault)
    return rows


@cache
def results():
    return [record(mutated(mutant), mutant.case) for mutant in MUTANTS]


def readings(found):
    return {entry["reading"]: entry["verdict"] for entry in found["readings"]}


def test_mutants_turn_verdicts_as_listed():
    found = {(*m.case, m.what): r["verdict"] for m, r in zip(MUTANTS, results(), strict=True)}
    assert found == {(*m.case, m.what): m.expected for m in MUTANTS}


def test_every_holds_and_every_fails_is_turned(capsys):
    """Of a claim that is unclear, every reading that is not. Prints the table of mutants."""
    with capsys.disabled():
        print(f"\n\n{'claim':20}| {'calibration':12}| {'verdict':8}| {'mutant':52}| new verdict")
        for m, found in zip(MUTANTS, results(), strict=True):
            claim, before, what = "/".join(filter(None, m.case[:2])), original(m.case)["verdict"], f"{m.kind}: {m.what}"
            print(f"{claim:20}| {m.calibration:12}| {before:8}| {what:52}| {found['verdict']}")
    turned = {m.case for m, r in zip(MUTANTS, results(), strict=True) if r["verdict"] != original(m.case)["verdict"]}
    decided = {case for case in CASES if original(case)["verdict"] != "unclear"}
    assert decided - turned == set()
    left = {
        (*case, reading): verdict
        for case in CASES.keys() - decided
        for reading, verdict in readings(original(case)).items()
        if verdict != "unclear"
    }
    for mutant, found in zip(MUTANTS, results(), strict=True):
        for reading, verdict in readings(found).items():
            if verdict != left.get((*mutant.case, reading), verdict):
                del left[(*mutant.case, reading)]
    assert left == {}
    assert {mutant.kind for mutant in MUTANTS} == {CONSTANT, DROPPED, SWAPPED, HORIZON}


def test_these_seeds_decide_as_all_seeds_do():
    records = read_json(DATA / "claims.json")["records"]
    full = {(r["id"].removeprefix("hanna2022/"), r["variant"], r["calibration"]): r["verdict"] for r in records}
    assert {case: original(case)["verdict"] for case in CASES} == {case: full[case] for case in CASES}


def test_why_the_unclear_ones_are_unclear():
    """Readings disagree, two curves are equal in law, or an estimate lies next to its bound at all seeds."""
    unclear = {case for case in CASES if original(case)["verdict"] == "unclear"}
    disagree = {case for case in unclear if {"holds", "fails"} <= set(readings(original(case)).values())}
    assert disagree == {(claim, "", calibration) for claim in ("C4", "C16") for calibration in ALL}
    assert unclear - disagree == {("C1", "", CERTIFIED), ("C2", "", CERTIFIED), ("C23", "", TUNED)}


@pytest.mark.parametrize(
    ("case", "name"),
    [
        (("C5", "", PRINTED), LOCAL),
        (("C9", "", TUNED), BASE),
        (("C12", "", CERTIFIED), SHUFFLED),
        (("C16", "", CERTIFIED), FW),
        (("C21", "tenth_width", PRINTED), CENTRAL),
    ],
)
def test_without_a_fault_the_rows_are_those_of_the_table(case, name):
    """What is simulated here differs from the tables by its fault and nothing else."""
    experiment_name, key = CASES[case]["experiment"], key_of(name, case[2])
    points = points_of(curves_of(experiment_name)[key], case)
    found = simulated(experiment_name, key, 3, points, Fault(name))
    table = first_seeds(stored(experiment_name)[key], 3)
    rows = [
        np.flatnonzero(np.logical_and.reduce([table["seed"] == seed, *(table[n] == v for n, v in point.items())]))
        for point in points
        for seed in range(3)
    ]
    assert {len(each) for each in rows} == {1}
    for column, values in found.items():
        same = np.testing.assert_allclose if values.dtype.kind == "f" else np.testing.assert_array_equal
        same(values, table[column][np.concatenate(rows)])  # to rounding: certified noise is the root of an equation


# Thresholds: each is moved with the other side taken away, and its test is judged alone


def alone(case, test):
    """The verdict of one test."""
    return record(experiment(case), case, [test])["verdict"]


def one_sided(test, side, bound):
    """The test with this bound at `side` and none at the other, nothing tolerated beyond it."""
    bounds = [bound, None] if side == 0 else [None, bound]
    return {name: value for name, value in test.items() if name != "tolerated"} | {"bounds": bounds}


TESTS = [(case, index, test) for case in CASES for index, test in enumerate(judge.tests_of(CASES[case], case[2]))]


def named(value):
    """C1-ls22-printed for a case."""
    return "-".join(filter(None, value)) if isinstance(value, tuple) else str(value)


def thresholds(key):
    return [
        (case, index, side)
        for case, index, test in TESTS
        for side, bound in enumerate(test.get(key, []))
        if bound is not None
    ]


@pytest.mark.parametrize(("case", "index", "side"), thresholds("bounds"), ids=named)
def test_no_threshold_is_idle(case, index, side):
    """Moved far to the other side it turns its test."""
    test = judge.tests_of(CASES[case], case[2])[index]
    fails = alone(case, one_sided(test, side, test["bounds"][side])) == "fails"
    inwards = OUT_OF_REACH if side == 0 else -OUT_OF_REACH
    assert alone(case, one_sided(test, side, -inwards if fails else inwards)) == ("holds" if fails else "fails")


@pytest.mark.parametrize(("case", "index", "side"), thresholds("tolerated"), ids=named)
def test_no_tolerated_range_is_idle(case, index, side):
    """Where the bound is out of reach it decides between failing and unclear."""
    inwards = OUT_OF_REACH if side == 0 else -OUT_OF_REACH
    test = one_sided(judge.tests_of(CASES[case], case[2])[index], side, inwards)
    assert alone(case, test | {"tolerated": test["bounds"]}) == "fails"
    assert alone(case, test | {"tolerated": [None, None]}) == "unclear"


@pytest.mark.parametrize(
    ("case", "index"), [(case, index) for case, index, test in TESTS if test["predicate"] in COUNTS], ids=named
)
def test_no_threshold_of_a_count_is_idle(case, index):
    """Every run is above -1, none above 1e9, and no rate exceeds 1."""
    test = judge.tests_of(CASES[case], case[2])[index]
    assert alone(case, test | {"above": -1}) == "fails"
    assert alone(case, test | {"above": OUT_OF_REACH}) != "fails"
    assert alone(case, test | {"above": -1, "rate": 1}) != "fails"


# Certified noise at eps is the printed noise at eps / 2: the sensitivity is 2, not 1


def p_values(algorithm, factor):
    """Paired t and two-sample KS of certified regret at eps against printed regret at eps * factor, where both are."""
    rows = stored("figure2")
    certified, printed = (first_seeds(rows[algorithm, "", c], SEEDS["figure2"]) for c in (CERTIFIED, PRINTED))
    regret = {eps: printed["regret"][printed["eps"] == eps] for eps in np.unique(printed["eps"])}
    found = []
    for eps in np.unique(certified["eps"]):
        if eps * factor in regret:
            x, y = certified["regret"][certified["eps"] == eps], regret[eps * factor]
            found += [stats.ttest_rel(x, y).pvalue, stats.ks_2samp(x, y).pvalue]
    return found


def test_certified_at_eps_agrees_in_law_with_printed_at_half_of_it():
    """Other streams, same instances: t on differences; KS, which the common instances make conservative. Holm."""
    equal = [p for algorithm in (CENTRAL, LOCAL) for p in p_values(algorithm, 0.5)]
    assert len(equal) == 32
    assert holm(equal).min() > 0.01


@pytest.mark.parametrize("algorithm", [CENTRAL, LOCAL])
def test_this_comparison_finds_the_wrong_half(algorithm):
    assert holm(p_values(algorithm, 1.0)).min() < 1e-6
