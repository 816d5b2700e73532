"""Numbers of seeds derived from a pilot: `config/allocations/<paper>.yaml`, written by `dpbandits allocate`.

The file has a number for each calibration of an experiment that says `seeds: allocated` at a scale.
"""

import math
from collections.abc import Iterator, Mapping
from pathlib import Path

from dpbandits.config.models.experiments import FEWEST, Experiment
from dpbandits.config.models.files import AllocationFile
from dpbandits.config.parsed import read_yaml
from dpbandits.config.plain_yaml import ConfigError
from dpbandits.config.validation import located, validate
from dpbandits.config.values import Fault
from dpbandits.config.wording import got, not_known, with_remedy

FOLDER = "config/allocations"
MOST_CHUNKS = 10_000  # of a curve; each is a file and its checksum
Numbers = Mapping[str, Mapping[str, Mapping[str, int]]]
"""Numbers of seeds by scale, experiment and calibration."""
Allocated = Mapping[str, Mapping[str, Mapping[str, int | None]]]


def file_of(key: str) -> str:
    """Path of a paper's allocation."""
    return f"{FOLDER}/{key}.yaml"


def pilot_of(key: str) -> str:
    """Path of a paper's committed pilot."""
    return f"config/pilots/{key}.json"


def read_allocation(root: Path, key: str, strict: bool = True) -> Numbers:
    """The allocation of a paper; empty if there is none.

    Parameters
    ----------
    strict : whether a file with a fault raises ConfigError. Otherwise such a file is ignored.
    """
    name = file_of(key)
    if not (root / name).is_file():
        return {}
    try:
        return validate(read_yaml(root, name), AllocationFile, name, root / name).seeds
    except ConfigError as error:
        if strict:
            raise ConfigError(*(with_remedy(each, remedy_of(key)) for each in error.faults)) from None
        return {}


def remedy_of(key: str) -> str:
    """The remedy for a fault in an allocation, which is not edited by hand."""
    return f"Run `dpbandits allocate {key}`."


def with_seeds(experiments: Mapping[str, Experiment], numbers: Numbers) -> tuple[dict[str, Experiment], Allocated]:
    """Experiments with the allocated numbers of seeds, and these numbers by scale, experiment and calibration.

    A calibration with a missing or invalid number in the allocation gets the smallest size.
    """
    found: dict[str, dict[str, dict[str, int | None]]] = {}
    sized = dict(experiments)
    for name, section in experiments.items():
        changes = {}
        for scale in section.size.allocated:
            size, own = section.size.at(scale), numbers.get(scale, {}).get(name, {})
            given = {each: fitting(own.get(each), size.chunk) for each in section.calibrations}
            found.setdefault(scale, {})[name] = given
            smallest = size.chunk * math.ceil(FEWEST / size.chunk)
            seeds = {each: number or smallest for each, number in given.items()}
            changes[scale] = size.model_copy(update={"seeds": seeds})
        if changes:
            sized[name] = section.model_copy(update={"size": section.size.model_copy(update=changes)})
    return sized, found


def fitting(seeds: int | None, chunk: int) -> int | None:
    """The number of seeds if it is allowed; else None."""
    return seeds if seeds is not None and not (not_whole(seeds, chunk) or too_many(seeds, chunk)) else None


def allocation_faults(root: Path, key: str, experiments: Mapping[str, Experiment], allocated: Allocated) -> list[str]:
    """Missing and superfluous entries in the allocation of a paper."""
    name, remedy = file_of(key), remedy_of(key)
    wanted = [(scale, experiment) for scale, each in allocated.items() for experiment in each]
    if wanted and not (root / name).is_file():
        place = "experiments.{1}.size.{0}.seeds".format(*wanted[0])
        return [f"{name}: does not exist, but `{place}` of the paper is `allocated`. {remedy}"]
    numbers = read_allocation(root, key)
    if numbers and not wanted:
        return [f"{name}: no size of the paper has `seeds: allocated`. Delete this file."]
    found: list[Fault] = []
    for scale, experiment in wanted:
        if experiment not in numbers[scale]:
            found.append(((scale, experiment), "required key is missing"))
    for scale, sizes in numbers.items():
        for experiment, seeds in sizes.items():
            if experiment not in experiments:
                found.append(((scale, experiment), not_known("experiment", experiment, experiments)))
            elif (scale, experiment) not in wanted:
                place = f"experiments.{experiment}.size.{scale}.seeds"
                found.append(((scale, experiment), f"`{place}` of the paper is a number"))
            else:
                faults = _calibration_faults(experiments[experiment], scale, seeds)
                found += [((scale, experiment, calibration), says) for calibration, says in faults]
    return located(name, root / name, [(path, with_remedy(says, remedy)) for path, says in found])


def _calibration_faults(section: Experiment, scale: str, seeds: Mapping[str, int]) -> Iterator[tuple[str, str]]:
    """Faults in the numbers of an experiment at a scale, each with its calibration."""
    chunk = section.size.at(scale).chunk
    for calibration in section.calibrations:
        if calibration not in seeds:
            yield calibration, "required key is missing"
    for calibration, number in seeds.items():
        if calibration not in section.calibrations:
            yield calibration, not_known("calibration of the experiment", calibration, section.calibrations)
        elif wrong := not_whole(number, chunk) or too_many(number, chunk):
            yield calibration, wrong


def not_whole(seeds: int, chunk: int, fewest: int = FEWEST) -> str:
    """Fault if a number of seeds does not fill its last chunk; else empty. It proposes at least `fewest` seeds."""
    if seeds % chunk:
        below = seeds // chunk * chunk
        use = f"{below} or {below + chunk}" if below >= fewest else f"{below + chunk}"
        return f"{got(seeds, f'must be a multiple of `chunk` ({chunk})')}. Use {use}."
    return ""


def too_many(seeds: int, chunk: int) -> str:
    """Fault if a number of seeds has too many chunks; else empty."""
    if seeds // chunk > MOST_CHUNKS:
        said = f"must be at most {MOST_CHUNKS * chunk} ({MOST_CHUNKS} times `chunk`)"
        return f"{got(seeds, said)}. Use fewer seeds or a larger `chunk`."
    return ""
