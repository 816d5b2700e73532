"""Candidates for a user's own mechanism: pieces and features by plain counts, bounds by hand, rare and hidden leaks."""

import math
from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from dpbandits.audits.custom import candidates, scores
from dpbandits.audits.custom import evidence as evidence_module
from dpbandits.audits.custom.bounds import Piece, bound_of, counted, guesses_bound, needed, revealed
from dpbandits.audits.custom.candidates import against, cells
from dpbandits.audits.custom.own import audit_own
from dpbandits.audits.custom.scores import COMBINED, KEPT, features_of, number_of_views, scores_of
from dpbandits.privacy.auditing_scores import event_epsilon, labeled
from dpbandits.text.own_audit import paragraph

PIECE = (Piece(1.0, 1.0, "second"),)


def laplace(rng, data, n):
    return data + rng.laplace(size=n)


def raw(rng, data, n):
    return np.where(rng.random(n) < 1e-3, float(data), laplace(rng, data, n))


def raw_in_a_column(rng, data, n):
    views = data + rng.laplace(scale=3.0, size=(n, 3))
    views[rng.random(n) < 1e-3, 1] = data
    return views


def whole_view(rng, data, n):
    """Two columns of digits; one pair of digits comes up more often on the second input, no digit does."""
    views = rng.integers(0, 100, size=(n, 2))
    views[:, 1] = np.where((views[:, 0] == 7) & (rng.random(n) < 0.2), 7 if data else 8, views[:, 1])
    return views


def shared_at_times(rng, data, n):
    """Two sums with noise of their own, but for one run in a hundred, whose noise they share."""
    noise = rng.laplace(scale=2.0, size=(n, 2))
    noise[:, 1] = np.where(rng.random(n) < 0.01, noise[:, 0], noise[:, 1])
    return np.array([data, 0.0]) + noise


def product_of_signs(rng, data, n):
    signs = rng.choice([-1.0, 1.0], size=(n, 3))
    signs[:, 2] = signs[:, 0] * signs[:, 1] * (1.0 if data else -1.0)
    return signs * rng.exponential(size=(n, 3))


@pytest.mark.parametrize("delta", [0.0, 1e-5])
@pytest.mark.parametrize(
    ("draw", "scored", "says"),
    [
        (raw, ["column"], "a returned value of exactly "),
        (raw_in_a_column, ["column"], "a value in column 2 of exactly "),
        (whole_view, ["view", "learned"], "the view [7, "),
        (shared_at_times, ["difference"], "a difference of columns 1 and 2 of exactly "),
        (product_of_signs, ["learned"], "a learned score of at "),
    ],
)
def test_rare_and_hidden_leaks_are_found_and_named(draw, scored, says, delta):
    found = audit_own(draw, 0, 1, 1.0, delta)
    assert found.verdict == "violated"
    assert found.rounds[-1].scored in scored
    assert says in paragraph(found)


def test_the_product_of_signs_is_in_no_column_and_in_no_two():
    """So that only products over three columns can find it."""
    views = [product_of_signs(np.random.default_rng(seed), seed, 20_000) for seed in (0, 1)]
    for size in (1, 2):
        for chosen in combinations(range(3), size):
            means = [np.sign(rows[:, chosen]).prod(axis=1).mean() for rows in views]
            assert abs(means[0] - means[1]) < 0.05


def test_cells_are_counted_as_by_hand():
    rng = np.random.default_rng(1)
    first, second = rng.integers(0, 9, 60) / 2.0, np.concatenate([rng.random(30), np.full(30, 3.0)])
    low, high, counts, tried = cells(first, second, True)
    for i in range(len(low)):
        inside = [np.count_nonzero((row >= low[i]) & (row <= high[i])) for row in (first, second)]
        assert inside == counts[:, i].tolist()
    values, numbers = np.unique(np.concatenate([first, second]), return_counts=True)
    repeated = values[numbers >= candidates.LEAST_RUNS]
    assert low[low == high].tolist() == repeated.tolist()
    assert sorted(set(tried)) == sorted({len(repeated), len(low) - len(repeated)})
    assert np.array_equal(cells(first, second, False)[0], repeated)
    assert cells(np.arange(4.0), np.arange(4.0) + 10, False)[0].size == 0


@pytest.mark.parametrize(("hits", "errors", "eps"), [(30.0, 2.0, 1.0), (40.0, 0.0, 3.0), (731.0, 269.0, 0.5)])
def test_evidence_is_the_divergence_from_what_the_claim_allows(hits, errors, eps):
    q, runs = math.exp(eps) / (1 + math.exp(eps)), hits + errors
    expected = runs * stats.entropy([hits / runs, errors / runs], [q, 1 - q])
    assert against(np.array(hits), np.array(errors), eps) == pytest.approx(expected, rel=1e-9)
    assert against(np.array(errors), np.array(hits), eps) == 0.0
    assert against(np.array(hits), np.array(errors), 1e4) >= 0.0


@pytest.mark.parametrize(("eps", "alpha"), [(1.0, 0.001), (0.1, 0.05), (4.0, 0.001 / 3)])
def test_the_guesses_needed_are_the_least_that_break_a_claim(eps, alpha):
    least = needed(eps, alpha)
    assert (
        guesses_bound(least, least, 10**6, 0.0, alpha) > eps >= guesses_bound(least - 1, least - 1, 10**6, 0.0, alpha)
    )
    assert needed(1e4, alpha) > 10**100


def test_the_bound_of_guesses_by_hand_at_delta_and_without():
    assert guesses_bound(90, 100, 1000, 0.0, 0.01) == pytest.approx(
        math.log(stats.beta.ppf(0.01, 90, 11) / stats.beta.isf(0.01, 11, 90))
    )
    most = revealed(1000, 0.01, 0.005)
    assert stats.binom.sf(most, 1000, 0.01) <= 0.005 < stats.binom.sf(most - 1, 1000, 0.01)
    p = stats.beta.ppf(0.005, 90 - most, 11 + most)
    assert guesses_bound(90, 100, 1000, 0.01, 0.01) == pytest.approx(math.log(p / (1 - p)))
    assert guesses_bound(most, most, 1000, 0.01, 0.01) == -math.inf == guesses_bound(0, 0, 1000, 0.0, 0.01)


def test_the_bound_of_pieces_counts_what_points_to_their_input():
    pieces = (Piece(0.0, 0.0, "second"), Piece(2.0, math.inf, "first"))
    runs = np.repeat([0.0, 1.0, 2.0], [5, 65, 30]), np.repeat([0.0, 1.0, 3.0], [40, 55, 5])
    counts = counted(pieces, runs)
    assert counts.tolist() == [[5, 30], [40, 5]]
    share = labeled(100) / 200
    assert bound_of("guesses", pieces, counts, 100, 0.0, 0.01) == pytest.approx(
        guesses_bound(70 * share, 80 * share, labeled(100), 0.0, 0.01)
    )
    assert bound_of("guesses", pieces, counts, 100, 0.0, 0.01, counts / 2) == pytest.approx(
        guesses_bound(35, 40, labeled(100), 0.0, 0.01)
    )
    p, q = stats.beta.ppf(0.005, 40, 61), stats.beta.isf(0.005, 6, 95)
    assert bound_of("threshold", pieces[:1], counts[:, :1], 100, 0.0, 0.01) == pytest.approx(math.log(p / q))


@pytest.mark.parametrize(("test", "runs"), [("guesses", 400), ("threshold", 4000)])
def test_the_margin_is_how_likely_new_runs_show_more_than_the_claim(test, runs):
    """Against the share of simulated counts of which the bound exceeds it."""
    rng = np.random.default_rng(7)
    for hits, errors, eps in ((240, 6, 2.6), (200, 12, 2.0), (220, 3, 2.6)):
        one, other = (np.repeat([1.0, 0.0], [count, runs - count]) for count in (errors, hits))
        margin, shown = candidates._margin(test, PIECE, (one, other), eps, 0.0, 0.01)
        counts = np.array([[errors], [hits]], dtype=float)
        assert shown == pytest.approx(bound_of(test, PIECE, counts, runs, 0.0, 0.01))
        number, draws = labeled(runs), 4000
        if test == "guesses":
            shares = [hits / (2 * runs), errors / (2 * runs), 1 - (hits + errors) / (2 * runs)]
            right, wrong, _ = rng.multinomial(number, shares, size=draws).T
            bounds = np.array([guesses_bound(r, r + w, number, 0.0, 0.01) for r, w in zip(right, wrong, strict=True)])
        else:
            drawn = rng.binomial(runs, errors / runs, draws), rng.binomial(runs, hits / runs, draws)
            bounds = event_epsilon(drawn[1], drawn[0], runs, 0.0, 0.01)
        assert margin == 0.0 if shown <= eps else abs(stats.norm.cdf(margin) - np.mean(bounds > eps)) < 0.06


def test_a_piece_that_uses_up_the_surplus_of_another_is_left_out():
    """240 runs of one input alone break a claim of 3 safely; with 486 of which 10 are wrong the bound varies more."""
    one, other = np.repeat([0.0, 1.0], [476, 24]), np.repeat([0.0, 1.0, 5.0], [10, 250, 240])
    runs = np.concatenate([one, one]), np.concatenate([other, other])
    score = scores.Score("column", (0,), *runs)
    pieces = (Piece(5.0, 5.0, "second"), Piece(0.0, 0.0, "first"))
    for given in (pieces, pieces[::-1]):
        found = candidates._tested("intervals", score, given, 3.0, 0.0, 0.001 / 3)
        assert (found.test, found.pieces) == ("guesses", pieces[:1])
    joined = candidates._tested("intervals", score, pieces, 1.0, 0.0, 0.001 / 3)
    assert joined.pieces == pieces


def test_the_coins_differ_between_seeds_and_rounds_even_if_the_first_half_is_constant():
    same = np.zeros((500, 1))
    heads = [evidence_module._labels(same, same, 500, (seed, number)) for seed in range(20) for number in range(2)]
    assert {sum(pair) for pair in heads} == {labeled(500)}
    assert len({pair[0] for pair in heads}) > 20
    mean = np.mean([pair[0] for pair in heads])
    assert abs(mean - labeled(500) / 2) < 4 * math.sqrt(labeled(500) / 4 / len(heads))


def test_views_have_equal_numbers_if_they_are_equal():
    rng = np.random.default_rng(2)
    views = rng.integers(-3, 3, size=(20_000, 5)).astype(float)
    numbers = number_of_views(views)
    assert len(np.unique(numbers)) == len(np.unique(views, axis=0))
    assert np.array_equal(
        number_of_views(-1.0 * views[views[:, 0] == 0] + 0.0), number_of_views(0.0 - views[views[:, 0] == 0])
    )
    assert numbers.max() < 2**52
    assert np.array_equal(numbers, np.floor(numbers))
    swapped = np.array([[1.0, 2.0], [2.0, 1.0]])
    assert len(set(number_of_views(swapped))) == 2


def test_features_of_many_columns_are_few_and_among_them_the_one_that_tells():
    rng = np.random.default_rng(3)
    columns = COMBINED + 6
    rows = rng.normal(size=(4000, columns))
    told = np.sign(rows[:, 2] * rows[:, 5] * rows[:, 11])
    rows[:, 11] *= told * np.repeat([-1.0, 1.0], 2000)
    found = features_of(rows)(rows)
    assert found.shape == (4000, 1 + 2 * columns + KEPT)
    product = np.sign(rows[:, 2] * rows[:, 5] * rows[:, 11])
    assert any(np.array_equal(product, column) for column in found.T)
    assert features_of(rows[::40])(rows).shape[1] == 1 + 2 * columns + 100 // scores.ROWS_A_PRODUCT


def test_scores_are_the_columns_their_differences_and_the_views():
    rng = np.random.default_rng(4)
    one, other = rng.normal(size=(2, 100, 3))
    found = scores_of(one, other)
    assert [(each.scored, each.columns) for each in found] == [
        ("learned", ()),
        *(("column", (j,)) for j in range(3)),
        *(("difference", pair) for pair in ((0, 1), (0, 2), (1, 2))),
        ("view", ()),
    ]
    assert np.array_equal(found[5].second, np.round(other[:, 0] - other[:, 2], 9))
    assert [len(row) for row in (*found[0].chooses(), *found[0].bounds())] == [25, 25, 50, 50]
    assert [each.scored for each in scores_of(one[:, :1], other[:, :1])] == ["learned", "column"]
    many = scores_of(*rng.normal(size=(2, 100, 5)))
    assert [each.scored for each in many] == ["learned", *["column"] * 5, "view"]
