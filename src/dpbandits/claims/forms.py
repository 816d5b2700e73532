"""Predicates about the form of a dependence: a sum of two terms, or their product."""

from collections.abc import Callable, Mapping
from functools import partial

import numpy as np

from dpbandits.claims.comparisons import Comparison, Sample, compare, defined, premise, span
from dpbandits.config.models.comparisons import AffineBetween, FormRatio
from dpbandits.config.models.fields import Bounds
from dpbandits.numerics.fits import affine, determination, error_ratio
from dpbandits.numerics.statistics import mean, ratio

OF: Mapping[str, tuple[str, Callable[[float], float]]] = {"inverse": ("/", lambda value: 1.0 / value)}


def affine_between(test: AffineBetween, sample: Sample) -> list[Comparison]:
    """Mean regret is a + b x, by least squares over the settings, where x is the function `of` the grid value `along`.

    b is positive, R^2 is at least `fit`, and a, over the mean regret of `baseline` averaged over the settings, lies
    within `bounds`.
    """
    along, steps = test.along, test.settings
    sign, function = OF[test.of]
    places = [function(setting[along]) for setting in steps]
    base = np.mean([sample(test.baseline, setting) for setting in steps], axis=0)
    found = []
    for curve in test.curves:
        table = np.stack([sample(curve, setting) for setting in steps], axis=1)
        intercept, slope = affine(places, table)
        what = f"{curve} = a + b{sign}{along}, {span(test, along)}"
        least: Bounds = (test.fit, None)
        found += [
            premise(test, f"b of {what}", curve, mean(slope)),
            compare(test, f"R^2 of {what}", curve, defined(partial(determination, places), table), least, least),
            compare(test, f"a / {test.baseline}, a of {what}", curve, defined(ratio, intercept, base)),
        ]
    return found


def form_ratio(test: FormRatio, sample: Sample) -> list[Comparison]:
    """The relative error of a/x + b/y over that of c/(x y), both fitted to mean regret, lies within `bounds`.

    x is the grid value `along` and y the one `across`; errors are the root mean squares over the settings.
    """
    along, across, steps = test.along, test.across, test.settings
    x, y = (np.array([setting[name] for setting in steps]) for name in (along, across))
    ranges = ", ".join(f"{name} = {v.min():g} .. {v.max():g}" for name, v in ((along, x), (across, y)))
    errors = partial(error_ratio, [1 / x, 1 / y], [1 / (x * y)])
    return [
        compare(
            test,
            f"error of a/{along} + b/{across} over error of c/({along} {across}), {curve}, {ranges}",
            curve,
            defined(errors, np.stack([sample(curve, setting) for setting in steps], axis=1)),
        )
        for curve in test.curves
    ]
