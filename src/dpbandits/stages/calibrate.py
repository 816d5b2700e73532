"""Stage calibrate: what certified curves ask for in, certified noise out."""

from collections.abc import Iterable
from dataclasses import asdict
from importlib import import_module
from pathlib import Path

from dpbandits.digests import canonical_json
from dpbandits.experiments.curves import Curve
from dpbandits.privacy.accounting import least_noise
from dpbandits.storage import write_json


def calibrate(curves: Iterable[Curve], out: Path) -> int:
    """Write one entry per distinct request of the certified curves; returns how many."""
    requests = {
        canonical_json(asdict(request)): request
        for curve in curves
        if curve.calibration == "certified"
        for setting in curve.settings()
        for request in import_module(f"dpbandits.algorithms.{curve.algorithm}").requests(setting).values()
    }
    entries = [{**asdict(request), "noise": least_noise(request)} for _, request in sorted(requests.items())]
    write_json(out, {"entries": entries})
    return len(entries)
