"""Audit a user's own mechanism."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dpbandits.base.own_code import Fault, folder_of, importable
from dpbandits.config.plain_yaml import ConfigError

if TYPE_CHECKING:
    from dpbandits.audits.custom.own import OwnAudit
    from dpbandits.audits.custom.views import Draw

ARGUMENTS = {"draw": "mechanism", "first": "neighbors", "second": "neighbors"}
"""Names of the arguments of `audit_own` in `audit` and in the command."""


def audit(
    mechanism: "str | type | Draw",
    neighbors: str | Sequence[Any] | None = None,
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
    mechanism : callable, type or str
        The sampler `draw(rng, data, n)`, which returns n independent runs as an array (n,) or (n, k). Your own
        algorithm is a class with a static method `release(rng, data, n)`, which may also take `eps` and `delta`. Both
        can be given by name, such as `my_module.py:draw`.
    neighbors : pair or str, optional
        Two inputs that differ in one user's data, or the name of such a pair. The default is the class attribute
        `neighbors`.
    eps, delta : float
        The claimed guarantee; eps in nats.
    trials : int
        Number of runs on each input in each round, from 1000 to 10 million. A violation is confirmed by a second round.
    seed : int
        Root seed of the runs.
    timeout : float
        Time limit in seconds for one call of the sampler, which asks for up to 100,000 runs.

    Returns
    -------
    OwnAudit
        `verdict` (`violated`, `consistent` or `no power`), `lower` (lower bound on epsilon at confidence level
        1 - 0.001), `cap` (largest lower bound that this number of runs can show).

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
    from dpbandits.audits.custom import declared
    from dpbandits.audits.custom.own import audit_own

    try:
        folder = folder_of(mechanism) if isinstance(mechanism, str) else Path.cwd()
        with importable(folder, Path.cwd()):
            found, draw = declared.mechanism(mechanism, {"eps": eps, "delta": delta})
            named = (neighbors,) if isinstance(neighbors, str) else ()
            pair = declared.inputs(found, named) if named or neighbors is None else neighbors
            count = len(pair) if hasattr(pair, "__len__") else 1
            if count != 2:
                raise Fault("first", f"got {count} input{'s' * (count != 1)}; must be a pair, (first, second)")
            return audit_own(draw, pair[0], pair[1], eps, delta, trials, seed, timeout)
    except Fault as fault:
        text = fault.text.replace("--timeout", "timeout")
        raise ConfigError(f"{ARGUMENTS.get(fault.argument, fault.argument)}: {text}") from None
