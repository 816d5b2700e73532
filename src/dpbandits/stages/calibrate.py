"""Stage calibrate: compute the certified noise that a curve requests."""

from dataclasses import asdict
from decimal import ROUND_CEILING, Decimal
from pathlib import Path
from typing import Any

from dpbandits.base.digests import canonical_json
from dpbandits.base.registry import ALGORITHMS
from dpbandits.base.storage import DamagedFile, read_record, write_record
from dpbandits.base.versions import CALCULATIONS, versions
from dpbandits.config.curves import Curve
from dpbandits.privacy.accounting import least_noise
from dpbandits.privacy.mechanisms import NoiseRequest, VectorSumRequest

SEARCHED = ("gaussian", "shuffled_gaussian", "shuffled_laplace")
"""Mechanisms whose least noise is found as the root of an equation."""
DIGITS = 6  # significant digits of noise found by root search; our choice


def calibrate(curve: Curve, source: str, out: Path) -> bool:
    """Write one entry per distinct noise request of a certified curve, unless `out` is up to date.

    Parameters
    ----------
    source : source digest, stored with the entries.

    Returns
    -------
    Whether the noise was computed now.
    """
    algorithm = ALGORITHMS.module(curve.algorithm)
    requests = {
        canonical_json(asdict(request)): request
        for setting in curve.settings()
        for request in algorithm.requests(setting).values()
    }
    ordered = [request for _, request in sorted(requests.items())]
    asked = [asdict(request) for request in ordered]
    made = {"source": source, "versions": versions(CALCULATIONS)}
    if _holds(out, made, asked):
        return False
    entries = [{**asdict(request), "noise": certified(request)} for request in ordered]
    write_record(out, {**made, "entries": entries})
    return True


def certified(request: NoiseRequest | VectorSumRequest) -> float:
    """The least sufficient noise; rounded up if it comes from a root search.

    Rounding up keeps the guarantee and makes the value equal on every processor. The last digits of a root depend on
    how the processor rounds exponentials.
    """
    noise = least_noise(request)
    if request.mechanism not in SEARCHED:
        return noise
    exact = Decimal(noise)
    return float(exact.quantize(Decimal(1).scaleb(exact.adjusted() + 1 - DIGITS), ROUND_CEILING))


def _holds(path: Path, made: dict[str, Any], asked: list[dict[str, Any]]) -> bool:
    try:
        record = read_record(path)
        kept = [{name: value for name, value in entry.items() if name != "noise"} for entry in record["entries"]]
        return made.items() <= record.items() and canonical_json(kept) == canonical_json(asked)
    except (DamagedFile, KeyError, TypeError, AttributeError):
        return False
