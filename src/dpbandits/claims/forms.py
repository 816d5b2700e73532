"""Predicates about the functional form of regret: a sum of two terms, or their product."""

from collections.abc import Callable, Mapping
from functools import partial

import numpy as np

from dpbandits.claims.comparisons import Comparison, Sample, compare, defined, premise, span, summed
from dpbandits.config.models.comparisons import AffineBetween, FormRatio
from dpbandits.config.models.fields import Bounds
from dpbandits.numerics.fits import affine_weights, determination, error_ratio
from dpbandits.numerics.statistics import mean, of_rows, ratio

OF: Mapping[str, tuple[str, Callable[[float], float]]] = {"inverse": ("/", lambda value: 1.0 / value)}


def affine_between(test: AffineBetween, sample: Sample) -> list[Comparison]:
    """Mean regret is a + b x, by least squares over the settings; x is the function `of` applied to the value `along`.

    b is positive, R^2 is at least `fit`, and a, divided by the mean regret of `baseline` averaged over the settings,
    lies within `bounds`.
    """
    along, steps = test.along, test.settings
    sign, function = OF[test.of]
    places = [function(setting[along]) for setting in steps]
    bases = [sample(test.baseline, setting) for setting in steps]
    base, average = np.mean(bases, axis=0), [(each, 1.0 / len(bases)) for each in bases]
    to_intercept, to_slope = affine_weights(places)
    found = []
    for curve in test.curves:
        rows = [sample(curve, setting) for setting in steps]
        table = np.stack(rows, axis=1)
        intercept, slope = table @ to_intercept, table @ to_slope
        of_intercept, of_slope = (list(zip(rows, each.tolist(), strict=True)) for each in (to_intercept, to_slope))
        explained = summed(defined(partial(determination, places), table), *([(row, 1.0)] for row in rows))
        what = f"{curve} = a + b{sign}{along}, {span(test, along)}"
        least: Bounds = (test.fit, None)
        found += [
            premise(test, f"b of {what}", curve, of_rows(mean(slope), [of_slope])),
            compare(test, f"R^2 of {what}", curve, explained, least, least),
            compare(
                test,
                f"a / {test.baseline}, a of {what}",
                curve,
                summed(defined(ratio, intercept, base), of_intercept, average),
            ),
        ]
    return found


def form_ratio(test: FormRatio, sample: Sample) -> list[Comparison]:
    """The ratio of relative errors of the fits a/x + b/y and c/(x y) to mean regret lies within `bounds`.

    x is the grid value `along` and y the grid value `across`. Errors are root mean squares over the settings.
    """
    along, across, steps = test.along, test.across, test.settings
    x, y = (np.array([setting[name] for setting in steps]) for name in (along, across))
    ranges = ", ".join(f"{name} = {v.min():g} .. {v.max():g}" for name, v in ((along, x), (across, y)))
    errors = partial(error_ratio, [1 / x, 1 / y], [1 / (x * y)])
    found = []
    for curve in test.curves:
        rows = [sample(curve, setting) for setting in steps]
        statistic = summed(defined(errors, np.stack(rows, axis=1)), *([(row, 1.0)] for row in rows))
        label = f"error of a/{along} + b/{across} over error of c/({along} {across}), {curve}, {ranges}"
        found.append(compare(test, label, curve, statistic))
    return found
