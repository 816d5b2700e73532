"""Stage audit: measure the actual epsilon of mechanisms; write one record per cell.

Each record holds the accountant's epsilon, the epsilon of a second calculation, a statistical lower bound and the
verdict. The lower bound comes from runs on two neighboring inputs and uses no knowledge of the mechanism. A bound that
contradicts the claim, or the calculations, is confirmed with fresh streams before it counts. Where the release covers
the whole algorithm, the same audit must detect the algorithm with half the noise; otherwise the audit has no power.
"""

import functools
import math
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from dpbandits.audits.constants import NoiseMissing
from dpbandits.audits.learned import learned_scores
from dpbandits.audits.release import DECLARED, PROVEN, SEARCHED, TIGHT, Array, Bounds, Release, Truth
from dpbandits.audits.repair import least_factor, moves, scaled
from dpbandits.base.own_code import Fault
from dpbandits.base.storage import DamagedFile, read_record, write_record
from dpbandits.base.streams import generator
from dpbandits.base.versions import CALCULATIONS, versions
from dpbandits.config.plain_yaml import ConfigError
from dpbandits.planning.cells import Cell
from dpbandits.privacy.auditing import ALPHA, epsilon_bound, gaussian_bound, power_curve, verdict_of

EPSILONS_AGREE = 1e-3  # relative tolerance between the two calculations; our choice
DELTAS_AGREE = 1e-5, 1e-6  # relative, absolute tolerance: upper bounds for many reports allow for their own rounding
LARGE_DELTA, SMALL_DELTA = 1e-3, 1e-5  # above the first, also report the derived epsilon at the second; our choice
PARTS = (64, 16, 4)  # divisors of the number of trials at which the power plot also shows the bound
CHUNK = 20_000  # runs drawn at once, so that views with many columns need little memory
ROUNDING = 1e-9  # relative tolerance for epsilon
OF_CLASS = {"draw": "`release` of `{}`", **dict.fromkeys(("first", "second"), "`neighbors` of `{}`:")}
"""For each argument of the audit of own mechanisms, the part of the user's class that it stands for."""


def audit(
    words: Mapping[str, Any], cells: Sequence[Cell], root_seed: int, scale: str, source: str, out: Path
) -> list[dict[str, Any]]:
    """Write the records of the cells of one audit, reusing findings in `out` of these sources and versions.

    Parameters
    ----------
    words : the text of the configuration section: `title`, `says`, `where`, `domain`, `neighbors`, `inputs`, `view`,
        `proof`, `note`.
    source : source digest, stored with the records.
    """
    made = {"source": source, "root_seed": root_seed, "versions": versions(CALCULATIONS)}
    kept = _kept(out, made)
    records = []
    for cell in cells:
        look = record_of_own if cell.release == DECLARED else record_of
        found = kept.get((cell.id, cell.named)) or look(cell, root_seed)
        records.append({**found, **heading(cell, scale), **words})
    write_record(out, {"audit": cells[0].audit if cells else "", **made, "records": records})
    return records


def heading(cell: Cell, scale: str) -> dict[str, Any]:
    """The part of a record that describes its cell."""
    return {
        "audit": cell.audit,
        "paper": cell.audit.partition("/")[0],
        "scale": scale,
        "algorithm": cell.algorithm,
        "calibration": cell.calibration,
        "point": dict(cell.point),
        "target": cell.target,
        "release": cell.release,
        "eps": cell.eps,
        "delta": cell.delta,
        "in_theorem_range": cell.in_theorem_range,
        "id": cell.id,
    }


def _kept(path: Path, made: Mapping[str, Any]) -> dict[tuple[str, bool], dict[str, Any]]:
    """Stored records by cell and by whether a proof was named."""
    try:
        record = read_record(path)
        if not made.items() <= record.items():
            return {}
        return {(each["id"], bool(each["proof"])): dict(each) for each in record["records"]}
    except (DamagedFile, KeyError, TypeError, AttributeError):
        return {}


def record_of(cell: Cell, root_seed: int) -> dict[str, Any]:
    """The findings about one cell."""
    release = release_of(cell)
    accounted, derived = truths(release, cell.eps, cell.delta)
    if not agree(accounted, derived):
        raise ArithmeticError(f"{cell.audit}, {cell.id}: the calculations do not agree: {accounted}; {derived}")
    epsilons, deltas = joint(accounted.epsilons, derived.epsilons), joint(accounted.deltas, derived.deltas)
    proven = derived.proven and cell.named
    known = epsilons if proven else (epsilons[0], math.inf)
    scores = scores_of_both(release, cell, root_seed, 0)
    bound, sizes = epsilon_bound(*scores, cell.delta, ALPHA), [cell.trials // part for part in PARTS]
    power = power_curve(*scores, cell.delta, ALPHA, sizes)
    normal = gaussian_bound(*scores, cell.delta, ALPHA) if derived.normal and cell.delta else None
    lower, repeated = bound.epsilon, None
    if lower > min(cell.eps, epsilons[1] * (1.0 + ROUNDING)):
        repeated = bound_of(release, cell, root_seed, 1)
        lower = min(lower, repeated)
    contradiction = {}
    if lower > epsilons[1] * (1.0 + EPSILONS_AGREE):
        text = f"runs show epsilon >= {lower:.6g}, the calculation for the stated noise gives {epsilons[1]:.6g}"
        if lower <= cell.eps:
            raise ArithmeticError(f"{cell.audit}, {cell.id}: {text}")
        contradiction, epsilons, known = {"contradiction": text}, (lower, math.inf), (lower, math.inf)
    mutant = None
    verdict = verdict_of(lower, known, cell.eps, bound.cap)
    if cell.target == "actions":
        found = bound_of(release.halved(), cell, root_seed, 2)
        mutant = {"lower": found, "found": found > cell.eps}
        if verdict == "consistent" and not mutant["found"]:
            verdict = "no power"
    small = None
    if cell.delta > LARGE_DELTA:
        small = {"delta": SMALL_DELTA, "epsilons": _finite(release.derived(cell.eps, SMALL_DELTA).epsilons)}
    return {
        "noise": release.noise,
        "moves": moves(release),
        "repair": repair_of(release, cell) if epsilons[0] > cell.eps * (1.0 + ROUNDING) else None,
        "epsilons": _finite(epsilons),
        "deltas": list(deltas),
        "accounted": _truth(accounted),
        "derived": _truth(derived),
        "status": status(proven, epsilons),
        "small_delta": small,
        "lower": lower,
        "repeated": repeated,
        "lower_if_normal": normal,
        "test": bound.test,
        "order": bound.order,
        "trials": cell.trials,
        "evaluated": bound.trials,
        "alpha": ALPHA,
        "cap": bound.cap,
        "tightness": lower / cell.eps,
        "power": [{"trials": each.trials, "lower": each.epsilon, "cap": each.cap} for each in (*power, bound)],
        "mutant": mutant,
        "verdict": verdict,
        **contradiction,
    }


def record_of_own(cell: Cell, root_seed: int) -> dict[str, Any]:
    """The findings about the release of a user's own class.

    Raises
    ------
    ConfigError
        The class fails, or does not draw independent runs.
    """
    # Source digests of other audits leave this module out.
    own = import_module("dpbandits.audits.custom.of_class")
    setting = {**cell.setting, "calibration": cell.calibration}
    try:
        found: dict[str, Any] = own.findings(
            cell.algorithm, setting, cell.eps, cell.delta, cell.trials, [root_seed, cell.id]
        )
    except Fault as fault:
        says = fault.text.replace(", or raise --timeout", "")  # only the command has this option
        place = OF_CLASS.get(fault.argument, "").format(cell.algorithm) or f"{fault.argument}:"
        raise ConfigError(f"{cell.audit}: {place} {says}") from None
    return found


@functools.cache
def truths(release: Release, eps: float, delta: float) -> tuple[Truth, Truth]:
    """Results of both calculations, cached because algorithms with equal releases share them."""
    return release.accounted(eps, delta), release.derived(eps, delta)


def repair_of(release: Release, cell: Cell) -> dict[str, float] | None:
    """The least factor on the noise that restores the claim, and the resulting noise; None if no factor does.

    Audits of actions have no repair: their worst pair of inputs depends on the noise.
    """
    factor = least_factor(release, cell.eps, cell.delta) if cell.target != "actions" else None
    return None if factor is None else {"factor": factor, "noise": scaled(release, factor).noise}


def release_of(cell: Cell) -> Release:
    """The release of a cell.

    Raises
    ------
    ConfigError
        The setting lacks a constant of the algorithm, or the algorithm does not name its noise.
    """
    module = import_module(f"dpbandits.audits.papers.{cell.audit.partition('/')[0]}")
    try:
        release: Release = getattr(module, cell.release)(cell.algorithm, cell.calibration, cell.setting)
    except NoiseMissing as missing:
        raise ConfigError(f"{cell.audit}: {missing}") from None
    except KeyError as missing:
        name = missing.args[0]
        raise ConfigError(f"{cell.audit}: constants.{name}: is missing; {cell.algorithm} needs it") from None
    return release


def bound_of(release: Release, cell: Cell, root_seed: int, attempt: int) -> float:
    """The lower bound on epsilon found in one attempt."""
    return epsilon_bound(*scores_of_both(release, cell, root_seed, attempt), cell.delta, ALPHA).epsilon


def scores_of_both(release: Release, cell: Cell, root_seed: int, attempt: int) -> tuple[Array, Array]:
    """Scores (trials,) of runs on both inputs; learned from the views if the release defines no score."""
    first, second = (scores_of(release, cell, root_seed, side, attempt) for side in (0, 1))
    return learned_scores(first, second) if first.ndim > 1 else (first, second)


def scores_of(release: Release, cell: Cell, root_seed: int, side: int, attempt: int) -> Array:
    """Scores (trials,) of runs on one input, or the views (trials, k) if scores are to be learned.

    The random streams depend only on the cell, input and attempt.
    """
    found = []
    for start in range(0, cell.trials, CHUNK):
        rng = generator(root_seed, "audit", cell.id, side, attempt, start // CHUNK)
        views = release.draw(rng, side, min(CHUNK, cell.trials - start))
        scores = release.scores(views)
        found.append(views if scores is None else scores)
    return np.concatenate(found)


def joint(one: Bounds, other: Bounds) -> Bounds:
    """Bounds proven by two calculations together: the tighter upper bound, and the lower bound that both support."""
    high = min(one[1], other[1])
    return min(one[0], other[0], high), high


def agree(one: Truth, other: Truth) -> bool:
    """Whether two calculations agree within tolerance."""
    if one.proven != other.proven:
        return False
    epsilons = all(
        math.isclose(a, b, rel_tol=EPSILONS_AGREE) for a, b in zip(one.epsilons, other.epsilons, strict=True)
    )
    relative, absolute = DELTAS_AGREE
    return epsilons and all(
        math.isclose(a, b, rel_tol=relative, abs_tol=absolute) for a, b in zip(one.deltas, other.deltas, strict=True)
    )


def status(proven: bool, epsilons: Bounds) -> str:
    """What is known about the upper bound: tight if some pair reaches it and it is not 0."""
    if not proven:
        return SEARCHED
    return TIGHT if epsilons[1] > 0.0 and math.isclose(*epsilons, rel_tol=EPSILONS_AGREE) else PROVEN


def _truth(truth: Truth) -> dict[str, Any]:
    return {"epsilons": _finite(truth.epsilons), "deltas": list(truth.deltas), "method": truth.method}


def _finite(bounds: Bounds) -> list[float | None]:
    """Bounds as JSON holds them: None where infinite."""
    return [end if math.isfinite(end) else None for end in bounds]
