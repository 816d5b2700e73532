"""The lower bound on the epsilon of a user's own mechanism, and the event that gives it.

The first half of the runs selects a candidate of each kind; the second half bounds each at its share of `ALPHA`. The
result is the largest bound. It exceeds the actual epsilon with probability at most `ALPHA`, for any mechanism.
"""

import hashlib
import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from dpbandits.audits.custom.bounds import Piece, bound_of, counted
from dpbandits.audits.custom.candidates import KINDS, Candidate, Kind, candidates
from dpbandits.audits.custom.scores import Scored, scores_of
from dpbandits.audits.release import Array
from dpbandits.privacy.auditing import ALPHA, EpsilonBound, cap
from dpbandits.privacy.auditing_scores import labeled


@dataclass(frozen=True)
class Event:
    """A piece of the best candidate's score, and its runs among those that gave the bound.

    Attributes
    ----------
    low, high : its ends, included; infinite for a tail, equal for a repeated value.
    points : the input that it points to.
    first, second : number of runs on the first and the second input.
    example : the rounded view of one of these runs, if any.
    """

    low: float
    high: float
    points: Literal["first", "second"]
    first: int
    second: int
    example: tuple[float, ...]


@dataclass(frozen=True)
class Evidence:
    """A lower bound and the event behind it.

    Attributes
    ----------
    bound : the largest bound over all kinds of candidates. cap : the cap of one kind.
    kind : the kind of candidate that gave it. scored, columns : its score, and the score's columns, counted from 0.
    events : its pieces; empty if nothing was found.
    bounds : the bound of each kind with a candidate.
    """

    bound: EpsilonBound
    kind: Kind
    scored: Scored
    columns: tuple[int, ...]
    events: tuple[Event, ...]
    bounds: dict[Kind, float]


def evidence(
    first: Array, second: Array, eps: float, delta: float, seed: tuple[int, ...], alpha: float = ALPHA
) -> Evidence:
    """The lower bound from views (n, k) of each input; it exceeds the actual epsilon with probability <= `alpha`.

    Parameters
    ----------
    eps : the claimed epsilon, which two kinds of candidates are selected to exceed. delta : delta of the claim.
    seed : numbers that, with the first half of the runs, seed the coins that label runs for guesses.
    """
    half = len(first) // 2
    trials, share = len(first) - half, alpha / len(KINDS)
    heads = _labels(first[:half], second[:half], trials, seed)
    found = {}
    for candidate in candidates(scores_of(first, second), eps, delta, share):
        found[candidate.kind] = candidate, bounded(candidate, heads, delta, share)
    most = cap(trials, delta, share)
    if not found or max(value for _, value in found.values()) <= 0.0:
        return Evidence(EpsilonBound(0.0, "none", "second", trials, most), "broad", "learned", (), (), {})
    best, value = max(found.values(), key=lambda entry: entry[1])
    bound = EpsilonBound(min(value, most), best.test, best.pieces[0].points, trials, most)
    bounds = {kind: min(max(value, 0.0), most) for kind, (_, value) in found.items()}
    events = tuple(_event(piece, best, (first[half:], second[half:])) for piece in best.pieces)
    return Evidence(bound, best.kind, best.score.scored, best.score.columns, events, bounds)


def bounded(candidate: Candidate, heads: tuple[int, int], delta: float, alpha: float) -> float:
    """The bound of a candidate from the second half of the runs; `heads` runs of each input are labeled."""
    runs = candidate.score.bounds()
    trials = len(runs[0])
    if candidate.test == "guesses" and max(heads) > trials:
        return -math.inf
    few = [counted(candidate.pieces, (row[:number],) * 2)[0] for row, number in zip(runs, heads, strict=True)]
    counts = counted(candidate.pieces, runs)
    return bound_of(candidate.test, candidate.pieces, counts, trials, delta, alpha, np.array(few))


def _event(piece: Piece, candidate: Candidate, views: tuple[Array, Array]) -> Event:
    inside = [piece.has(row) for row in candidate.score.bounds()]
    shown = np.concatenate([table[rows][:1] for table, rows in zip(views, inside, strict=True)])
    example = tuple(map(float, shown[0])) if len(shown) else ()
    of_first, of_second = (int(np.count_nonzero(rows)) for rows in inside)
    return Event(piece.low, piece.high, piece.points, of_first, of_second, example)


def _labels(first: Array, second: Array, trials: int, seed: tuple[int, ...]) -> tuple[int, int]:
    """How many labeled runs fair coins assign to each input; the coins are a digest of seed and first half."""
    number = labeled(trials)
    digest = hashlib.shake_256(repr(seed).encode())
    for views in (first, second):
        digest.update(np.ascontiguousarray(views).tobytes())
    heads = int(np.unpackbits(np.frombuffer(digest.digest(-(-number // 8)), np.uint8))[:number].sum())
    return heads, number - heads
