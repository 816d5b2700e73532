"""What certified noise does to the algorithms of hanna2022: at eps it is the printed noise at eps / 2."""

import numpy as np
import pytest
from scipy import stats

from dpbandits.numerics.statistics import holm

from .mutants import decided, disagreeing, first_seeds, stored
from .studies.hanna2022 import CENTRAL, CERTIFIED, LOCAL, PRINTED, SEEDS, STUDY


def test_why_the_unclear_ones_are_unclear():
    """Events are too rare, or an exponent lies between what is allowed and what is tolerated.

    With half the width 2 of 42,000 local runs show the event of C21, which may happen in 1 of 10,000.
    """
    assert not disagreeing(STUDY)
    unclear = STUDY.cases.keys() - decided(STUDY)
    assert unclear == {("C21", "", "tuned"), ("C30", "additive", "tuned")}


def p_values(algorithm, factor):
    """Paired t and two-sample KS of certified regret at eps against printed regret at eps * factor, where both are."""
    rows = stored(STUDY, "figure2")
    certified, printed = (first_seeds(rows[algorithm, "", c], SEEDS["figure2"]) for c in (CERTIFIED, PRINTED))
    regret = {eps: printed["regret"][printed["eps"] == eps] for eps in np.unique(printed["eps"])}
    found = []
    for eps in np.unique(certified["eps"]):
        if eps * factor in regret:
            x, y = certified["regret"][certified["eps"] == eps], regret[eps * factor]
            found += [stats.ttest_rel(x, y).pvalue, stats.ks_2samp(x, y).pvalue]
    return found


def test_certified_at_eps_agrees_in_distribution_with_printed_at_half_of_it():
    """Other streams, same instances: t on differences; KS, which the common instances make conservative. Holm."""
    equal = [p for algorithm in (CENTRAL, LOCAL) for p in p_values(algorithm, 0.5)]
    assert len(equal) == 32
    assert holm(equal).min() > 0.01


@pytest.mark.parametrize("algorithm", [CENTRAL, LOCAL])
def test_this_comparison_finds_the_wrong_half(algorithm):
    assert holm(p_values(algorithm, 1.0)).min() < 1e-6
