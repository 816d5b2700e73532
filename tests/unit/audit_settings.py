"""Settings of audits as the configuration gives them: constants of a paper and of a calibration, and of a section."""

import functools
from pathlib import Path

from dpbandits.config.loading import load_paper
from dpbandits.config.values import number_of

ROOT = Path(__file__).parents[2]


@functools.cache
def paper(key):
    return load_paper(ROOT, key)


def setting(key, calibration, **others):
    """The constants of a paper at a calibration, with others in their place."""
    layers = (paper(key).constants, paper(key).calibrations.get(calibration, {}))
    return {name: number_of(name, constant, {}) for layer in layers for name, constant in layer.items()} | others
