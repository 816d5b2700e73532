"""The trace of a semi-bandit run: its columns, and the running totals from which they are filled."""

from typing import NamedTuple

import numpy as np

from dpbandits.algorithms.semi_bandit.super_arms import Choice
from dpbandits.base.jit import round_step
from dpbandits.environments.combinatorial.problem import ROUNDING, Problem

OUTPUTS = ("regret", "exact", "greedy", "suboptimal", "late_regret", "negative_rounds", "fluid")
"""Columns of the trace, up to the checkpoint.

- `regret`: approximation regret, alpha times the best mean reward minus that of S, summed over rounds.
- `exact`: the same with alpha = 1.
- `greedy`: regret against the super arm that the oracle finds at the true means.
- `suboptimal`: share of rounds with a super arm worse than alpha times the best.
- `late_regret`: regret incurred after half of the horizon.
- `negative_rounds`: number of rounds that started with a negative index.
- `fluid`: regret at the horizon of the fluid (`fluid.py`); NaN where super arms are not listed.
"""
REGRET, EXACT, GREEDY, SUBOPTIMAL, LATE, NEGATIVE_ROUNDS, FLUID = range(7)


class Totals(NamedTuple):
    """Running totals of a run.

    Attributes
    ----------
    regret : regret so far, a plain sum. After 10^7 rounds its relative error is at most 1e-9.
    early : regret in the first half of the horizon.
    suboptimal, negative : number of rounds with a suboptimal super arm, and of rounds that started with a negative
        index.
    row : index of the next row of the trace.
    """

    regret: float
    early: float
    suboptimal: int
    negative: int
    row: int


NO_ROUNDS = Totals(0.0, 0.0, 0, 0, 0)
"""Totals before the first round."""


@round_step
def add_round(totals: Totals, gap: float, bad: bool, negative: bool, half: bool) -> Totals:
    """The totals after one more round; `half` says whether it is the last round of the first half of the horizon."""
    regret = totals.regret + gap
    early = regret if half else totals.early
    return Totals(regret, early, totals.suboptimal + int(bad), totals.negative + int(negative), totals.row)


@round_step
def next_row(totals: Totals) -> Totals:
    """The totals after writing a row of the trace."""
    return Totals(totals.regret, totals.early, totals.suboptimal, totals.negative, totals.row + 1)


@round_step
def account(
    totals: Totals, problem: Problem, choice: Choice, t: int, checkpoints: np.ndarray, trace: np.ndarray
) -> Totals:
    """The totals after round t, in which `choice` was played; writes a row of the trace at checkpoints."""
    half, values, row = checkpoints[-1] // 2, problem.values, totals.row
    totals = add_round(totals, choice.gap, choice.gap > ROUNDING, not choice.by_oracle, t == half)
    if t != checkpoints[row]:
        return totals
    trace[row, REGRET] = totals.regret
    trace[row, EXACT] = totals.regret + t * (values[1] - values[0])
    trace[row, GREEDY] = totals.regret + t * (values[2] - values[0])
    trace[row, SUBOPTIMAL] = totals.suboptimal / t
    trace[row, LATE] = totals.regret - totals.early if t > half else 0.0
    trace[row, NEGATIVE_ROUNDS] = totals.negative
    return next_row(totals)


LISTED_OUTPUTS = ("regret", "suboptimal", "late_regret")
"""Columns of the trace of algorithms that play only listed super arms; as above, with alpha = 1."""
LISTED_REGRET, LISTED_SUBOPTIMAL, LISTED_LATE = range(3)


@round_step
def account_listed(totals: Totals, gap: float, t: int, checkpoints: np.ndarray, trace: np.ndarray) -> Totals:
    """Same as `account`, for `LISTED_OUTPUTS`."""
    half, row = checkpoints[-1] // 2, totals.row
    totals = add_round(totals, gap, gap > ROUNDING, False, t == half)
    if t != checkpoints[row]:
        return totals
    trace[row, LISTED_REGRET] = totals.regret
    trace[row, LISTED_SUBOPTIMAL] = totals.suboptimal / t
    trace[row, LISTED_LATE] = totals.regret - totals.early if t > half else 0.0
    return next_row(totals)
