"""The entry of a bound: a rate or bound of a theorem, which figures draw and claims compare with beside algorithms.

A bound is a module of this folder. The module has the entry `BOUND` and `regret`, which evaluates the bound on one
problem instance. A bound plays nothing: it has no random stream, no noise and no calibration of its own. Experiments
list it under `bounds`. Test it in `tests/unit/test_bounds.py` against a transcription that shares no code, and against
numbers computed by hand.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from dpbandits.base.entries import CALIBRATIONS, Domain, Look


@dataclass(frozen=True)
class Bound:
    """One rate or bound.

    Attributes
    ----------
    label : name in lists.
    short : name in legends and verdicts, where the paper is known.
    reference : paper and theorem.
    arms : the kind of instances on which it is defined, as in `environments.base`.
    look : how figures draw it.
    weights : constants that a curve may set, with the range in which each must lie; 0 where the curve does not.
    grid : names of the grid values that it needs.
    looks : how figures draw its variants, by the variant's name.
    """

    label: str
    short: str
    reference: str
    arms: str
    look: Look
    weights: Mapping[str, Domain] = field(default_factory=dict)
    grid: tuple[str, ...] = ("eps",)
    looks: Mapping[str, Look] = field(default_factory=dict)

    outputs = ("regret",)
    noise_asks: tuple[str, ...] = ()

    @property
    def parameters(self) -> Mapping[str, Domain]:
        """The weights, under the name that algorithms have for their constants."""
        return self.weights

    @property
    def calibrations(self) -> Mapping[str, str]:
        """A bound is the same at every calibration; curves of it are listed as `printed`."""
        return dict.fromkeys(CALIBRATIONS, "printed")

    def plays(self, arms: str) -> bool:
        """Whether it is defined on instances of that kind."""
        return arms == self.arms
