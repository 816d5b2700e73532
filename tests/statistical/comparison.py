"""Tests of two samples of regret traces for one distribution."""

import numpy as np
from scipy import stats


def p_values(one: np.ndarray, other: np.ndarray) -> list[float]:
    """Kolmogorov-Smirnov and Welch on the regret at every checkpoint and on the increments between them.

    Both samples are (runs, checkpoints). Welch's test is left out where one sample does not vary.
    """
    found = []
    for x, y in zip([*one.T, *np.diff(one).T], [*other.T, *np.diff(other).T], strict=True):
        found.append(stats.ks_2samp(x, y, method="asymp").pvalue)
        if np.ptp(x) > 0 and np.ptp(y) > 0:
            found.append(stats.ttest_ind(x, y, equal_var=False).pvalue)
    return found
