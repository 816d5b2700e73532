"""Candidate events for a user's own mechanism, selected on one half of the runs.

A candidate is a set of pieces. A piece is an interval of a score that points to an input. There are three kinds:

broad       the tail, or the two tails for guesses, with the largest bound, as in the project's own audits.
intervals   up to `FEW` intervals or repeated values with the most evidence against the claim.
purest      the tail with the largest ratio of runs among tails large enough to violate the claim, and the other tail
            if it points to the same input.

Some of several pieces may be dropped, because a piece with little evidence can use up the surplus of another. So each
piece alone, the first pieces, and the pieces of each input are compared by the probability that new runs exceed the
claim. A purest tail is never combined with one that points to the other input, so that the two rarely fail together.

The evidence of a piece against epsilon is r KL(share, q). Here share is the part of its r runs that comes from the
input that it points to, and q = e^eps / (1 + e^eps) is the largest share that the claim allows. The logarithm of the
number of candidate pieces is subtracted, separately for repeated values and other intervals, so that a repeated value
need not beat the best of many intervals by chance. All this only ranks; the other half of the runs gives the bound
(`bounds.py`).
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
LEAST_RUNS = 8  # in a piece, both inputs together; our choice
NARROWEST = 8  # runs of the shortest interval; widths double; our choice
CLEARLY = 0.05  # relative gain for which the learned score of a single column is preferred; our choice
LUCK = 3.0  # evidence, beyond chance, for which a further piece is added; our choice
SURELY = 4.0  # standard deviations above the claim at which a bound is almost sure to exceed it; our choice
SPARE = 1.0  # extra guesses in a purest tail beyond those needed, in standard deviations; our choice


@dataclass(frozen=True)
class Candidate:
    """An event for counting or guessing.

    Attributes
    ----------
    kind : how it was selected. score : the score whose intervals are its pieces. test : the test that uses them.
    """

    kind: Kind
    score: Score
    test: Test
    pieces: tuple[Piece, ...]


def candidates(scores: tuple[Score, ...], eps: float, delta: float, alpha: float) -> tuple[Candidate, ...]:
    """The candidate of each kind, if it exists; `alpha` is the share of one kind."""
    found = (broad(scores, delta, alpha), intervals(scores, eps, delta, alpha), purest(scores, eps, delta, alpha))
    return tuple(candidate for candidate in found if candidate is not None)


def broad(scores: tuple[Score, ...], delta: float, alpha: float) -> Candidate | None:
    """Tails of the learned score, or of a single column, which is easier to interpret, unless it is clearly weaker."""
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
    """The pieces of one score with the most evidence against the claim."""
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
    """Evidence r KL(share, q) of pieces with `hits` runs of one input and `errors` of the other; 0 if share <= q."""
    runs = np.maximum(hits + errors, 1e-300)
    share, tail = hits / runs, math.log1p(math.exp(-eps))
    found = runs * (special.xlogy(share, share) + special.xlogy(1 - share, 1 - share) + tail + (1 - share) * eps)
    speaks: Array = np.where(share * (1.0 + math.exp(-eps)) > 1.0, np.maximum(found, 0.0), 0.0)
    return speaks


def cells(first: Array, second: Array, ordered: bool) -> tuple[Array, Array, Array, Array]:
    """Repeated values, and half-overlapping intervals whose widths double.

    Returns
    -------
    low, high : (m,) ends, included. counts : (2, m) runs of each input. tried : (m,) number of candidates of its sort.
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
    """The total evidence of disjoint pieces of a score, and these pieces, sorted by evidence against the claim."""
    first, second = score.chooses()
    low, high, counts, tried = cells(first, second, score.ordered)
    if not len(low):
        return 0.0, ()
    free = delta * len(first)  # expected number of runs that delta allows
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
    """The larger ratio of the purest upper and lower tails with enough runs, and the tails that point to its input.

    Of two overlapping tails only one is returned.
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
    """The test and pieces that are most likely to exceed the claim, judged on the selecting half of the runs.

    Each piece alone, the first pieces, and the pieces of each input are compared, with the applicable tests. The
    largest bound decides between sets that are `SURELY` above the claim, and between sets that are not above it.
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
    """Number of standard deviations by which the bound on `runs` exceeds `eps` (else 0), and the bound.

    The standard deviation of the bound is the root sum of squares of two decreases: for right runs that are one
    standard deviation fewer, and for wrong runs that are one standard deviation more.
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
