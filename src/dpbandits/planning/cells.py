"""Cell: one mechanism with its noise at one setting, the unit of the audit stage."""

from collections.abc import Mapping
from dataclasses import dataclass

from dpbandits.base.digests import json_digest, short


@dataclass(frozen=True)
class Cell:
    """One release whose privacy is audited.

    Attributes
    ----------
    audit : `<paper>/<name>` of its section. release : function of `dpbandits.audits.papers.<paper>`, or `declared`.
    target : `mechanism`, what one step of the algorithm releases, or `actions`, all actions that the algorithm plays.
    setting : constants of the paper, of the calibration and of the section, and the point of the grid.
    point : the grid point only.
    eps, delta : the claimed guarantee. trials : runs on each input. seconds : estimated CPU time.
    in_theorem_range : whether the theorem covers the setting; None if no range is stated.
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
        """Everything that determines the audit record. Names and costs are excluded."""
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
        """Eight hexadecimal digits that identify the cell in its record and in the names of its random streams."""
        return short(json_digest(self.identity()))
