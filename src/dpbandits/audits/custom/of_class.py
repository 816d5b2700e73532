"""The audit of the release that a user's own class declares, as requested by a paper's YAML.

It is the audit of `dpbandits audit --mechanism`. Nothing is calculated: the verdict rests on runs.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dpbandits.audits.custom import declared
from dpbandits.audits.custom.apart import apart
from dpbandits.audits.custom.own import audit_own
from dpbandits.audits.release import SEARCHED
from dpbandits.base.digests import json_digest
from dpbandits.base.own_code import Fault, folder_of, importable
from dpbandits.base.registry import ALGORITHMS
from dpbandits.privacy.auditing import ALPHA

NOT_CALCULATED = {"epsilons": [0.0, None], "deltas": [0.0, 1.0], "method": "none"}
"""The record of calculations, which are not made."""
WITHOUT = ("noise", "moves", "repair", "small_delta", "lower_if_normal", "mutant")
"""Fields that only records of other audits have."""


def check(algorithm: str) -> type:
    """The user's class that runs an algorithm.

    Raises
    ------
    Fault
        The algorithm is not a user's class, or the class declares no release or no neighboring inputs.
    """
    rule: Any = getattr(ALGORITHMS.module(algorithm), "rule", None)
    if rule is None:
        raise Fault("algorithm", f"`{algorithm}` is not a class of your own. Use one that declares what it releases.")
    declared.mechanism(rule, {})
    pair = getattr(rule, "neighbors", None)
    if not isinstance(pair, list | tuple) or len(pair) != 2:
        raise Fault(
            "algorithm", f"`{rule.__name__}` declares no `neighbors`. Add them, a pair of inputs, to the class."
        )
    found: type = rule
    return found


def findings(
    algorithm: str, setting: Mapping[str, Any], eps: float, delta: float, trials: int, streams: list[Any]
) -> dict[str, Any]:
    """The result of runs for a claim, in the form of other audits' records.

    Parameters
    ----------
    setting : the arguments that `release` may take besides `eps` and `delta`, by name.
    streams : seeds of the random streams.

    Raises
    ------
    Fault
        The class fails, ends its process, or does not return independent runs of finite numbers.
    """
    found, draw = declared.mechanism(check(algorithm), {**setting, "eps": eps, "delta": delta})
    own = ALGORITHMS.own_code(algorithm)
    with importable(folder_of(own) if isinstance(own, str) else Path.cwd(), Path.cwd()):
        pair, seed = declared.inputs(found, ()), int(json_digest(streams)[:16], 16)
        audit = apart(lambda: audit_own(draw, *pair, eps, delta, trials, seed))
    bound = audit.rounds[-1].bound
    last = {"trials": bound.trials, "lower": audit.lower, "cap": audit.cap}
    return {
        **dict.fromkeys(WITHOUT),
        "epsilons": NOT_CALCULATED["epsilons"],
        "deltas": NOT_CALCULATED["deltas"],
        "accounted": NOT_CALCULATED,
        "derived": NOT_CALCULATED,
        "status": SEARCHED,
        "lower": audit.lower,
        "repeated": audit.lower if len(audit.rounds) > 1 else None,
        "test": bound.test,
        "order": bound.order,
        "trials": audit.trials,
        "evaluated": bound.trials,
        "alpha": ALPHA,
        "cap": audit.cap,
        "tightness": audit.lower / eps,
        "power": [last],
        "verdict": audit.verdict,
    }
