"""Read the committed pilot of a paper and compute its seed allocation."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from dpbandits.base.storage import DamagedFile, read_json
from dpbandits.config.allocations import pilot_of
from dpbandits.config.curves import seconds_per_seed
from dpbandits.config.grid import curves, readers
from dpbandits.config.loading import Paper, Project
from dpbandits.config.models.experiments import FEWEST_OF_PILOT, PILOT
from dpbandits.config.models.pilots import PilotFile
from dpbandits.config.plain_yaml import ConfigError
from dpbandits.config.regular_files import OF_JSON, fault_of
from dpbandits.config.sections import cases_of, name_of_curve
from dpbandits.config.validation import located, validated
from dpbandits.config.values import Fault, Key
from dpbandits.config.wording import got, with_remedy
from dpbandits.planning.allocation import SIZES, Allocation, Forecast, Study, allocate

LEAST = {"quick": 2, "full": 12}
"""Smallest number of seeds of a calibration in an allocated experiment, by scale; our choice.

At the scale full, figures show these seeds, and the settings of an experiment together show how skewed its runs are. If
the pilot has fewer seeds, its number replaces the one for full, but never drops below what a verdict needs.
"""


def read_pilot(project: Project, key: str, file: Path | None = None) -> PilotFile:
    """Read the committed pilot of a paper, or the pilot in `file`.

    A pilot in `file` must have exactly the claims of the paper. The committed pilot may differ, because claims may have
    been added, removed or moved to another experiment since. The allocation ignores new claims and keeps the others, so
    that the numbers of seeds do not change.

    Parameters
    ----------
    project : at the scale pilot.

    Raises
    ------
    ConfigError
        The pilot is missing, damaged or inconsistent with the configuration.
    """
    pilot = pilot_in(project, key, file)
    if stale := list(_stale(project, project.papers[key], pilot, committed=file is None)):
        _, name = _place(project, key, file)
        raise ConfigError(*located(name, None, [(path, f"{says}. Run {_run(key)}") for path, says in stale]))
    return pilot


def pilot_in(project: Project, key: str, file: Path | None = None) -> PilotFile:
    """Read the committed pilot of a paper, or the pilot in `file`, without comparing it with the configuration.

    Raises
    ------
    ConfigError
        The pilot is missing or damaged.
    """
    (path, name), run = _place(project, key, file), _run(key)
    if not path.is_file():
        raise ConfigError(f"{name}: does not exist yet. Run {run}")
    restore = f"Delete it and run {run}" if file else f"Restore it with `git checkout {name}`, or run {run}"
    if fault := fault_of(path, OF_JSON):
        raise ConfigError(f"{name}: {fault}")
    try:
        record = read_json(path)
    except DamagedFile:
        raise ConfigError(f"{name}: cannot be read as JSON. {restore}") from None
    pilot, wrong = validated(record, PilotFile)
    if pilot is None or wrong:
        found = [(_by_claim(path, record), with_remedy(says, restore)) for path, says in wrong]
        raise ConfigError(*located(name, None, found))
    return pilot


def _place(project: Project, key: str, file: Path | None) -> tuple[Path, str]:
    """Path of the pilot (the committed one, or `file`) and its name in messages."""
    path = file or project.root / pilot_of(key)
    return path, str(path.relative_to(project.root)) if path.is_relative_to(project.root) else str(path)


def _run(key: str) -> str:
    """Commands that rerun a pilot and allocate seeds."""
    return f"`make pilot PAPER={key}` and `dpbandits allocate {key} --pilot results/{PILOT}`."


def _by_claim(path: Key, record: Any) -> Key:
    """Path of a fault, with the claim's name in place of its index where the record has a name."""
    if path[:1] != ("claims",) or len(path) < 2:
        return path
    row = record["claims"][path[1]]
    words = [row.get(name) for name in ("claim", "variant", "calibration")] if isinstance(row, Mapping) else []
    named = [word for word in words if word and isinstance(word, str)]
    return ("claims", *(named or path[1:2]), *path[2:])


def _stale(project: Project, paper: Paper, pilot: PilotFile, committed: bool) -> Iterator[Fault]:
    """First differences between a pilot and the configuration. Differences that follow from another one are omitted."""
    if pilot.paper != paper.key:
        yield ("paper",), got(pilot.paper, f"must be {paper.key}")
        return
    if pilot.root_seed != project.root_seed:
        must = f"must be `pilot_seed` of config/config.yaml ({project.root_seed})"
        yield ("root_seed",), got(pilot.root_seed, must)
    if pilot.sizes != SIZES:
        yield ("sizes",), "must be those of dpbandits.planning.allocation"
    seeds = {name: paper.experiments[name].size.at(PILOT).number for name in paper.played(PILOT)}
    for name in seeds:
        if name not in pilot.experiments:
            yield ("experiments", name), "required key is missing"
    for name, section in pilot.experiments.items():
        if name not in seeds:
            yield ("experiments", name), "not an experiment of the paper that has a pilot"
        elif section.seeds != seeds[name]:
            must = f"must be `experiments.{name}.size.full.pilot` of the paper ({seeds[name]})"
            yield ("experiments", name, "seeds"), got(section.seeds, must)
    yield from _stale_claims(paper, pilot, seeds, committed)


def _stale_claims(paper: Paper, pilot: PilotFile, played: Collection[str], committed: bool) -> Iterator[Fault]:
    """Differences between the claims of a pilot and those of the paper, for experiments that both have."""
    known = [name for name in played if name in pilot.experiments]
    left_out = {*played, *pilot.experiments} - {*known}
    wanted = _cases(paper, known)
    found = Counter((row.claim, row.variant, row.calibration) for row in pilot.claims)
    for case, experiment in wanted.items():
        if case not in found and not committed:
            yield _key(case), f"missing, but the paper tests it on experiment `{experiment}`"
    for case, count in found.items():
        if count > 1:
            yield _key(case), f"occurs {count} times"
    for row in pilot.claims:
        case = row.claim, row.variant, row.calibration
        if case not in wanted and row.experiment not in left_out and not committed:
            yield _key(case), f"the paper does not test it on experiment `{row.experiment}`"
        elif case in wanted and row.experiment != wanted[case] and not committed:
            yield (*_key(case), "experiment"), got(row.experiment, f"must be {wanted[case]}")
        if {len(row.chances.full), len(row.chances.quick)} != {len(SIZES)}:
            yield (*_key(case), "chances"), f"must have {len(SIZES)} entries at each scale"


def _cases(paper: Paper, experiments: Collection[str]) -> dict[tuple[str, str, str], str]:
    """Experiment of each (claim, variant, calibration) that the paper tests on these experiments."""
    return {case[:3]: name for name in experiments for case in cases_of(paper.claims, name)}


def newer_claims(paper: Paper, pilot: PilotFile) -> list[str]:
    """Claims that the paper tests on the pilot's experiments but the pilot lacks: `C30`, `C6 small_constant`."""
    found = {(row.claim, row.variant) for row in pilot.claims}
    newer = dict.fromkeys(case[:2] for case in _cases(paper, pilot.experiments) if case[:2] not in found)
    return [" ".join(filter(None, each)) for each in newer]


def _key(case: tuple[str, str, str]) -> Key:
    """Key of a claim within a pilot."""
    return ("claims", *filter(None, case))


def studies_of(project: Project, paper: Paper, scale: str) -> list[Study]:
    """Studies of all experiments of a paper at a scale, one per calibration; only allocated seeds may change.

    A curve that is shared by several calibrations is counted in each of them.
    """
    there = replace(project, scale=scale)
    found = []
    for name, section in paper.experiments.items():
        size = section.size.at(scale)
        fixed = None if name in paper.allocated.get(scale, {}) else size.number
        least = LEAST[scale]
        if scale == "full":
            least = max(FEWEST_OF_PILOT, min(least, section.size.at(PILOT).number or least))
        every, judged = curves(there, paper, name), readers(paper, name)
        for calibration in section.calibrations:
            own = [curve for curve in every if calibration in judged[name_of_curve(curve)]]
            found.append(Study(name, calibration, seconds_per_seed(own), size.chunk, least, fixed))
    return found


def forecasts_of(paper: Paper, pilot: PilotFile, scale: str) -> list[Forecast]:
    """Forecast verdict probabilities of all claims of a pilot at a scale."""
    return [
        Forecast(row.experiment, row.calibration, row.group, getattr(row.chances, scale))
        for row in pilot.claims
        if row.experiment in paper.experiments and row.calibration in paper.experiments[row.experiment].calibrations
    ]


def allocations(project: Project, paper: Paper, pilot: PilotFile) -> dict[str, Allocation]:
    """Allocation of a paper at each scale that has allocated seeds.

    Raises
    ------
    ConfigError
        The paper has no budget.
    """
    if paper.cpu_budget is None:
        said = "required key is missing. Add the CPU seconds of every scale; `dpbandits allocate` spends them."
        raise ConfigError(f"{paper.file}: cpu_budget: {said}")
    return {
        scale: allocate(
            studies_of(project, paper, scale), forecasts_of(paper, pilot, scale), paper.cpu_budget.at(scale)
        )
        for scale in LEAST
        if paper.allocated.get(scale)
    }


def written(paper: Paper, found: Mapping[str, Allocation]) -> str:
    """Text of a paper's allocation file, `config/allocations/<paper>.yaml`."""
    lines = [f"# Generated by `dpbandits allocate {paper.key}` from {pilot_of(paper.key)}. Do not edit."]
    for scale, allocation in found.items():
        lines.append(f"{scale}:")
        for name, calibrations in paper.allocated[scale].items():
            numbers = ", ".join(f"{each}: {allocation.seeds[name, each]}" for each in calibrations)
            lines.append(f"  {name}: {{{numbers}}}")
    return "\n".join(lines) + "\n"


def shown_in_pilot(project: Project, key: str) -> list[dict[str, Any]]:
    """What the committed pilot of a paper shows about its algorithms, in addition to the runs of a scale.

    Returns
    -------
    The rows `shown` of its record; empty without a pilot, or if its root seed is the project's.
    """
    if not (project.root / pilot_of(key)).is_file():
        return []
    pilot = pilot_in(project, key)
    return [] if pilot.root_seed == project.root_seed else [row.model_dump() for row in pilot.shown]
