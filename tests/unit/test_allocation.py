"""The allocation of seeds: the best of all numbers of seeds that fit into the budget."""

import math
from itertools import product

import numpy as np
import pytest

from dpbandits.planning import allocation
from dpbandits.planning.allocation import (
    ENOUGH,
    GROUPS,
    SHARE,
    SIZES,
    Allocation,
    Decided,
    Forecast,
    Study,
    allocate,
    chance_at,
    decided,
)


def forecast(
    experiment: str, group: str = "own", enough_from: int = 8, least: float = 0.0, most: float = 1.0
) -> Forecast:
    """A claim whose chance jumps at a size."""
    return Forecast(experiment, group, tuple(most if size >= enough_from else least for size in SIZES))


def value(seeds: dict[str, int], studies: list[Study], forecasts: list[Forecast]) -> tuple[float, ...]:
    """The lexicographic value, written down by itself."""
    chances = [(each.group, chance_at(each.chances, seeds[each.experiment])) for each in forecasts]
    counts = [sum(chance >= ENOUGH for own, chance in chances if own == group) for group in GROUPS]
    cost = sum(round(s.seconds * (seeds[s.name] - s.candidates()[0]) * 1e6) for s in studies)
    return (*counts, sum(round(chance * 1e6) for _, chance in chances), -cost)


def random_case(rng: np.random.Generator) -> tuple[list[Study], list[Forecast]]:
    """Studies whose costs are whole steps, so that rounding costs up to steps loses nothing, and claims."""
    names = [f"e{k}" for k in range(int(rng.integers(1, 4)))]
    studies = [
        Study(
            name,
            float(rng.integers(1, 5)),
            int(rng.choice([1, 4, 10, 50])),
            int(rng.choice([2, 8])),
            fixed=int(rng.integers(2, 60)) if rng.random() < 0.2 else None,
        )
        for name in names
    ]
    forecasts = [
        Forecast(
            str(rng.choice(names)),
            str(rng.choice(GROUPS)),
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
    names = [study.name for study in studies]
    every = [dict(zip(names, each, strict=True)) for each in product(*(s.candidates() for s in studies))]
    allowed = [e for e in every if sum(s.seconds * e[s.name] for s in studies) <= budget + 1e-9]
    assert not found.exceeds
    assert dict(found.seeds) in allowed
    assert value(dict(found.seeds), studies, forecasts) == max(value(each, studies, forecasts) for each in allowed)


@pytest.mark.parametrize("seed", range(20))
def test_with_steps_of_the_budget_the_best_is_found_but_for_what_rounding_up_costs(seed: int):
    """At least as good as the best with a budget that is smaller by a step for each experiment."""
    rng = np.random.default_rng((1, seed))
    studies, forecasts = random_case(rng)
    least = sum(s.seconds * s.candidates()[0] for s in studies)
    budget = least + float(rng.uniform(1, 5000))
    found = allocate(studies, forecasts, budget / SHARE)
    assert found.seconds <= budget * (1 + 1e-12)
    assert found.seconds == pytest.approx(sum(s.seconds * found.seeds[s.name] for s in studies))
    names = [study.name for study in studies]
    smaller = budget - len(studies) * (budget - least) / allocation.STEPS
    every = (dict(zip(names, each, strict=True)) for each in product(*(s.candidates() for s in studies)))
    allowed = [e for e in every if sum(s.seconds * e[s.name] for s in studies) <= smaller]
    assert value(dict(found.seeds), studies, forecasts) >= max(value(each, studies, forecasts) for each in allowed)


def test_seeds_are_whole_chunks_and_at_least_the_fewest():
    for chunk, least in product((1, 4, 10, 50, 3), (2, 8)):
        found = Study("a", 1.0, chunk, least).candidates()
        assert found == sorted(set(found))
        assert found[0] == chunk * math.ceil(least / chunk)
        assert not [seeds for seeds in found if seeds % chunk]
        assert found[-1] >= SIZES[-1]
    assert Study("a", 1.0, 10, 8, fixed=35).candidates() == [35]


@pytest.mark.parametrize(("first", "second"), [("main", "own"), ("own", "other")])
def test_one_claim_of_a_group_counts_more_than_many_of_the_next(first: str, second: str):
    studies = [Study("a", 1.0, 1, 8), Study("b", 1.0, 1, 8)]
    forecasts = [forecast("a", first, 64), *(forecast("b", second, 64) for _ in range(5))]
    for budget, seeds in ((72, {"a": 64, "b": 8}), (128, {"a": 64, "b": 64}), (71.9, {"a": 8, "b": 8})):
        assert allocate(studies, forecasts, budget / SHARE).seeds == seeds


def test_a_claim_with_enough_chance_counts_more_than_a_higher_expectation():
    studies = [Study("a", 1.0, 1, 8), Study("b", 1.0, 1, 8)]
    forecasts = [forecast("a", "other", 64, 0.75, 0.8), *(forecast("b", "main", 64, 0.0, 0.79) for _ in range(5))]
    assert allocate(studies, forecasts, 72 / SHARE).seeds == {"a": 64, "b": 8}
    assert allocate(studies, forecasts[1:], 72 / SHARE).seeds == {"a": 8, "b": 64}


def test_of_equal_values_the_cheapest_is_taken():
    studies = [Study("a", 1.0, 1, 8), Study("b", 2.0, 1, 8)]
    assert allocate(studies, [forecast("a", "main", 24)], 1e6).seeds == {"a": 24, "b": 8}
    assert allocate(studies, [], 1e6).seeds == {"a": 8, "b": 8}


def test_fixed_seeds_are_paid_and_their_claims_are_forecast():
    studies = [Study("a", 1.0, 1, 8), Study("b", 1.0, 1, 8, fixed=100)]
    forecasts = [forecast("a", "main", 64), forecast("b", "main", 64)]
    assert allocate(studies, forecasts, 163 / SHARE).seeds == {"a": 8, "b": 100}
    found = allocate(studies, forecasts, 164 / SHARE)
    assert found == Allocation({"a": 64, "b": 100}, 164.0, 164 / SHARE * SHARE)
    assert decided(found.seeds, forecasts) == Decided(enough=2, expected=2.0, testable=2)


def test_the_least_sizes_are_taken_where_even_they_exceed_the_budget():
    found = allocate([Study("a", 1.0, 10, 8)], [forecast("a", "main", 64)], 9 / SHARE)
    assert found.seeds == {"a": 10}
    assert found.exceeds
    assert not allocate([Study("a", 1.0, 10, 8)], [], 10 / SHARE).exceeds


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
    assert decided({"a": 16}, forecasts) == Decided(enough=1, expected=pytest.approx(1.4), testable=2)
    assert decided({"a": 8}, forecasts).enough == 0


def test_the_sizes_are_eight_times_powers_of_two_and_half_way_between():
    assert SIZES[:8] == (8, 12, 16, 24, 32, 48, 64, 96)
    assert SIZES[-1] == 8192
    assert list(SIZES) == sorted(set(SIZES))
