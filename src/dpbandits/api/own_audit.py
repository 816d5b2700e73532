"""The audit of a mechanism of the user's own."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dpbandits.audits.custom import named
from dpbandits.config.plain_yaml import ConfigError

if TYPE_CHECKING:
    from dpbandits.audits.custom.own import OwnAudit
    from dpbandits.audits.custom.views import Draw

ARGUMENTS = {"draw": "mechanism", "first": "neighbors", "second": "neighbors"}
"""Arguments of `audit_own` as `audit` and the command name them."""


def audit(
    mechanism: "str | Draw",
    neighbors: str | Sequence[Any],
    *,
    eps: float,
    delta: float = 0.0,
    trials: int = 100_000,
    seed: int = 0,
    timeout: float = 60.0,
) -> "OwnAudit":
    """Run a mechanism on two neighboring inputs and test its privacy claim.

    Parameters
    ----------
    mechanism : callable or str
        The sampler `draw(rng, data, n)`, which returns n independent runs, an array (n,) or (n, k); or
        `my_module.py:draw`.
    neighbors : pair or str
        Two inputs that differ in one user's data, or the name of such a pair.
    eps, delta : float
        The claim; eps in nats.
    trials : int
        Runs on either input.
    seed : int
        Root seed of the runs.
    timeout : float
        Seconds that a call of the sampler may take, for up to 100,000 runs.

    Returns
    -------
    OwnAudit
        `verdict` (`violated`, `consistent` or `no power`), `lower` (epsilon is at least this, with confidence
        1 - 0.001), `cap` (what so many runs can show at most).

    Raises
    ------
    ConfigError
        An argument is not allowed, or the sampler fails.

    Examples
    --------
    >>> examples = "dpbandits.audits.custom.examples"
    >>> audit(f"{examples}:half_noise", f"{examples}:HALF_NOISE_PAIR", eps=1.0).verdict
    'violated'
    """
    from dpbandits.audits.custom.own import audit_own

    try:
        folder = named.folder_of(mechanism) if isinstance(mechanism, str) else Path.cwd()
        with named.importable(folder, Path.cwd()):
            draw: Any = named.named("draw", mechanism) if isinstance(mechanism, str) else mechanism
            pair = named.neighbors("first", (neighbors,)) if isinstance(neighbors, str) else neighbors
            if len(pair) != 2:
                raise named.Fault("first", f"got {len(pair)} inputs; must be a pair, (first, second)")
            return audit_own(draw, pair[0], pair[1], eps, delta, trials, seed, timeout)
    except named.Fault as fault:
        raise ConfigError(f"{ARGUMENTS.get(fault.argument, fault.argument)}: {fault.text}") from None
