"""Closed forms behind claims of hanna2022: their numbers by other means, and the mutants that turn them."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import pairwise, permutations
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
import pytest
from scipy import integrate, optimize, stats

from dpbandits.audits.mechanisms.shuffled_laplace import summed_delta
from dpbandits.claims.closed_forms.hanna2022 import functions as hanna2022
from dpbandits.claims.closed_forms.hanna2022 import laplace_sums, small_designs
from dpbandits.config.faults.check import faults
from dpbandits.config.loading import load_paper
from dpbandits.config.models.figures import Drawn
from dpbandits.config.values import given
from dpbandits.stages.judge import judge_closed_forms

from .closed_verdicts import closed_cases

PAPER = load_paper(Path(__file__).parents[2], "hanna2022")
EVERY_CASE = closed_cases("hanna2022")
CASES = {
    ("/".join(filter(None, (claim, variant))), calibration): section
    for (claim, variant, calibration), section in EVERY_CASE.items()
}
CLOSED = {name: PAPER.claims[name] for name, _, _ in EVERY_CASE}
EVERY = ("printed", "tuned", "certified")
AS_PRINTED = ("printed", "tuned")
T, DELTA = 10**6, 1e-6
SIZES = [3, 9, 24, 67, 191, 546, 1559, 4454, 12728, 36378, 103974, 297171]  # q^i rounded up, q = e 2^(1/ln 10^6)


@pytest.fixture(autouse=True)
def digits() -> Iterator[None]:
    with mpmath.workdps(40):
        yield


def schedule(horizon: int) -> list[mpmath.mpf]:
    """q^1 .. q^L in 40 digits."""
    log_horizon = mpmath.log(horizon)
    return [mpmath.power(2 * horizon, i / log_horizon) for i in range(1, int(mpmath.floor(log_horizon)))]


def inverse(eps: float, n: int, delta: float = DELTA) -> float:
    """The x with f(x) = eps for the printed f, in 40 digits."""
    log_term = mpmath.log(4 / mpmath.mpf(delta))

    def excess(x):
        e = mpmath.exp(x)
        return mpmath.log(1 + (e - 1) / (e + 1) * (8 * mpmath.sqrt(e * log_term / n) + 8 * e / n)) - eps

    return float(mpmath.findroot(excess, (1e-9, 60), solver="anderson"))


def bisected(low: float, high: float, rising) -> float:
    """Where an increasing function crosses 0."""
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (low, middle) if rising(middle) > 0 else (middle, high)
    return low


def values(numbers: list[tuple[str, Any]]) -> list[Any]:
    return [value for _, value in numbers]


def judged(claim: str, calibration: str, **changes: Any) -> dict[str, Any]:
    return judge_closed_forms("hanna2022", CASES[claim, calibration].model_copy(update=changes), calibration, [], {})


# The configuration agrees with itself


def test_every_claim_here_is_known():
    exact = {claim for claim, section in CLOSED.items() if section.kind == "exact"}
    assert exact == {"C17", "C25", "C26", "C27", "C29", "C32", "C35"}


def test_arguments_are_those_of_the_experiments():
    """Horizon and delta stand in claims, figures, audits and experiments: they must not drift apart."""
    named = [each.arguments for section in CASES.values() for each in section.tests]
    named += [figure.arguments for figure in PAPER.figures.values() if isinstance(figure, Drawn)]
    horizons = [each["horizon"] for each in named if not isinstance(each.get("horizon", ()), tuple)]
    deltas = [each["delta"] for each in named if "delta" in each]
    horizons += [PAPER.audits["shuffled"].constants["T"]]
    assert set(horizons) == {PAPER.experiments["figure2"].horizon} == {T}
    assert set(deltas) == {given(PAPER.constants["delta"])} == {DELTA}
    widths = PAPER.figures["widths"].arguments
    assert widths["arms"] == PAPER.experiments["figure2"].environment["arms"]
    assert widths["core_factor"] == given(PAPER.constants["core_factor"])


def test_horizons_of_the_scaling_share_the_fraction_of_their_logarithm():
    grid = PAPER.experiments["scaling"].numbers
    assert grid["T"] == [int(mpmath.nint(mpmath.exp(k + mpmath.mpf("0.8155")))) for k in range(12, 18)]


def test_points_of_theorem3_are_in_the_range_of_the_theorem():
    points = PAPER.experiments["theorem3"].numbers
    assert [point["T"] for point in points] == [
        [int(mpmath.nint(mpmath.exp(k + mpmath.mpf("0.8155"))))] for k in (20, 22, 24, 26)
    ]
    for point in points:
        assert point["eps"] == [pytest.approx(float(mpmath.sqrt(-mpmath.log(DELTA) / point["T"][0])), rel=1e-14)]
    (test,) = PAPER.claims["C30"].variants["in_range"].tests
    assert test.at == points


def test_single_points_of_high_privacy_are_one_over_the_root_of_the_horizon():
    _, *single = PAPER.experiments["high_privacy"].numbers
    assert [point["T"] for point in single] == [[10**5], [10**6], [10**7]]
    for point in single:
        assert point["eps"] == [pytest.approx(float(1 / mpmath.sqrt(point["T"][0])), rel=1e-15)]
    (test,) = PAPER.claims["C24"].tests
    assert test.at == single


# Every function by other means


def test_batch_sizes():
    assert hanna2022.batch_sizes(T) == SIZES == [int(mpmath.ceil(each)) for each in schedule(T)]
    for horizon in (10, 10**4, 1202605, 54597574):
        assert hanna2022.batch_sizes(horizon) == [int(mpmath.ceil(each)) for each in schedule(horizon)]


@pytest.mark.parametrize("algorithm", ["phased_elimination_central", "phased_elimination_local"])
def test_noise_scale(algorithm):
    """1/eps as printed, 2/eps certified."""
    for eps in (0.1, 1.0, 10.0):
        found = [hanna2022.noise_scale(algorithm, calibration, eps) for calibration in EVERY]
        assert found == pytest.approx([1 / eps, 1 / eps, 2 / eps], rel=1e-15)


@pytest.mark.parametrize("calibration", AS_PRINTED)
@pytest.mark.parametrize("eps", [0.001, 0.1, 1.0, 5.0])
def test_printed_report_scales_are_the_printed_inverse(calibration, eps):
    scales = hanna2022.report_scales(calibration, T, DELTA, eps)
    assert scales == pytest.approx([1 / inverse(eps, n) for n in SIZES], rel=1e-9)


@pytest.mark.parametrize("eps", [0.5, 1.0, 3.0])
def test_certified_report_scales_are_proven_by_the_blanket_and_hardly_larger_than_that(eps):
    """T = 2e4: eight batches, the last with 5001 reports."""
    sizes, scales = hanna2022.batch_sizes(20_000), hanna2022.report_scales("certified", 20_000, DELTA, eps)
    assert len(sizes) == len(scales) == 8
    for n, scale in zip(sizes, scales, strict=True):
        assert summed_delta(scale, n, eps) <= 1.0001 * DELTA < summed_delta(scale / 1.01, n, eps)


def test_epsilons_of_c13():
    printed = [inverse(eps, SIZES[-1]) / eps for eps in (2, 5)]
    for calibration in AS_PRINTED:
        assert values(hanna2022.local_epsilon_over_eps(calibration, T, DELTA, [2, 5])) == pytest.approx(
            printed, rel=1e-9
        )
    for eps, epsilon in zip(
        (2, 5), values(hanna2022.local_epsilon_over_eps("certified", T, DELTA, [2, 5])), strict=True
    ):
        least, most = (summed_delta(2 / (each * eps * epsilon), SIZES[-1], eps) for each in (1, 1.01))
        assert least <= 1.0001 * DELTA < most


def test_variance_of_c14():
    """As printed f(x) is about 4 x sqrt(ln(4/delta)/n) for small x: n eps^2/eps0^2 is about 16 ln(4/delta) = 243.

    Certified, the sums of the blanket are nearly normal: n mu^2 = E Z^2 = e^(-x/2) E (V - 1)^2 for eps near 0.
    """
    n, eps = SIZES[-1], 1e-3
    found = {each: values(hanna2022.report_variance_over_central(each, T, DELTA, [eps]))[0] for each in EVERY}
    assert found["printed"] == found["tuned"] == pytest.approx(n * eps**2 / inverse(eps, n) ** 2, rel=1e-9)
    assert found["printed"] == pytest.approx(16 * math.log(4e6), rel=0.05)

    def excess(x):
        square = math.exp(-x / 2) * (4 / 3 * math.exp(1.5 * x) - 4 * math.exp(x / 2) + 8 / 3)
        mu = math.sqrt(square / n)
        tails = stats.norm.cdf(mu / 2 - eps / mu) - math.exp(eps) * stats.norm.cdf(-mu / 2 - eps / mu)
        return tails - DELTA

    assert found["certified"] == pytest.approx(n * (eps * 2 / bisected(1e-3, 1.0, excess)) ** 2, rel=0.01)


def test_core_set_at_right_angles_takes_both_actions():
    """Every weight but 1/2 leaves a larger norm; of four at right angles two opposite ones count as one."""
    square = small_designs.circle(np.array([0.0, math.pi / 2]))
    assert small_designs.core_weights(square, 0.0) == pytest.approx([0.5, 0.5], abs=1e-9)
    assert small_designs.largest_norm(square, np.array([0.5, 0.5])) == pytest.approx(2.0)
    assert small_designs.largest_norm(square, np.array([0.8, 0.2])) == pytest.approx(5.0)


@pytest.mark.parametrize("arc", [360, 20])
def test_core_sets_of_c17_are_optimal(arc):
    """The largest norm of the best weights on any three actions is 2, by Kiefer and Wolfowitz, found by a search."""
    ((_, (actions,)),) = small_designs.drawn([6], [arc], 1)
    norm = small_designs.largest_norm(actions, small_designs.core_weights(actions, 0.0))

    def worst(logits):
        weights = np.exp(logits - logits.max())
        return small_designs.largest_norm(actions, weights / weights.sum())

    found = min(
        optimize.minimize(worst, start, method="Nelder-Mead", options={"maxiter": 4000, "fatol": 1e-9}).fun
        for start in np.random.default_rng(1).normal(size=(4, 6))
    )
    assert 2.0 - 1e-9 <= norm <= min(2.004, found + 0.004)


def test_sizes_and_norms_of_c17_are_those_of_the_sets():
    kinds = list(small_designs.drawn([5, 8], [360, 90], 3))
    assert [len(sets) for _, sets in kinds] == [3] * 4
    assert all(np.allclose(np.linalg.norm(each, axis=1), 1.0) for _, sets in kinds for each in sets)
    weights = [[small_designs.core_weights(each, 0.0) for each in sets] for _, sets in kinds]
    ends = [end([np.sum(each > 0) for each in own]) for own in weights for end in (min, max)]
    assert values(hanna2022.core_set_sizes([5, 8], [360, 90], 3, 0.0)) == ends
    norms = [
        max(
            float(a @ np.linalg.solve(each.T @ np.diag(own) @ each, a))
            for each, own in zip(sets, weight, strict=True)
            for a in each
        )
        for (_, sets), weight in zip(kinds, weights, strict=True)
    ]
    assert values(hanna2022.core_set_norms([5, 8], [360, 90], 3)) == pytest.approx(norms, rel=1e-9)
    assert values(hanna2022.core_set_sizes([5], [360], 3, 1.0)) == [5, 5]


def test_uneven_norms_of_c29():
    """Each once: V is the mean of a a', for the single action across about (many + 1) / 1."""
    for many in (4, 50):
        angles = [*np.linspace(-math.pi / 180, math.pi / 180, many), math.pi / 2]
        gram = sum(np.outer(a, a) for a in np.column_stack([np.cos(angles), np.sin(angles)])) / (many + 1)
        exact = np.linalg.inv(gram)[1, 1]
        assert exact == pytest.approx(many + 1, rel=0.02)
        assert values(hanna2022.uneven_norms([many], 0.0)) == [pytest.approx(exact)]
        assert values(hanna2022.uneven_norms([many], 1.0)) == [pytest.approx(2.0, rel=2e-3)]


def test_moment_of_c32():
    """E exp(r z) by quadrature of the density exp(-|z|) / 2."""
    for rate in (0.1, 0.5, 0.9):
        exact = mpmath.quad(lambda z, r=rate: mpmath.exp(r * z - abs(z)) / 2, [-mpmath.inf, 0, mpmath.inf])
        found = values(hanna2022.moment_over_printed([rate]))
        assert found == [pytest.approx(float(exact / mpmath.exp(mpmath.mpf(rate) ** 2 / 2)), rel=1e-12)]


@pytest.mark.parametrize("terms", [1, 2, 5, 40])
@pytest.mark.parametrize("root", [0.5, 2.0, 4.0])
def test_tail_of_c32(terms, root):
    """The sum is the difference of two gamma variables: by quadrature over one of them; of one term exp(-t) / 2."""
    t = root * math.sqrt(terms)
    gamma = stats.gamma(terms)
    exact, _ = integrate.quad(
        lambda y: gamma.pdf(y) * gamma.sf(t + y), 0.0, terms + 40.0 * math.sqrt(terms), epsabs=0.0, epsrel=1e-10
    )
    assert laplace_sums.tail(terms, t) == pytest.approx(exact, rel=1e-8)
    if terms == 1:
        assert laplace_sums.tail(terms, t) == pytest.approx(math.exp(-t) / 2, rel=1e-12)
    printed = math.exp(-(t**2) / (2 * terms)) if t <= terms else math.exp(terms / 2 - t)
    found = values(hanna2022.tail_over_printed([terms], [root]))
    assert found == [pytest.approx(laplace_sums.tail(terms, t) / printed, rel=1e-12)]


SCALES = [("printed", 1), ("tuned", 1), ("certified", 2)]


@pytest.mark.parametrize("n", [2, 3, 4])
@pytest.mark.parametrize("actions_permuted", [0, 1])
def test_linkage_from_all_that_the_shuffler_puts_out(n, actions_permuted):
    """Every assignment of actions, every order of all pairs: no pair helps to link another."""
    senders: dict[Any, list[Counter[int]]] = defaultdict(lambda: [Counter() for _ in range(n)])
    for actions in permutations(range(n)):
        for order in permutations(range(n)):
            pairs = tuple(actions[client] for client in order)
            for place, client in enumerate(order):
                senders[(pairs, None if actions_permuted else actions)][place][client] += 1
    hits = sum(max(count.values()) for places in senders.values() for count in places)
    share = hits / (n * math.factorial(n) ** 2)
    assert share == pytest.approx(1 / n if actions_permuted else 1.0)
    assert values(hanna2022.linkage([n], actions_permuted)) == [pytest.approx(share * (n if actions_permuted else 1))]


def test_growth_factor():
    """(2T)^(1/ln T); at T = 2 it is 4^(1/ln 2) = e^2."""
    found = values(hanna2022.growth_factor([2, 10, T, 10**9]))
    assert found == pytest.approx([float(mpmath.power(2 * t, 1 / mpmath.log(t))) for t in (2, 10, T, 10**9)], rel=1e-14)
    assert found[0] == pytest.approx(math.e**2, rel=1e-15)


def test_schedule_over_horizon():
    horizons = [10**4, T, 1202604, 1202605, 10**7]
    exact = [float(sum(schedule(t)) / t) for t in horizons]
    assert values(hanna2022.schedule_over_horizon(horizons)) == pytest.approx(exact, rel=1e-12)
    assert int(mpmath.ceil(mpmath.exp(14))) == 1202605  # the first horizon with one batch more
    assert exact[2] < 0.4 < 1.0 < exact[3]


def test_epsilon_exponent():
    """Of the printed inverse in the last batch, between two and three horizons."""
    horizons = [10**4, 10**6, 10**8]
    epsilons = [mpmath.log(inverse(1e-3, int(mpmath.ceil(schedule(t)[-1])))) for t in horizons]
    exact = [float((high - low) / mpmath.log(100)) - 0.25 for low, high in pairwise(epsilons)]
    assert values(hanna2022.local_epsilon_exponent_less(horizons, DELTA, 1e-3, 0.25)) == pytest.approx(exact, abs=1e-8)


def test_difference():
    assert values(hanna2022.difference(0.75, 0.5)) == [0.25]
    assert values(hanna2022.difference(0.5, 0.75)) == [-0.25]
    assert values(hanna2022.difference(0.6, 0.6)) == [0.0]


@pytest.mark.parametrize(("calibration", "times"), SCALES)
def test_widths_of_the_figure(calibration, times):
    """d = 2, K = 10, B = 1.5: L = ln(40 T^2), all batches of Algorithm 1 without noise, 1, 2 and 3; eps = 1/2."""
    found = hanna2022.widths(calibration, T, DELTA, 0.5, 10, 1.5)
    log_term, b = mpmath.log(40 * mpmath.mpf(T) ** 2), 2 * times
    reports = hanna2022.report_scales(calibration, T, DELTA, 0.5)
    exact = defaultdict(list)
    for n, q, local in zip(SIZES, schedule(T), reports, strict=True):
        root, spread = mpmath.sqrt(8 * log_term / q), 4 * mpmath.sqrt(n * log_term) / q
        exact["phased_elimination"].append(root)
        exact["phased_elimination_central"].append(root + (12 + 4 * log_term) * b / q)
        exact["phased_elimination_local"].append(root + spread * b)
        exact["phased_elimination_shuffled"].append(root + spread * local)
    assert set(found) == set(exact)
    for curve, numbers in exact.items():
        assert found[curve] == pytest.approx([float(each) for each in numbers], rel=1e-12)


# Verdicts

EXPECTED = {
    "C13": ("fails", "fails", "fails"),
    "C14": ("fails", "fails", "fails"),
    "C17": ("holds",),
    "C17/fw": ("fails",),
    "C25": ("holds",),
    "C26": ("holds",),
    "C27": ("fails",),
    "C29": ("holds",),
    "C32": ("fails",),
    "C35": ("fails",),
}
VERDICTS = {
    (claim, calibration): verdict
    for claim, verdicts in EXPECTED.items()
    for calibration, verdict in zip(EVERY, verdicts, strict=False)
}


def test_verdicts():
    assert {case: judged(*case)["verdict"] for case in CASES} == VERDICTS


def test_verdicts_of_readings():
    """Of C27 and C32 nothing holds."""
    readings = {case: [each["verdict"] for each in judged(*case)["readings"]] for case in CASES}
    assert readings["C25", "printed"] == ["holds", "holds"]
    assert readings["C27", "printed"] == ["fails", "fails", "fails"]
    assert readings["C32", "printed"] == ["fails", "fails"]


# Mutants

BATCH_SCHEDULE = hanna2022.batch_schedule


def scales_of_epsilon(calibration, horizon, delta, eps):
    """Local epsilon eps."""
    return [(2 if calibration == "certified" else 1) / eps for _ in hanna2022.batch_sizes(horizon)]


def scales_as_remarked(calibration, horizon, delta, eps):
    """Variance 2 / (n eps^2)."""
    return [1 / (eps * math.sqrt(n)) for n in hanna2022.batch_sizes(horizon)]


def of_common_logarithm(horizon):
    return (2.0 * horizon) ** (1.0 / math.log10(horizon)), BATCH_SCHEDULE(horizon)[1]


def one_batch_less(horizon):
    q, last = BATCH_SCHEDULE(horizon)
    return q, last - 1


def arguments(claim: str, *changes: Mapping[str, float]) -> dict[str, Any]:
    """The tests of a claim with other arguments, test by test."""
    pairs = zip(CLOSED[claim].tests, changes, strict=True)
    return {"tests": tuple(test.model_copy(update={"arguments": {**test.arguments, **c}}) for test, c in pairs)}


CORE, each_once = small_designs.core_weights, small_designs.each_once


def lopsided(actions, plain):
    """Nine tenths of the weight on the first action of the core set."""
    weights = CORE(actions, plain)
    return np.where(np.cumsum(weights > 0) == 1, 9.0, 1.0) * (weights > 0) / (8 + np.sum(weights > 0))


MODULES = (hanna2022, laplace_sums, small_designs)
LARGE_EPS = {"report_scales": scales_of_epsilon}
AS_REMARKED = {"report_scales": scales_as_remarked}
CONSISTENT = [{"printed": 0.47}, {"first": 0.6}, {"second": 1}]
NORMAL = {"moment": lambda rate: math.exp(rate**2 / 2), "tail": lambda n, t: stats.norm.sf(t / math.sqrt(n))}
MUTANTS: list[tuple[str, tuple[str, ...], str, Mapping[str, Any], Mapping[str, Any], str]] = [
    ("C17", ("printed",), "every action once", {"core_weights": lambda a, _: each_once(a)}, {}, "fails"),
    ("C17", ("printed",), "most weight on one action", {"core_weights": lopsided}, {}, "fails"),
    ("C17/fw", ("printed",), "design with steps away", {"core_weights": lambda a, _: CORE(a, 0.0)}, {}, "holds"),
    ("C29", ("printed",), "every action once in either", {"core_weights": lambda a, _: each_once(a)}, {}, "fails"),
    ("C29", ("printed",), "core set in either", {"each_once": lambda a: CORE(a, 0.0)}, {}, "fails"),
    ("C32", ("printed",), "normal variables of variance 1", NORMAL, {}, "holds"),
    ("C32", ("printed",), "only the moment of a normal variable", {"moment": NORMAL["moment"]}, {}, "fails"),
    ("C32", ("printed",), "only the tail of normal variables", {"tail": NORMAL["tail"]}, {}, "fails"),
    ("C13", EVERY, "local epsilon eps, as the remark has it", LARGE_EPS, {}, "holds"),
    ("C13", EVERY, "amplification without its constant", AS_REMARKED, {}, "fails"),
    ("C14", EVERY, "variance 2 / (n eps^2), as the remark has it", AS_REMARKED, {}, "holds"),
    ("C14", EVERY, "no amplification", LARGE_EPS, {}, "fails"),
    ("C25", ("printed",), "known actions permuted too", {"_seen": lambda a, client, _: (a[client],)}, {}, "fails"),
    ("C25", ("printed",), "permuted actions known", {"_seen": lambda a, client, _: (a[client], *a)}, {}, "fails"),
    ("C26", ("printed",), "the common logarithm", {"batch_schedule": of_common_logarithm}, {}, "fails"),
    ("C35", ("printed",), "one batch less", {"batch_schedule": one_batch_less}, {}, "holds"),
    ("C27", ("printed",), "printed numbers made consistent", {}, arguments("C27", *CONSISTENT), "holds"),
    *[
        ("C27", ("printed",), f"all but number {k + 1} made consistent", {}, arguments("C27", *changes), "fails")
        for k in range(3)
        for changes in [[{} if k == j else each for j, each in enumerate(CONSISTENT)]]
    ],
]


def test_every_verdict_is_turned_by_a_mutant(monkeypatch, say):
    """Prints the table of mutants."""
    rows, turned = [], set()
    for claim, calibrations, what, patches, section, expected in MUTANTS:
        for calibration in calibrations:
            with monkeypatch.context() as patch:
                for name, mutant in patches.items():
                    for module in [each for each in MODULES if hasattr(each, name)]:
                        patch.setattr(module, name, mutant)
                found = judged(claim, calibration, **section)["verdict"]
            before = VERDICTS[claim, calibration]
            rows.append(f"{claim:6}| {calibration:10}| {what:46}| {before:8}| {found}")
            assert found == expected, rows[-1]
            turned |= {(claim, calibration)} if found != before else set()
    say("\n".join([f"\n{'claim':6}| {'calibration':10}| {'mutant':46}| {'verdict':8}| new verdict", *rows]))
    assert turned == set(CASES)


# Faults


def edited(claim: str, index: int, change: Mapping[str, Any]) -> list[str]:
    """All faults of the paper with one test of a closed form changed."""
    every = enumerate(CLOSED[claim].tests)
    tests = tuple(test.model_copy(update=change) if k == index else test for k, test in every)
    changed = CLOSED[claim].model_copy(update={"tests": tests})
    return list(faults(replace(PAPER, claims={**PAPER.claims, claim: changed})))


C13, C25 = CLOSED["C13"].tests[0].arguments, CLOSED["C25"].tests[1].arguments


def test_the_paper_has_no_faults():
    assert edited("C13", 0, {}) == []


@pytest.mark.parametrize(
    ("claim", "index", "change", "says"),
    [
        (
            "C13",
            0,
            {"function": "_range_in"},
            "function: unknown function `_range_in`. Use one of: local_epsilon_over_eps, ",
        ),
        (
            "C13",
            0,
            {"arguments": {k: C13[k] for k in ("horizon", "eps")}},
            "arguments.delta: required key is missing. Add it.",
        ),
        (
            "C13",
            0,
            {"arguments": {**C13, "beta": 1}},
            "arguments.beta: unknown argument `beta`. Use one of: horizon, delta, eps",
        ),
        (
            "C13",
            0,
            {"arguments": {**C13, "calibration": 1}},
            "arguments.calibration: unknown argument `calibration`. Use one of: horizon, delta, eps",
        ),
        ("C13", 0, {"arguments": {**C13, "eps": 2}}, "arguments.eps: got 2; must be a list of numbers"),
        (
            "C13",
            0,
            {"arguments": {**C13, "horizon": 10.5}},
            "arguments.horizon: got 10.5; must be a whole number",
        ),
        (
            "C13",
            0,
            {"bounds": [2, 1]},
            "bounds: got [2, 1]; must be [low, high] with low < high; one of them may be null",
        ),
        ("C25", 1, {"bounds": [None, None]}, "bounds: got [null, null]; must be [low, high] with low < high"),
        (
            "C25",
            1,
            {"arguments": {**C25, "actions_permuted": (1,)}},
            "arguments.actions_permuted: got [1]; must be a number",
        ),
        ("C26", 0, {"function": "growth"}, "function: unknown function `growth`. Use one of: local_epsilon_over_eps, "),
    ],
)
def test_a_fault_in_a_test_of_a_closed_form_is_one_line(claim, index, change, says):
    (found,) = edited(claim, index, change)
    assert found.startswith(f"claims.{claim}.tests[{index}].{says}")
    assert "\n" not in found


def test_a_calibration_that_no_test_speaks_about():
    (found,) = edited("C13", 0, {"calibrations": ["printed", "certified"]})
    assert found == "claims.C13.calibrations: got 'tuned'; no test has this calibration. Delete it or add a test."
