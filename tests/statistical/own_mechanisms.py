"""Audits of many mechanisms, private and broken, as a user of `dpbandits audit --mechanism` would run them."""

import time
from collections import Counter
from typing import Any

import numpy as np

from dpbandits.audits.custom.evidence import evidence
from dpbandits.audits.custom.own import TRIALS, OwnAudit, audit_own

from .own_broken import BROKEN
from .own_mechanism import Own, laplace
from .own_private import PRIVATE

SEEDS = 20
SMALL = 2000  # runs on each input of the audits that count false alarms
FALSE_ALARM_SEEDS = range(1000, 1077)  # 77 audits of each private mechanism, 2002 in all
ROUNDS, RATE = 120, 0.05  # bounds of each tight mechanism, and the probability with which one may exceed its epsilon
VERDICTS = {"violated": "V", "consistent": "C", "no power": "N"}
Record = dict[str, Any]


def audited(own: Own, seed: int, trials: int | None = None) -> OwnAudit:
    return audit_own(own.draw, own.first, own.second, own.eps, own.delta, trials or own.trials, seed)


def views(own: Own, rng: np.random.Generator, n: int) -> list[np.ndarray]:
    """(n, k) rounded views of either input."""
    found = [np.asarray(own.draw(rng, data, n), dtype=float).reshape(n, -1) for data in (own.first, own.second)]
    return [np.round(rows, 9) for rows in found]


def row(own: Own) -> Record:
    """Claim, a letter of `VERDICTS` for each seed, the median bound, and the candidate that gave most bounds."""
    found = [audited(own, seed) for seed in range(SEEDS)]
    kinds = Counter(audit.rounds[-1].kind for audit in found)
    return {
        "what": own.what,
        "eps": own.eps,
        "delta": own.delta,
        "trials": own.trials,
        "verdicts": "".join(VERDICTS[audit.verdict] for audit in found),
        "median": float(np.median([audit.lower for audit in found])),
        "by": kinds.most_common(1)[0][0],
    }


def false_alarms() -> Record:
    """Of small audits of private mechanisms: how many had a first round, and then both, above the claim."""
    found = [audited(own, seed, SMALL) for own in PRIVATE for seed in FALSE_ALARM_SEEDS]
    return {
        "audits": len(found),
        "trials": SMALL,
        "first_rounds": sum(len(audit.rounds) > 1 for audit in found),
        "violated": sum(audit.verdict == "violated" for audit in found),
    }


def errors(own: Own, rounds: int, rate: float, seed: int) -> int:
    """How many bounds of single rounds at error probability `rate` exceed the epsilon of a tight mechanism."""
    rng = np.random.default_rng(seed)
    drawn = (views(own, rng, SMALL) for _ in range(rounds))
    return sum(
        evidence(*both, own.eps, own.delta, (seed, i), rate).bound.epsilon > own.eps for i, both in enumerate(drawn)
    )


def calibration() -> Record:
    """The same for every tight mechanism."""
    tight = [own for own in PRIVATE if own.tight]
    found = {own.what: errors(own, ROUNDS, RATE, seed) for seed, own in enumerate(tight)}
    return {"rate": RATE, "trials": SMALL, "rounds": ROUNDS, "errors": found}


def seconds() -> Record:
    """CPU seconds of an audit of default size with one column and with three, of two rounds each."""
    found = {}
    for columns in (1, 3):
        own = Own("", laplace(0.5 * columns), np.zeros(columns), np.ones(columns))
        audited(own, 0)
        start = time.process_time()
        audited(own, 1)
        found[str(columns)] = time.process_time() - start
    return {"trials": TRIALS, "columns": found}


def record() -> Record:
    return {
        "private": [row(own) for own in PRIVATE],
        "broken": [row(own) for own in BROKEN],
        "false_alarms": false_alarms(),
        "calibration": calibration(),
        "seconds": seconds(),
    }
