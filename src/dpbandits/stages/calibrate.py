"""Stage calibrate: what a certified curve asks for in, certified noise out."""

from dataclasses import asdict
from importlib import import_module
from pathlib import Path

from dpbandits.digests import canonical_json
from dpbandits.experiments.curves import Curve
from dpbandits.privacy.accounting import least_noise
from dpbandits.storage import write_json


def calibrate(curve: Curve, out: Path) -> int:
    """Write one entry per distinct request of a certified curve; returns how many."""
    algorithm = import_module(f"dpbandits.algorithms.{curve.algorithm}")
    requests = {
        canonical_json(asdict(request)): request
        for setting in curve.settings()
        for request in algorithm.requests(setting).values()
    }
    entries = [{**asdict(request), "noise": least_noise(request)} for _, request in sorted(requests.items())]
    write_json(out, {"entries": entries})
    return len(entries)
