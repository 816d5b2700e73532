"""The audit of what a class of the user's own declares that it releases, as a paper's YAML asks for it.

It is the audit of `dpbandits audit --mechanism`. Nothing about the release is calculated: its verdict rests on runs.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dpbandits.audits.custom import declared
from dpbandits.audits.custom.own import audit_own
from dpbandits.audits.release import SEARCHED
from dpbandits.base.digests import json_digest
from dpbandits.base.own_code import Fault, folder_of, importable
from dpbandits.base.registry import ALGORITHMS
from dpbandits.privacy.auditing import ALPHA

NOT_CALCULATED = {"epsilons": [0.0, None], "deltas": [0.0, 1.0], "method": "none"}
"""All that calculations say."""
WITHOUT = ("noise", "moves", "repair", "small_delta", "lower_if_normal", "mutant")
"""What records of other audits have besides."""


def check(algorithm: str) -> type:
    """The class that plays an algorithm.

    Raises
    ------
    Fault
        No class plays it, or the class does not declare what it releases, and on which inputs.
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
    """What runs say of a claim, in the form of the records of other audits.

    Parameters
    ----------
    setting : by name what `release` may take besides `eps`, and `delta` where it is not 0.
    streams : what the random streams depend on.

    Raises
    ------
    Fault
        The class fails, or returns something else than independent runs of finite numbers.
    """
    claim = {"eps": eps, **({"delta": delta} if delta else {})}
    others = {name: value for name, value in setting.items() if name != "delta"}
    found, draw = declared.mechanism(check(algorithm), {**others, **claim})
    own = ALGORITHMS.own_code(algorithm)
    with importable(folder_of(own) if isinstance(own, str) else Path.cwd(), Path.cwd()):
        audit = audit_own(draw, *declared.inputs(found, ()), eps, delta, trials, int(json_digest(streams)[:16], 16))
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
