"""How many seeds `verify --recompute` plays by default."""

from types import SimpleNamespace

from dpbandits.stages import recompute
from dpbandits.stages.recompute import FEWEST, affordable


def curve(**changes):
    """Two CPU seconds a seed."""
    return SimpleNamespace(**{"seconds_per_chunk": 30.0, "chunk": 15, "bound": False, "seeds": 900} | changes)


def test_runs_take_about_a_minute():
    assert recompute.SECONDS == 60.0
    assert affordable([curve()]) == 30
    assert affordable([curve(), curve()]) == 15
    assert affordable([curve(), curve(bound=True)]) == 30
    assert affordable([curve(seconds_per_chunk=3000.0)]) == FEWEST == 2
    assert affordable([curve(bound=True)]) == 900, "bounds cost next to nothing"
