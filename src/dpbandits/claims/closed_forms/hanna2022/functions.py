"""Closed forms behind claims of Hanna et al., arXiv 2207.03445, without simulation.

Every function takes the arguments listed in the claim's section of the YAML, and the calibration if the noise matters.
It returns labeled numbers, or lower and upper bounds on them; the YAML gives the range that the claim requires. The
noise is taken from the algorithms' own `params` and `requests`.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Mapping
from itertools import pairwise, permutations

from dpbandits.algorithms.phased_elimination import (
    phased_elimination_central,
    phased_elimination_local,
    phased_elimination_shuffled,
)
from dpbandits.algorithms.phased_elimination.batches import batch_schedule, log_confidence
from dpbandits.audits.constants import constants_of
from dpbandits.audits.mechanisms.shuffled_counts import RANGE
from dpbandits.audits.papers import hanna2022 as audited
from dpbandits.audits.papers.hanna2022 import batch_sizes
from dpbandits.claims.closed_form_types import Numbers
from dpbandits.claims.closed_forms.hanna2022.laplace_sums import moment_over_printed as moment_over_printed
from dpbandits.claims.closed_forms.hanna2022.laplace_sums import tail_over_printed as tail_over_printed
from dpbandits.claims.closed_forms.hanna2022.small_designs import core_set_norms as core_set_norms
from dpbandits.claims.closed_forms.hanna2022.small_designs import core_set_sizes as core_set_sizes
from dpbandits.claims.closed_forms.hanna2022.small_designs import uneven_norms as uneven_norms
from dpbandits.privacy.amplification import local_budget

CENTRAL, LOCAL, SHUFFLED = (
    module.__name__.rpartition(".")[2]
    for module in (phased_elimination_central, phased_elimination_local, phased_elimination_shuffled)
)
"""Names of the algorithms; importing the modules makes the verdicts depend on their code."""
READING = {"width": 1.0, "extra_batches": 0.0, "tolerance": 1e-3, "whole_maximum": 0.0, "reward_sd": 0.0}
"""Constants that `params` needs and that do not affect privacy."""


def noise_scale(algorithm: str, calibration: str, eps: float) -> float:
    """Scale of the Laplace noise of Algorithm 1 or 2."""
    scale: float = constants_of(algorithm, calibration, {**READING, "eps": eps, "core_factor": 1.0}).noise_scale
    return scale


def report_scales(calibration: str, horizon: int, delta: float, eps: float) -> list[float]:
    """Scale of the Laplace noise of a report of Algorithm 3, per batch."""
    setting = {**READING, "eps": eps, "delta": delta, "T": float(horizon)}
    return audited.report_scales(SHUFFLED, calibration, setting)


def _range_in(calibration: str) -> float:
    """The range of a reward that the calibration assumes."""
    return RANGE if calibration == "certified" else 1.0


def local_epsilon_over_eps(calibration: str, horizon: int, delta: float, eps: list[float]) -> Numbers:
    """Remark 8: the local epsilon eps0 of Algorithm 3's reports in the last batch, over eps."""
    epsilons = {each: _range_in(calibration) / report_scales(calibration, horizon, delta, each)[-1] for each in eps}
    return [(f"eps0 / eps in the last batch at eps = {each:g}", epsilon / each) for each, epsilon in epsilons.items()]


def report_variance_over_central(calibration: str, horizon: int, delta: float, eps: list[float]) -> Numbers:
    """Remark 9: the variance of a report's noise in the last batch, over 2/(n eps^2)."""
    n = batch_sizes(horizon)[-1]
    scales = {each: report_scales(calibration, horizon, delta, each)[-1] for each in eps}
    return [
        (f"variance of the noise over 2 / (n eps^2) in the last batch at eps = {each:g}", n * (each * scale) ** 2)
        for each, scale in scales.items()
    ]


def linkage(clients: list[float], actions_permuted: float) -> Numbers:
    """Remark 7: probability that the best guess links a report to its client, if every client has its own action.

    Enumerates which client has which action and whose pair (action, report) leaves the shuffler first; the other pairs
    have the other actions and reveal nothing more. The server guesses the client that is most frequent given its view.
    With permuted actions the result is multiplied by the number of clients, that is, relative to a blind guess.
    """
    found = []
    for each in clients:
        n = int(each)
        senders: dict[tuple[int, ...], Counter[int]] = defaultdict(Counter)
        for actions in permutations(range(n)):
            for client in range(n):
                senders[_seen(actions, client, actions_permuted)][client] += 1
        hits = sum(max(counts.values()) for counts in senders.values())
        times = n if actions_permuted else 1
        label = f"share of linked reports{' times n' if actions_permuted else ''}, n = {n}"
        found.append((label, times * hits / (n * math.factorial(n))))
    return found


def _seen(actions: tuple[int, ...], client: int, actions_permuted: float) -> tuple[int, ...]:
    """The server's view if the client's pair comes first: its action, and all clients' actions unless permuted."""
    return (actions[client],) if actions_permuted else (actions[client], *actions)


def growth_factor(horizon: list[float]) -> Numbers:
    """Footnote: the growth factor q = (2T)^(1/ln T)."""
    return [(f"q at T = {each:g}", batch_schedule(int(each))[0]) for each in horizon]


def schedule_over_horizon(horizon: list[float]) -> Numbers:
    """Total nominal length of the batches over T."""
    found = []
    for each in horizon:
        q, last = batch_schedule(int(each))
        found.append(
            (
                f"length of all batches / T at T = {int(each)}",
                math.fsum(q ** float(i) for i in range(1, last + 1)) / each,
            )
        )
    return found


def local_epsilon_exponent_less(horizon: list[float], delta: float, eps: float, printed: float) -> Numbers:
    """Table 1: exponent of T in the last batch's local epsilon, between consecutive horizons, less the printed one."""
    epsilons = [math.log(local_budget(eps, batch_sizes(int(each))[-1], delta)) for each in horizon]
    logs = [math.log(each) for each in horizon]
    slopes = [(y1 - y0) / (x1 - x0) for (x0, x1), (y0, y1) in zip(pairwise(logs), pairwise(epsilons), strict=True)]
    return [
        (f"exponent from T = {a:g} to {b:g}, less {printed:g}", s - printed)
        for (a, b), s in zip(pairwise(horizon), slopes, strict=True)
    ]


def difference(first: float, second: float) -> Numbers:
    """Difference of two printed numbers that should agree."""
    return [(f"{first:g} less {second:g}", first - second)]


def widths(
    calibration: str, horizon: int, delta: float, eps: float, arms: int, core_factor: float
) -> Mapping[str, list[float]]:
    """Confidence width of every batch while all actions are active, by algorithm; d = 2."""
    d = 2
    q, last = batch_schedule(horizon)
    log_term = log_confidence(arms, horizon)
    central = noise_scale(CENTRAL, calibration, eps)
    local = noise_scale(LOCAL, calibration, eps)
    shuffled = report_scales(calibration, horizon, delta, eps)
    found: dict[str, list[float]] = {name: [] for name in ("", "_central", "_local", "_shuffled")}
    for i in range(1, last + 1):
        nominal, n = q ** float(i), math.ceil(q ** float(i))
        root = math.sqrt(4.0 * d * log_term / nominal)
        spread = 2.0 * d / nominal * math.sqrt(n * log_term)
        found[""].append(root)
        found["_central"].append(root + (2.0 * core_factor * d**2 + 2.0 * d * log_term) * central / nominal)
        found["_local"].append(root + spread * local)
        found["_shuffled"].append(root + spread * shuffled[i - 1])
    return {f"phased_elimination{name}": values for name, values in found.items()}
