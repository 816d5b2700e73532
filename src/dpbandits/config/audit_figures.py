"""The audit figures, which every paper with audits gets without listing them."""

from collections.abc import Collection, Iterator, Mapping

from dpbandits.config.models.claims import AnyClaim, AuditTest
from dpbandits.config.models.figures import Audited

FIGURES = ("audit_epsilons", "audit_verdicts", "audit_power")
CALIBRATIONS = ("printed", "released", "certified")


def audit_figures(audited: Collection[str], claims: Mapping[str, AnyClaim]) -> dict[str, Audited]:
    """Sections of the three audit figures by name, as in a YAML; empty without audits.

    Each is named after its drawing. They show every calibration that some audit has, except `tuned`, whose noise equals
    that of `printed`. They display the verdicts of the claims that test an audit.

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
    """Claims and variants, such as `C9` and `C9/unit_contexts`, that have their own test of an audit."""
    for name, claim in claims.items():
        variants = {variant: each.tests or () for variant, each in (claim.variants or {}).items()}
        for variant, tests in {"": claim.tests, **variants}.items():
            if any(isinstance(test, AuditTest) for test in tests):
                yield "/".join(filter(None, (name, variant)))


EPSILONS = (
    "Claimed and actual epsilon of every mechanism. Calculated bounds are drawn as one dot if they are equal. Lower "
    "bounds from runs on two neighboring inputs are shown separately. There is one panel for every audit; the table of "
    "the audit describes the released output."
)
VERDICTS = (
    "The worst verdict of every mechanism at every claimed epsilon, the calculated ratio of actual to claimed epsilon, "
    "and the lower bound from runs as a share of the claimed epsilon. A ratio above 1 violates the claim."
)
POWER = (
    "The lower bound on epsilon from runs, divided by the claimed epsilon, against the number of runs, and the largest "
    "bound that this number of runs could give."
)
