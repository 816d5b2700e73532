"""Check all references in the configuration, which a schema cannot do.

Every fault is one line: the key, the value, what is allowed and what to do.
"""

import functools
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from dpbandits.config import own_code
from dpbandits.config.entries import TABLE
from dpbandits.config.faults.audits import audit_faults, audit_test_faults
from dpbandits.config.faults.comparisons import (
    class_faults,
    grid_values,
    known_curves,
    own_faults,
    silent_faults,
    test_faults,
)
from dpbandits.config.faults.environments import (
    calibration_faults,
    environment_faults,
    family_faults,
    instance_faults,
    large_instances,
)
from dpbandits.config.faults.experiments import (
    curve_faults,
    grid_faults,
    horizon_faults,
    missing_grid_faults,
    unread_faults,
    value_faults,
)
from dpbandits.config.faults.figures import figure_faults, table_faults
from dpbandits.config.faults.functions import closed_form_faults, closed_forms
from dpbandits.config.faults.left_out import left_out_faults
from dpbandits.config.faults.rest import Rest, path_and_sentence
from dpbandits.config.faults.sizes import chunk_faults, seed_faults, size_faults
from dpbandits.config.loading import Paper, Project, load_paper, load_project, project_file
from dpbandits.config.models.claims import AuditTest, Statistical
from dpbandits.config.models.comparisons import Measurement
from dpbandits.config.models.experiments import PILOT, Entry, Experiment
from dpbandits.config.models.figures import Audited, OfExperiment
from dpbandits.config.plain_yaml import ConfigError
from dpbandits.config.regular_files import read_yaml_file
from dpbandits.config.validation import located
from dpbandits.config.values import Fault
from dpbandits.config.wording import got, unknown


def load_and_check(
    root: Path,
    overrides: Mapping[str, Any] | None = None,
    only: str | None = None,
    known: Collection[str] = (),
    instances: bool = True,
) -> Project:
    """Read and check the project; arguments as for `load_project` and `check`.

    Raises
    ------
    ConfigError
        Lists all faults of `config/config.yaml` or, if it has none, all faults of the papers.
    """
    try:
        project = load_project(root, overrides, only, known)
        check(project, instances, known)
    except ConfigError as error:
        record, wanted = project_file(root, overrides, only)
        of_allocation = () if record["scale"] == PILOT else wanted
        found = []
        for key in wanted:
            own = [] if key in known else every_fault(root, key, instances)
            found += own or (_allocation_faults(root, key) if key in of_allocation else [])
        raise ConfigError(*(found or error.faults)) from None
    return project


def _allocation_faults(root: Path, key: str) -> list[str]:
    """Faults of the allocation of a paper whose file has no faults."""
    try:
        load_paper(root, key)
    except ConfigError as error:
        return list(error.faults)
    return []


def every_fault(root: Path, key: str, instances: bool = True) -> list[str]:
    """All faults of a paper, in the order of the file.

    Parts with one kind of fault are removed before the next kind is checked, so that a wrong key does not hide an
    unknown name elsewhere. Faults that may follow from a removed part are not reported.
    """
    name = f"config/papers/{key}.yaml"
    try:
        rest = Rest(root, read_yaml_file(root / name, name))
    except ConfigError as error:
        return list(error.faults)
    found: dict[Fault, None] = {}
    paper, wrong = rest.read(key)
    while wrong:
        found |= dict.fromkeys(rest.own(wrong))
        in_code = any(path[0] in own_code.KINDS for path, _ in wrong if path)
        if in_code or not rest.leave_out(wrong):  # the arguments of own code are unknown while it has a fault
            return located(name, root / name, found)
        paper, wrong = rest.read(key)
    if paper is not None:
        found |= dict.fromkeys(_values_and_names(rest, key, paper, instances))
    return located(name, root / name, [fault for fault in found if not _taken_over(fault, found)])


def _taken_over(fault: Fault, found: Collection[Fault]) -> bool:
    """Whether a variant of a claim has a fault only because it inherits a part of the claim."""
    path, says = fault
    return path[2:3] == ("variants",) and ((*path[:2], *path[4:]), says) in found


def _values_and_names(rest: Rest, key: str, paper: Paper, instances: bool) -> list[Fault]:
    """Faults of invalid values and, with these replaced, of unknown names."""
    values = rest.own(map(path_and_sentence, value_faults(paper)))
    environments = rest.own(map(path_and_sentence, environment_faults(paper)))
    rest.leave_out(values)
    read, _ = rest.read(key)
    wrong = {str(path[1]) for path, _ in environments}
    names = name_faults(read, instances, wrong) if read else ()
    inside = map(path_and_sentence, left_out_faults(read or paper, rest.written, rest.names))
    return [*values, *environments, *rest.own(map(path_and_sentence, names)), *inside]


def check(project: Project, instances: bool = True, known: Collection[str] = ()) -> None:
    """Check the rules that the models cannot express.

    Parameters
    ----------
    known : papers that are known to have no fault.
    instances : whether to draw an instance of each environment, whose kernels take a second to load.

    Raises
    ------
    ConfigError
        Names are unknown, entries collide, or numbers break a rule across keys. Lists all such faults.
    """
    found = []
    for paper in (paper for key, paper in project.papers.items() if key not in known):
        each = dict.fromkeys(map(path_and_sentence, faults(paper, instances)))
        found += located(paper.file, project.root / paper.file, each)
    if found:
        raise ConfigError(*found)


def faults(paper: Paper, instances: bool = True) -> Iterator[str]:
    """Every fault of a paper as `key: sentence`, in the order of the file.

    Sizes that are too large come first, then invalid values, then unknown names. A fault of the first two kinds ends
    the check, because no curve can be built from such a file. References to an experiment or audit with a fault are not
    checked, because their faults would follow from it.
    """
    large = list(size_faults(paper))
    yield from large
    if large:
        return
    wrong = [*value_faults(paper), *environment_faults(paper)]
    yield from wrong
    if not wrong:
        yield from name_faults(paper, instances)


def name_faults(paper: Paper, instances: bool, wrong: Iterable[str] = ()) -> Iterator[str]:
    """Faults of unknown names in a paper with valid values; the environments of `wrong` are not checked."""
    yield from _gate_faults(paper)
    wrong_experiments, wrong_audits = set(wrong), set()
    for name, experiment in paper.experiments.items():
        allocated = [scale for scale, each in paper.allocated.items() if name in each]
        yield from _size_faults(f"experiments.{name}", experiment, allocated)
        if name in wrong_experiments:
            yield from curve_faults(paper, f"experiments.{name}", experiment)
            continue
        for fault in _curve_faults(paper, f"experiments.{name}", experiment, instances):
            wrong_experiments.add(name)
            yield fault
    for name, audit in paper.audits.items():
        for fault in audit_faults(paper, f"audits.{name}", audit):
            wrong_audits.add(name)
            yield fault
    if not (wrong_experiments or wrong_audits):
        yield from unread_faults(paper)
    yield from _reference_faults(paper, wrong_experiments, wrong_audits)


def _reference_faults(paper: Paper, wrong_experiments: Collection[str], wrong_audits: Collection[str]) -> Iterator[str]:
    """Faults of references to experiments and audits; references to wrong ones are not checked."""
    for name, figure in paper.figures.items():
        follows = isinstance(figure, OfExperiment) and figure.experiment in wrong_experiments
        audited = isinstance(figure, Audited) and (wrong_audits or paper.left_out.get("audits"))
        if not (follows or audited):
            yield from figure_faults(paper, f"figures.{name}", figure)
    of_grid = functools.cache(lambda name: grid_values(paper, paper.experiments[name], known_curves(paper, name)))
    for name, section in paper.measurements.items():
        yield from _compared_faults(paper, f"measurements.{name}", section, of_grid, wrong_experiments)
        yield from silent_faults(f"measurements.{name}", section)
        yield from _gated_faults(paper, f"measurements.{name}", section)
    for name, table in paper.tables.items():
        yield from table_faults(paper, f"tables.{name}", table)
    for name, claim in paper.claims.items():
        for variant, merged in claim.cases():
            key = f"claims.{name}" + (f".variants.{variant}" if variant else "")
            if isinstance(merged, Statistical):
                yield from _compared_faults(paper, key, merged, of_grid, wrong_experiments)
            else:
                yield from closed_form_faults(key, merged, closed_forms(paper.key))
                if not any(isinstance(test, AuditTest) and test.audit in wrong_audits for test in merged.tests):
                    yield from audit_test_faults(paper, key, merged)
            yield from silent_faults(key, merged)
            if isinstance(merged, Statistical):
                yield from _gated_faults(paper, key, merged)
                yield from _regime_faults(paper, key, merged)
                yield from class_faults(key, merged)


def _compared_faults(
    paper: Paper,
    key: str,
    section: Statistical | Measurement,
    of_grid: Callable[[str], dict[str, list[float | int]]],
    wrong: Collection[str],
) -> Iterator[str]:
    """Faults of tests; if the experiment is wrong, only those that do not depend on it."""
    if section.experiment in wrong:
        yield from own_faults(key, section)
    else:
        yield from test_faults(paper, key, section, of_grid)


def _size_faults(key: str, section: Experiment, allocated: Sequence[str]) -> Iterator[str]:
    """Faults of an experiment that do not affect its curves; `allocated` are the scales with allocated seeds."""
    yield from seed_faults(key, section.size, allocated)
    for scale, size in (("quick", section.size.quick), ("full", section.size.full)):
        yield from unknown(f"{key}.size.{scale}.revised", size.revised or {}, section.calibrations)
    yield from unknown(f"{key}.traced", section.traced or [], _outputs(section.entries))
    yield from calibration_faults(f"{key}.environments", section)


def _curve_faults(paper: Paper, key: str, section: Experiment, instances: bool) -> Iterator[str]:
    """Faults that affect the curves or their points."""
    found = list(family_faults(key, section))
    known = not found and all(entry.algorithm in TABLE for entry in section.entries)
    found += curve_faults(paper, key, section)
    if known:
        wrong = list(grid_faults(key, section))
        misnamed = any(": unknown grid value" in fault for fault in wrong)  # may be the missing one, misspelled
        found += [*wrong, *(() if misnamed else missing_grid_faults(key, section)), *horizon_faults(key, section)]
    found = found or list(large_instances(paper, key, section))
    found = found or list(chunk_faults(paper, key, section))
    yield from found or (instance_faults(paper, key, section) if instances else ())


def _outputs(entries: Iterable[Entry]) -> dict[str, None]:
    """The distinct outputs of some curves."""
    return dict.fromkeys(name for e in entries if e.algorithm in TABLE for name in TABLE[e.algorithm].outputs)


def _gate_faults(paper: Paper) -> Iterator[str]:
    """Faults of gates on columns that no curve has."""
    outputs = _outputs(entry for section in paper.experiments.values() for entry in section.entries)
    for index, gate in enumerate(paper.rules.gates):
        for role, name in zip(("column", "over"), gate.columns, strict=False):
            yield from unknown(f"gates[{index}].{role}", [name], outputs)


def _regime_faults(paper: Paper, key: str, section: Statistical) -> Iterator[str]:
    """Fault of a regime that begins before every horizon of the tests."""
    late = paper.rules.late_of(section)
    horizons = [late.horizon_of(setting) for test in section.tests for setting in test.settings] if late else []
    if section.regime and horizons and section.regime.since <= min(horizons):
        since = f"{key}.regime.since: {got(section.regime.since)}"
        yield f"{since}; no horizon of the tests is shorter than {min(horizons):g}. Delete `regime`."


def _gated_faults(paper: Paper, key: str, section: Statistical | Measurement) -> Iterator[str]:
    if section.gated is not None and not paper.rules.gates:
        yield f"{key}.gated: {got(section.gated)}; the paper has no `gates`. Delete this key."
