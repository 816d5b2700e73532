"""Candidate events for a user's own mechanism, chosen on one half of the runs.

A candidate is a set of pieces, which are intervals of a score, each pointing to an input. There are three kinds:

broad       the tail, or the two tails to guess in, with the largest bound: that of the project's own audits.
intervals   up to `FEW` intervals or repeated values that speak most against the claim.
purest      the tail with the largest ratio of runs among those large enough to break the claim, and the other tail if
            it points to the same input.

Of several pieces not all need be used: one that speaks little against the claim can use up the surplus of another. So
each alone, the first ones and those of either input are compared by how likely new runs are to show more than the
claim. A purest tail is never joined with one that points to the other input: the two choices then seldom fail together.

The evidence of a piece against epsilon is r KL(share, q): its share of r runs comes from the input that it points to,
and q = e^eps / (1 + e^eps) is the largest that the claim allows. From it goes the logarithm of the number of pieces
tried, for repeated values and for other intervals apart: a repeated value need not outdo the luck of many intervals.
All of this only ranks; the other half of the runs gives the bound (`bounds.py`).
"""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy import special

from dpbandits.audits.custom.bounds import BOTH, TINY, Piece, Test, bound_of, counted, needed
from dpbandits.audits.custom.scores import Score
from dpbandits.audits.release import Array
from dpbandits.privacy.auditing import epsilon_bound
from dpbandits.privacy.auditing_scores import Order, best_rule, labeled, tails

Kind = Literal["broad", "intervals", "purest"]
KINDS: tuple[Kind, ...] = ("broad", "intervals", "purest")
FEW = 6  # pieces of a set of intervals; our choice
LEAST_RUNS = 8  # in a piece, of both inputs; our choice
NARROWEST = 8  # runs of the shortest interval; each width has twice the runs of the one before; our choice
CLEARLY = 0.05  # by how much the learned score of a single column must show more to be taken; our choice
LUCK = 3.0  # evidence beyond that of luck from which on a further piece is taken; our choice
SURELY = 4.0  # standard deviations above the claim from which on a bound is all but sure to exceed it; our choice
SPARE = 1.0  # standard deviations of the guesses in a purest tail beyond those that can break the claim; our choice


@dataclass(frozen=True)
class Candidate:
    """An event to count or to guess by.

    Attributes
    ----------
    kind : how it was chosen. score : of which its pieces are intervals. test : what is made of them.
    """

    kind: Kind
    score: Score
    test: Test
    pieces: tuple[Piece, ...]


def candidates(scores: tuple[Score, ...], eps: float, delta: float, alpha: float) -> tuple[Candidate, ...]:
    """The candidate of each kind, where it has one; `alpha` is the share of one kind."""
    found = (broad(scores, delta, alpha), intervals(scores, eps, delta, alpha), purest(scores, eps, delta, alpha))
    return tuple(candidate for candidate in found if candidate is not None)


def broad(scores: tuple[Score, ...], delta: float, alpha: float) -> Candidate | None:
    """Tails of the learned score; of a single column, which says more to a reader, unless they show clearly less."""
    score = next(each for each in scores if each.scored == "learned")
    columns = [each for each in scores if each.scored == "column"]
    if len(columns) == 1:
        first, second = (row[score.start :] for row in columns[0].chooses())
        shown = epsilon_bound(*score.chooses(), delta, alpha).epsilon
        score = score if shown > (1.0 + CLEARLY) * epsilon_bound(first, second, delta, alpha).epsilon else columns[0]
    rule = best_rule(*score.chooses(), delta, alpha)
    if rule is None:
        return None
    other: Order = "first" if rule.order == "second" else "second"
    pieces = []
    if rule.above is not None:
        pieces.append(Piece(rule.above, math.inf, rule.order))
    if rule.below is not None:
        pieces.append(Piece(-math.inf, rule.below, rule.order if rule.test == "threshold" else other))
    return Candidate("broad", score, rule.test, tuple(pieces))


def intervals(scores: tuple[Score, ...], eps: float, delta: float, alpha: float) -> Candidate | None:
    """The pieces of one score that together speak most against the claim."""
    best: tuple[float, Score, tuple[Piece, ...]] | None = None
    for score in scores:
        speaks, pieces = _pieces(score, eps, delta, math.log(len(scores)))
        if pieces and (best is None or speaks > best[0]):
            best = speaks, score, pieces
    return None if best is None else _tested("intervals", best[1], best[2], eps, delta, alpha)


def purest(scores: tuple[Score, ...], eps: float, delta: float, alpha: float) -> Candidate | None:
    """The upper and the lower tail of the score with the purest tail."""
    best: tuple[float, Score, tuple[Piece, ...]] | None = None
    for score in scores:
        if score.ordered:
            pure, pieces = _pure_tails(score, eps, delta, alpha)
            if pieces and (best is None or pure > best[0]):
                best = pure, score, pieces
    return None if best is None else _tested("purest", best[1], best[2], eps, delta, alpha)


def against(hits: Array, errors: Array, eps: float) -> Array:
    """r KL(share, q) of pieces with `hits` runs of one input and `errors` of the other; 0 for a share up to q."""
    runs = np.maximum(hits + errors, 1e-300)
    share, tail = hits / runs, math.log1p(math.exp(-eps))
    found = runs * (special.xlogy(share, share) + special.xlogy(1 - share, 1 - share) + tail + (1 - share) * eps)
    speaks: Array = np.where(share * (1.0 + math.exp(-eps)) > 1.0, np.maximum(found, 0.0), 0.0)
    return speaks


def cells(first: Array, second: Array, ordered: bool) -> tuple[Array, Array, Array, Array]:
    """Repeated values, and intervals that overlap by half, of widths that double.

    Returns
    -------
    low, high : (m,) ends, included. counts : (2, m) runs of either input. tried : (m,) number of its sort.
    """
    pooled = np.concatenate([first, second])
    order = np.argsort(pooled, kind="stable")
    values, total = pooled[order], len(pooled)
    seconds = np.concatenate([[0], np.cumsum(order >= len(first))])
    new = np.append(True, values[1:] != values[:-1])
    begins = np.flatnonzero(new)
    ends = np.append(begins[1:], total)
    group = np.cumsum(new) - 1
    many = ends - begins >= LEAST_RUNS
    found = [np.stack([begins[many], ends[many]])]
    widths = [NARROWEST << i for i in range(total.bit_length()) if NARROWEST << i <= total // 2]
    windows = [found[0][:, :0]]
    for width in widths if ordered else ():
        starts = np.arange(0, total - width + 1, width // 2)
        one, other = group[starts], group[starts + width - 1]
        windows.append(np.stack([begins[one], ends[other]])[:, one != other])
    found.append(np.unique(np.concatenate(windows, axis=1), axis=1))
    tried = np.concatenate([np.full(part.shape[1], part.shape[1]) for part in found])
    start, stop = np.concatenate(found, axis=1)
    of_second = seconds[stop] - seconds[start]
    counts = np.stack([stop - start - of_second, of_second]).astype(float)
    return values[start], values[stop - 1], counts, tried


def _pieces(score: Score, eps: float, delta: float, penalty: float) -> tuple[float, tuple[Piece, ...]]:
    """Disjoint pieces of a score by what they say against the claim, and what they say together."""
    first, second = score.chooses()
    low, high, counts, tried = cells(first, second, score.ordered)
    if not len(low):
        return 0.0, ()
    free = delta * len(first)  # runs that delta allows
    value = np.stack([against(np.maximum(counts[i] - free, 0.0), counts[1 - i], eps) for i in range(2)])
    value -= np.log(tried) + penalty
    best, points = value.max(axis=0), value.argmax(axis=0)
    chosen: list[Piece] = []
    total = 0.0
    while len(chosen) < FEW:
        i = int(np.argmax(best))
        if chosen and best[i] <= LUCK:
            break
        total += float(best[i])
        chosen.append(Piece(float(low[i]), float(high[i]), BOTH[points[i]]))
        best = np.where((low <= high[i]) & (high >= low[i]), -math.inf, best)
    return total, tuple(chosen)


def _pure_tails(score: Score, eps: float, delta: float, alpha: float) -> tuple[float, tuple[Piece, ...]]:
    """The larger ratio of the purest upper and lower tails with enough runs, and those that point to its input.

    Two tails that meet are not both given.
    """
    first, second = score.chooses()
    thresholds, counts = tails(first, second)
    hits = np.maximum(counts - delta * len(first), 0.0)
    guesses = needed(eps, alpha)
    enough = (guesses + SPARE * math.sqrt(guesses)) * 2 * len(first) / labeled(len(score.bounds()[0]))
    ratio = np.where(hits >= enough, (hits + 1.0) / (counts[::-1] + 1.0), 0.0)
    found = []
    for side in range(2):
        one, at = map(int, np.unravel_index(np.argmax(ratio[:, side]), ratio[:, side].shape))
        ends = (thresholds[at], math.inf) if side == 0 else (-math.inf, thresholds[at - 1])
        if ratio[one, side, at] > 0.0 and ends[0] < ends[1]:
            found.append((float(ratio[one, side, at]), Piece(float(ends[0]), float(ends[1]), BOTH[one])))
    found.sort(key=lambda entry: -entry[0])
    if len(found) == 2 and max(found[0][1].low, found[1][1].low) <= min(found[0][1].high, found[1][1].high):
        found.pop()
    return (found[0][0] if found else 0.0), tuple(piece for _, piece in found if piece.points == found[0][1].points)


def _tested(kind: Kind, score: Score, pieces: tuple[Piece, ...], eps: float, delta: float, alpha: float) -> Candidate:
    """The test and the pieces that are most likely to show more than the claim, judged on the runs that choose.

    Each piece alone, the first ones of all and those of either input are compared, with the tests that apply. The
    largest bound decides between sets that are `SURELY` above the claim, and between those that are not above it.
    """
    sets = [pieces[: i + 1] for i in range(len(pieces))] + [(piece,) for piece in pieces[1:]]
    sets += [tuple(piece for piece in pieces if piece.points == side) for side in BOTH]
    runs = score.chooses()

    def likely(option: tuple[Test, tuple[Piece, ...]]) -> tuple[float, float]:
        test, chosen = option
        margin, bound = _margin(test, chosen, runs, eps, delta, alpha)
        return min(margin, SURELY), bound

    tests: tuple[Test, Test] = ("guesses", "threshold")
    options = [(test, chosen) for chosen in sets for test in tests if chosen and (test == "guesses" or _agree(chosen))]
    test, chosen = max(options, key=likely)
    return Candidate(kind, score, test, chosen)


def _agree(pieces: tuple[Piece, ...]) -> bool:
    """Whether all pieces point to the same input."""
    return len({piece.points for piece in pieces}) == 1


def _margin(
    test: Test, pieces: tuple[Piece, ...], runs: tuple[Array, Array], eps: float, delta: float, alpha: float
) -> tuple[float, float]:
    """By how many standard deviations the bound on `runs` exceeds `eps`, 0 if it does not, and the bound.

    The bound falls if right runs are one standard deviation fewer, or wrong ones one more: the two falls, added in
    squares, give its standard deviation.
    """
    number, points = len(runs[0]), pieces[0].points
    counts = counted(pieces, runs)
    to_second = np.array([piece.points == "second" for piece in pieces])
    right, wrong = (float(np.where(which, counts[1], counts[0]).sum()) for which in (to_second, ~to_second))
    most = number if test == "threshold" else 2 * number

    def bound(hits: float, errors: float) -> float:
        one = [[errors], [hits]] if points == "second" else [[hits], [errors]]
        return bound_of(test, pieces[:1], np.array(one), number, delta, alpha)

    found = bound(right, wrong)
    if found <= eps:
        return 0.0, found
    scale = most / labeled(number) if test == "guesses" else 1.0
    fewer, more = (math.sqrt(scale * count * (1.0 - count / most)) for count in (right, wrong))
    lost = found - bound(right - fewer, wrong), found - bound(right, min(wrong + more, most - right))
    return (found - eps) / max(math.hypot(*lost), TINY), found
