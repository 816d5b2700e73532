"""The audit of a user's own mechanism in plain words."""

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from typing import Any

from dpbandits.audits.custom.own import MOST_TRIALS, Evidence, OwnAudit, Tail
from dpbandits.privacy.auditing import ALPHA
from dpbandits.text.text import number

CONFIDENCE = f"{100 * (1 - ALPHA):.4g} %"
COLUMNS_SHOWN = 6  # of an example of a view


def paragraph(audit: OwnAudit) -> str:
    """The verdict: what was claimed, the bound, what showed it, in how many runs, the cap, and what it proves."""
    return " ".join(
        [f"{audit.verdict.upper()}.", _claim(audit), _found(audit), _shown_by(audit), _cap(audit), _so(audit)]
    )


def record(audit: OwnAudit) -> dict[str, Any]:
    """The same as data."""
    return {
        "verdict": audit.verdict,
        "claimed": {"eps": audit.eps, "delta": audit.delta},
        "lower": audit.lower,
        "tightness": audit.lower / audit.eps,
        "cap": audit.cap,
        "alpha": ALPHA,
        "trials": audit.trials,
        "seed": audit.seed,
        "columns": audit.columns,
        "rounds": [_round(evidence) for evidence in audit.rounds],
        "says": paragraph(audit),
    }


def _round(evidence: Evidence) -> dict[str, Any]:
    bound = evidence.bound
    return {
        "lower": bound.epsilon,
        "test": bound.test,
        "order": bound.order,
        "evaluation_runs": bound.trials,
        "score": evidence.scored,
        "tails": [
            {"side": tail.side, "threshold": tail.threshold, "first": tail.first, "second": tail.second}
            for tail in evidence.tails
        ],
    }


def down(value: float) -> str:
    """Four digits, rounded down, for a bound from below."""
    return number(float(Decimal(value).normalize(Context(prec=4, rounding=ROUND_FLOOR))))


def up(value: float) -> str:
    """Four digits, rounded up, for a bound from above."""
    return number(float(Decimal(value).normalize(Context(prec=4, rounding=ROUND_CEILING))))


def _claim(audit: OwnAudit) -> str:
    return f"The claim is ε = {number(audit.eps)} at δ = {number(audit.delta)}."


def _found(audit: OwnAudit) -> str:
    first, *again = (down(evidence.bound.epsilon) for evidence in audit.rounds)
    said = f"On these two inputs ε is at least {(again or [first])[0]} at this δ, with {CONFIDENCE} confidence"
    if not again:
        return f"{said}."
    if audit.verdict == "violated":
        return f"{said}, from new runs after a first look had found {first}."
    return f"{said}, from new runs: they do not confirm a first look, which had found {first}."


def _shown_by(audit: OwnAudit) -> str:
    evidence = audit.rounds[-1]
    runs = evidence.bound.trials
    said = f"Of {audit.trials:,} runs on either input the last {runs:,} were counted; the others chose what to count"
    if not evidence.tails:
        return f"{said}, and found nothing in which the inputs differ."
    counted = " and ".join(_event(tail, evidence.scored == "learned") for tail in evidence.tails)
    guessed = "; by this the input of a run was guessed" if evidence.bound.test == "guesses" else ""
    return f"{said}: {counted}{guessed}."


def _event(tail: Tail, learned: bool) -> str:
    what = "a learned score" if learned else "a returned value"
    limit = f"at {'least' if tail.side == 'above' else 'most'} {tail.threshold:.4g}"
    values = [f"{value:.4g}" for value in tail.example[:COLUMNS_SHOWN]]
    values += ["..."] * (len(tail.example) > COLUMNS_SHOWN)
    example = f", for example the view [{', '.join(values)}]" if learned and values else ""
    return f"{what} of {limit} ({tail.first:,} runs on the first input, {tail.second:,} on the second{example})"


def _cap(audit: OwnAudit) -> str:
    return f"So many runs cannot show more than ε = {up(audit.cap)}."


def _so(audit: OwnAudit) -> str:
    if audit.verdict == "violated":
        bare = all(min(tail.first, tail.second) == 0 for tail in audit.rounds[-1].tails)
        infinite = "it may well be infinite, for what was counted never came up on the other input"
        return (
            "Hence the claim does not hold, provided that the inputs are neighbors and the runs independent. "
            f"How large ε really is this does not say: {infinite if bare else 'it may be larger'}."
        )
    if audit.verdict == "no power":
        offered = audit.needed <= MOST_TRIALS
        needed = f"{math.ceil(audit.needed):,}" if offered else f"{MOST_TRIALS:,}, the most that can be asked for"
        return (
            "That is not above the claim: no mechanism could be refuted, so this audit says nothing about yours. "
            f"Runs needed on either input: more than {needed}."
        )
    return (
        "Hence nothing here speaks against the claim, which does not prove it: other neighbors, an event that was not "
        "looked at, or more runs may still break it."
    )
