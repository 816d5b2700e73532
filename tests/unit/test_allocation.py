"""The allocation of seeds: the best of all numbers of seeds that fit into the budget."""

import math
from collections.abc import Iterator
from itertools import product

import numpy as np
import pytest

from dpbandits.planning import allocation
from dpbandits.planning.allocation import (
    ENOUGH,
    SHARE,
    SIZES,
    Allocation,
    Decided,
    Forecast,
    Place,
    Study,
    allocate,
    chance_at,
    decided,
)

WEIGHTS = {"main": 2, "own": 1, "other": 1}
"""What a decided claim counts."""
A, B = ("a", "printed"), ("b", "printed")


def study(name: str, seconds: float, chunk: int, least: int, fixed: int | None = None) -> Study:
    """The printed calibration of an experiment."""
    return Study(name, "printed", seconds, chunk, least, fixed)


def forecast(
    experiment: str,
    group: str = "own",
    enough_from: int = 8,
    least: float = 0.0,
    most: float = 1.0,
    calibration: str = "printed",
) -> Forecast:
    """A claim whose chance jumps at a size."""
    return Forecast(experiment, calibration, group, tuple(most if size >= enough_from else least for size in SIZES))


def value(seeds: dict[Place, int], studies: list[Study], forecasts: list[Forecast]) -> tuple[float, ...]:
    """The lexicographic value, written down by itself."""
    chances = [(each.group, chance_at(each.chances, seeds[each.experiment, each.calibration])) for each in forecasts]
    enough = sum(WEIGHTS[group] for group, chance in chances if chance >= ENOUGH)
    cost = sum(round(s.seconds * (seeds[s.place] - s.candidates()[0]) * 1e6) for s in studies)
    return enough, sum(round(chance * 1e6) for _, chance in chances), -cost


def every_choice(studies: list[Study]) -> Iterator[dict[Place, int]]:
    """All numbers of seeds that may be chosen."""
    places = [study.place for study in studies]
    return (dict(zip(places, each, strict=True)) for each in product(*(study.candidates() for study in studies)))


def random_case(rng: np.random.Generator) -> tuple[list[Study], list[Forecast]]:
    """Studies whose costs are whole steps, so that rounding costs up to steps loses nothing, and claims.

    One, two or three calibrations, of which the first two are those of one experiment.
    """
    places = [("e0", "printed"), ("e0", "certified"), ("e1", "printed")][: int(rng.integers(1, 4))]
    studies = [
        Study(
            *place,
            float(rng.integers(1, 5)),
            int(rng.choice([1, 4, 10, 50])),
            int(rng.choice([2, 8])),
            fixed=int(rng.integers(2, 60)) if rng.random() < 0.2 else None,
        )
        for place in places
    ]
    forecasts = [
        Forecast(
            *places[int(rng.integers(len(places)))],
            str(rng.choice(list(WEIGHTS))),
            tuple(np.sort(rng.uniform(0, 1, len(SIZES))).round(int(rng.choice([1, 4])))),
        )
        for _ in range(int(rng.integers(0, 7)))
    ]
    return studies, forecasts


@pytest.mark.parametrize("seed", range(40))
def test_no_other_numbers_of_seeds_within_the_budget_are_better(seed: int, monkeypatch):
    monkeypatch.setattr(allocation, "STEPS", 10**9)
    monkeypatch.setattr(allocation, "UNITS", 1)  # costs are whole seconds: steps of a second are exact
    rng = np.random.default_rng(seed)
    studies, forecasts = random_case(rng)
    budget = sum(s.seconds * s.candidates()[0] for s in studies) + int(rng.integers(1, 600))
    found = allocate(studies, forecasts, budget / SHARE)
    allowed = [e for e in every_choice(studies) if sum(s.seconds * e[s.place] for s in studies) <= budget + 1e-9]
    assert not found.exceeds
    assert dict(found.seeds) in allowed
    assert value(dict(found.seeds), studies, forecasts) == max(value(each, studies, forecasts) for each in allowed)


@pytest.mark.parametrize("seed", range(20))
def test_with_steps_of_the_budget_the_best_is_found_but_for_what_rounding_up_costs(seed: int):
    """At least as good as the best with a budget that is smaller by a step for each calibration."""
    rng = np.random.default_rng((1, seed))
    studies, forecasts = random_case(rng)
    least = sum(s.seconds * s.candidates()[0] for s in studies)
    budget = least + float(rng.uniform(1, 5000))
    found = allocate(studies, forecasts, budget / SHARE)
    assert found.seconds <= budget * (1 + 1e-12)
    assert found.seconds == pytest.approx(sum(s.seconds * found.seeds[s.place] for s in studies))
    smaller = budget - len(studies) * (budget - least) / allocation.STEPS
    allowed = [e for e in every_choice(studies) if sum(s.seconds * e[s.place] for s in studies) <= smaller]
    assert value(dict(found.seeds), studies, forecasts) >= max(value(each, studies, forecasts) for each in allowed)


def test_seeds_are_whole_chunks_and_at_least_the_fewest():
    for chunk, least in product((1, 4, 10, 50, 3), (2, 8)):
        found = study("a", 1.0, chunk, least).candidates()
        assert found == sorted(set(found))
        assert found[0] == chunk * math.ceil(least / chunk)
        assert not [seeds for seeds in found if seeds % chunk]
        assert found[-1] >= SIZES[-1]
    assert study("a", 1.0, 10, 8, fixed=35).candidates() == [35]


@pytest.mark.parametrize(("others", "chosen"), [(["own"], A), (["other"], A), (["own"] * 3, B), (["own", "other"], B)])
def test_a_main_claim_counts_twice_and_any_other_once(others: list[str], chosen: Place):
    """72 seconds pay 64 seeds of one experiment and 8 of the other. Of equal counts the higher expectation is taken."""
    studies = [study("a", 1.0, 1, 8), study("b", 1.0, 1, 8)]
    forecasts = [forecast("a", "main", 64), *(forecast("b", group, 64) for group in others)]
    assert allocate(studies, forecasts, 72 / SHARE).seeds == {A: 8, B: 8} | {chosen: 64}
    assert allocate(studies, forecasts, 128 / SHARE).seeds == {A: 64, B: 64}
    assert allocate(studies, forecasts, 71.9 / SHARE).seeds == {A: 8, B: 8}


def test_a_main_claim_and_two_others_count_the_same():
    """So that the expected number of decided claims is what tells them apart: 1 and 2 * 0.8, or 1.7 and 2 * 0.8."""
    studies = [study("a", 1.0, 1, 8), study("b", 1.0, 1, 8)]
    others = [forecast("b", group, 64, most=0.8) for group in ("own", "other")]
    open_one = forecast("a", "other", 64, most=0.7)  # with too little chance to be counted
    for claims, chosen in (([forecast("a", "main", 64)], B), ([forecast("a", "main", 64), open_one], A)):
        assert allocate(studies, [*claims, *others], 72 / SHARE).seeds == {A: 8, B: 8} | {chosen: 64}


def test_calibrations_of_an_experiment_have_numbers_of_their_own():
    """24 seeds of a second each and 64 of half a second; 64 of both would take 96 seconds."""
    certified = ("a", "certified")
    studies = [study("a", 1.0, 1, 8), Study(*certified, 0.5, 1, 8)]
    forecasts = [forecast("a", "own", 24), forecast("a", "own", 64, calibration="certified")]
    found = allocate(studies, forecasts, 57 / SHARE)
    assert (found.seeds, found.seconds) == ({A: 24, certified: 64}, 56.0)
    assert decided(found.seeds, forecasts).enough == 2
    assert decided({A: 64, certified: 24}, forecasts).enough == 1
    assert allocate(studies, forecasts, 55 / SHARE).seeds == {A: 24, certified: 8}


def test_a_claim_with_enough_chance_counts_more_than_a_higher_expectation():
    studies = [study("a", 1.0, 1, 8), study("b", 1.0, 1, 8)]
    forecasts = [forecast("a", "other", 64, 0.75, 0.8), *(forecast("b", "main", 64, 0.0, 0.79) for _ in range(5))]
    assert allocate(studies, forecasts, 72 / SHARE).seeds == {A: 64, B: 8}
    assert allocate(studies, forecasts[1:], 72 / SHARE).seeds == {A: 8, B: 64}


def test_of_equal_values_the_cheapest_is_taken():
    studies = [study("a", 1.0, 1, 8), study("b", 2.0, 1, 8)]
    assert allocate(studies, [forecast("a", "main", 24)], 1e6).seeds == {A: 24, B: 8}
    assert allocate(studies, [], 1e6).seeds == {A: 8, B: 8}


def test_fixed_seeds_are_paid_and_their_claims_are_forecast():
    studies = [study("a", 1.0, 1, 8), study("b", 1.0, 1, 8, fixed=100)]
    forecasts = [forecast("a", "main", 64), forecast("b", "main", 64)]
    assert allocate(studies, forecasts, 163 / SHARE).seeds == {A: 8, B: 100}
    found = allocate(studies, forecasts, 164 / SHARE)
    assert found == Allocation({A: 64, B: 100}, 164.0, 164 / SHARE * SHARE)
    assert decided(found.seeds, forecasts) == Decided(enough=2, expected=2.0, testable=2)


def test_the_least_sizes_are_taken_where_even_they_exceed_the_budget():
    found = allocate([study("a", 1.0, 10, 8)], [forecast("a", "main", 64)], 9 / SHARE)
    assert found.seeds == {A: 10}
    assert found.exceeds
    assert not allocate([study("a", 1.0, 10, 8)], [], 10 / SHARE).exceeds


def test_a_chance_is_interpolated_in_the_logarithm_and_none_below_the_first_size():
    chances = [k / len(SIZES) for k in range(len(SIZES))]
    assert [chance_at(chances, size) for size in SIZES] == chances
    assert chance_at(chances, 7) == 0.0
    assert chance_at(chances, 10**6) == chances[-1]
    part = math.log(20 / 16) / math.log(24 / 16)
    assert chance_at(chances, 20) == pytest.approx((2 + part) / len(SIZES))


def test_claims_without_any_chance_are_not_testable():
    forecasts = [
        forecast("a", most=0.0),
        forecast("a", enough_from=16, most=0.9),
        forecast("a", enough_from=8, most=0.5),
    ]
    assert decided({A: 16}, forecasts) == Decided(enough=1, expected=pytest.approx(1.4), testable=2)
    assert decided({A: 8}, forecasts).enough == 0


def test_the_sizes_are_eight_times_powers_of_two_and_half_way_between():
    assert SIZES[:8] == (8, 12, 16, 24, 32, 48, 64, 96)
    assert SIZES[-1] == 8192
    assert list(SIZES) == sorted(set(SIZES))
