"""Whether runs on another platform match the record, up to last digits and their consequences.

The random numbers are the same everywhere. On another platform, a run has the recorded regret up to rounding, unless a
last digit changes a choice of the algorithm. From there on, the run is another sample of the same distribution. There
are two kinds of tests:

- For each table: at most the share `TURNED` of its runs, whose streams are independent, differ at all.
- For each paper: among the runs that differ, as many have more regret as have less.

They are exact binomial tests. Together they raise a false alarm with a probability of at most `FALSE_ALARM` (Holm).
Closed-form curves make no choices, so none of their values may differ. Runs on one instance share its near ties, so
several may change at once. The stated probability assumes independent changes, and `TURNED` leaves room for this.
"""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from scipy import stats

from dpbandits.numerics.statistics import holm
from dpbandits.theory.registry import TABLE

FALSE_ALARM = 1e-3
TURNED = 0.05
"""Source: our choice.

With libc, NumPy and OpenBLAS restricted to a processor of 2008, none of 8778 runs changed. With sums in another order
(`fastmath` without vectors), 23 of 1612 runs of one paper changed, 21 of them among the 480 of one table.
"""
ROUNDING = 1e-6  # relative: for sums of up to 1e8 rounds, and for noise found by a search
FORMULAS = tuple(TABLE)
Runs = Mapping[str, Mapping[str, Sequence[float]]]
"""Regrets of all runs of a table, by curve; the first word of a curve is the algorithm."""


def differing(recorded: Sequence[float], found: Sequence[float]) -> np.ndarray:
    """-1, 0 or 1 for each run: less regret, equal up to rounding, more regret."""
    old, new = np.asarray(recorded, dtype=float), np.asarray(found, dtype=float)
    return np.where(np.isclose(new, old, rtol=ROUNDING, atol=1e-9), 0, np.where(new > old, 1, -1))


def p_values(recorded: Runs, found: Runs) -> Iterator[tuple[str, float]]:
    """Subject of each test, number of runs that speak against the hypothesis, and p-value."""
    signs: dict[str, dict[tuple[str, float, float], int]] = {}
    for table, curves in recorded.items():
        turned = runs = 0
        for curve, old in curves.items():
            algorithm, new = curve.split()[0], found[table][curve]
            sign = differing(old, new)
            if algorithm not in FORMULAS:
                turned, runs = turned + np.count_nonzero(sign), runs + sign.size
            elif sign.any():
                yield f"{table}: the formula {curve} has other values", 0.0
            own = signs.setdefault(table.partition("/")[0], {})  # a run that appears in several tables counts once
            own |= {(algorithm, *pair): int(s) for *pair, s in zip(old, new, sign, strict=True) if s}
        if runs:
            yield f"{table}: {turned} of {runs} runs differ", float(stats.binom.sf(turned - 1, runs, TURNED))
    for paper, each in signs.items():
        more, all_ = sum(sign > 0 for sign in each.values()), len(each)
        if all_:
            yield f"{paper}: {more} of {all_} runs have more regret", stats.binomtest(more, all_).pvalue


def faults(recorded: Runs, found: Runs) -> list[str]:
    """Tests that fail."""
    names, values = zip(*p_values(recorded, found), strict=True)
    return [name for name, p in zip(names, holm(values), strict=True) if p <= FALSE_ALARM]
