"""A cell: one mechanism with its noise at one setting, the unit of the stage audit."""

from collections.abc import Mapping
from dataclasses import dataclass

from dpbandits.base.digests import json_digest, short


@dataclass(frozen=True)
class Cell:
    """One release whose privacy is looked at.

    Attributes
    ----------
    audit : `<paper>/<name>` of its section. release : function of `dpbandits.audits.papers.<paper>`, or `declared`.
    target : `mechanism`, what one step of the algorithm releases, or `actions`, what all of it lets anybody see.
    setting : constants of the paper, of the calibration and of the section, and the point of the grid.
    point : the point of the grid alone.
    eps, delta : the claim. trials : runs on either input. seconds : estimated CPU time.
    in_theorem_range : whether the theorem is about such a setting; None where it has no range.
    named : whether the audit names the theorems that prove its upper bound.
    """

    audit: str
    release: str
    target: str
    algorithm: str
    calibration: str
    setting: Mapping[str, float]
    point: Mapping[str, float]
    eps: float
    delta: float
    trials: int
    seconds: float
    in_theorem_range: bool | None = None
    named: bool = True

    def identity(self) -> dict[str, object]:
        """All that determines the record, and no name or cost."""
        return {
            "release": self.release,
            "target": self.target,
            "algorithm": self.algorithm,
            "calibration": self.calibration,
            "setting": dict(self.setting),
            "eps": self.eps,
            "delta": self.delta,
            "trials": self.trials,
        }

    @property
    def id(self) -> str:
        """Eight hexadecimal digits, in the record and in the names of its streams."""
        return short(json_digest(self.identity()))
