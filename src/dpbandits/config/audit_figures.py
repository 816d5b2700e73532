"""The figures of audits, which every paper with audits has without listing them."""

from collections.abc import Collection, Iterator, Mapping

from dpbandits.config.models.claims import AnyClaim, AuditTest
from dpbandits.config.models.figures import Audited

FIGURES = ("audit_epsilons", "audit_verdicts", "audit_power")
CALIBRATIONS = ("printed", "released", "certified")


def audit_figures(audited: Collection[str], claims: Mapping[str, AnyClaim]) -> dict[str, Audited]:
    """Sections of the three audit figures by name, as a YAML would have them; none without audits.

    Each has the name of its drawing. They show every calibration that some audit has, except `tuned`, whose noise is
    that of `printed`. They carry the verdicts of the claims that test an audit.

    Parameters
    ----------
    audited : the calibrations of all audits.
    """
    shown = [calibration for calibration in CALIBRATIONS if calibration in audited]
    tested = list(_claims_of_audits(claims))
    return {
        name: Audited.model_validate(
            {"shows": shows, "drawing": name, "calibrations": shown, "caption": caption, "claims": named}
        )
        for name, shows, caption, named in (
            ("audit_epsilons", "Audit, claimed and actual epsilon", EPSILONS, tested),
            ("audit_verdicts", "Audit, verdicts", VERDICTS, tested),
            ("audit_power", "Audit, what runs can show", POWER, []),
        )
        if shown
    }


def _claims_of_audits(claims: Mapping[str, AnyClaim]) -> Iterator[str]:
    """Claims and variants, `C9` and `C9/unit_contexts`, that have a test of an audit of their own."""
    for name, claim in claims.items():
        variants = {variant: each.tests or () for variant, each in (claim.variants or {}).items()}
        for variant, tests in {"": claim.tests, **variants}.items():
            if any(isinstance(test, AuditTest) for test in tests):
                yield "/".join(filter(None, (name, variant)))


EPSILONS = (
    "What every mechanism claims, and what is true of it: bounds by calculation, which are one dot where they meet, "
    "and what runs on two neighboring inputs show by themselves. A panel for every audit; the table of the audit "
    "says what is released and seen."
)
VERDICTS = (
    "The worst verdict of every mechanism at every claimed epsilon, the ratio of actual to claimed epsilon by "
    "calculation, and the part of the claimed epsilon that runs alone show. Above 1 the claim is broken."
)
POWER = (
    "The lower bound that runs give over the claimed epsilon, against the number of runs that it is evaluated on, and "
    "the most that so many runs could show."
)
