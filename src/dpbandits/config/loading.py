"""Reads YAML into validated, frozen values. A fault is one line with the file, key, value and what is allowed."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dpbandits.config import own_code
from dpbandits.config.allocations import Allocated, Numbers, allocation_faults, read_allocation, with_seeds
from dpbandits.config.audit_figures import audit_figures
from dpbandits.config.models.claims import AnyClaim, Audit, Rules, Theorem
from dpbandits.config.models.comparisons import Measurement
from dpbandits.config.models.experiments import PILOT, Experiment
from dpbandits.config.models.fields import Constants
from dpbandits.config.models.figures import AnyFigure, OfExperiment, Table
from dpbandits.config.models.files import Assumption, Budget, PaperFile, ProjectFile
from dpbandits.config.paper_files import chosen_keys, every_key, known_keys
from dpbandits.config.parsed import read_yaml
from dpbandits.config.plain_yaml import ConfigError
from dpbandits.config.regular_files import read_yaml_file
from dpbandits.config.sections import names_of
from dpbandits.config.theorems import THEOREMS
from dpbandits.config.validation import located, validate
from dpbandits.config.values import (
    Fault,
    audits_with_numbers,
    claims_with_numbers,
    experiments_with_numbers,
    figures_with_numbers,
    measurements_with_numbers,
)
from dpbandits.config.wording import got, not_known

SCALES = ("smoke", "quick", "full")
"""The scales at which claims are judged."""


@dataclass(frozen=True, eq=False)
class Paper:
    """One paper: its reference, assumptions, and the sections of its experiments, figures and claims by name."""

    key: str
    file: str
    title: str
    authors: tuple[str, ...]
    reference: str
    assumptions: tuple[Assumption, ...]
    constants: Constants
    calibrations: Mapping[str, Constants]
    experiments: Mapping[str, Experiment]
    figures: Mapping[str, AnyFigure]
    tables: Mapping[str, Table]
    measurements: Mapping[str, Measurement]
    claims: Mapping[str, AnyClaim]
    rules: Rules
    theorems: Mapping[str, Theorem]
    audits: Mapping[str, Audit]
    cpu_budget: Budget | None
    allocated: Allocated = field(default_factory=dict)
    """Allocated numbers of seeds, by scale, experiment and calibration; None if the allocation lacks one."""
    left_out: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Names of the sections left out because of a fault, by kind (`experiments`, ...)."""
    own: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """The user's own code by name, for `algorithms` and `environments`."""

    def known(self, kind: str) -> list[str]:
        """Valid names of sections of a kind, including left-out sections."""
        own = names_of(self.claims) if kind == "claims" else getattr(self, kind)
        return [*own, *self.left_out.get(kind, ())]

    def played(self, scale: str) -> list[str]:
        """The experiments that are run at a scale; at the pilot, only those with a pilot size."""
        return [name for name, section in self.experiments.items() if section.size.at(scale).number]

    @property
    def pictures(self) -> dict[str, tuple[str, str]]:
        """Figure and calibration of every picture, by file name without suffix."""
        return {
            f"{name}-{calibration}": (name, calibration)
            for name, figure in self.figures.items()
            for calibration in figure.calibrations
        }

    def shown_by(self, figures: Iterable[str]) -> list[str]:
        """The distinct experiments whose summaries some figures show."""
        every = (self.figures[name] for name in figures)
        return list(dict.fromkeys(each.experiment for each in every if isinstance(each, OfExperiment)))


@dataclass(frozen=True, eq=False)
class Project:
    """A folder with a configuration, at one scale. `root_seed` is the seed of the scale; the pilot has its own."""

    root: Path
    scale: str
    root_seed: int
    seconds_per_job: float
    papers: Mapping[str, Paper]

    @property
    def overview(self) -> bool:
        """Whether a run draws the picture of all verdicts.

        At the scale `full` the picture is kept in `figures/`, where a run of some papers would overwrite the picture of
        all.
        """
        return self.scale != "full" or set(self.papers) >= set(known_keys(self.root))


def load_paper(root: Path, key: str, valid: bool = False, allocated: bool = True) -> Paper:
    """Read and validate `config/papers/<key>.yaml` by its schema only; `faults.check` checks references.

    Parameters
    ----------
    valid : whether the file is known to have no fault; own code and grid values are then not rechecked.
    allocated : whether the allocation must have all numbers of seeds that the file requires.
    """
    name = f"config/papers/{key}.yaml"
    record = read_yaml(root, name, valid)
    file = validate(record, PaperFile, name, root / name)  # always checked, because names become file names
    if wrong := own_code.declare(root, file, valid):
        raise ConfigError(*located(name, root / name, wrong))
    paper, found = paper_of(key, file, valid, numbers=read_allocation(root, key, strict=allocated))
    if found:
        raise ConfigError(*located(name, root / name, found))
    # Always checked, because a pilot accepts the file without an allocation.
    if allocated and (unallocated := allocation_faults(root, key, paper.experiments, paper.allocated)):
        raise ConfigError(*unallocated)
    return paper


def paper_of(
    key: str,
    paper: PaperFile,
    valid: bool = False,
    left_out: Mapping[str, tuple[str, ...]] | None = None,
    numbers: Numbers | None = None,
) -> tuple[Paper, list[Fault]]:
    """Convert a validated file to a paper; also return the faults of grid values that are not numbers.

    Parameters
    ----------
    valid : whether the file is known to have no fault.
    left_out : as in `Paper`.
    numbers : the allocation, by scale, experiment and calibration.
    """
    sized, allocated = with_seeds(paper.experiments, numbers or {})
    experiments, found = experiments_with_numbers(sized, valid)
    audits, in_audits = audits_with_numbers(paper.audits or {}, valid)
    figures, in_figures = figures_with_numbers(paper.figures or {}, experiments, valid)
    measurements, measured = measurements_with_numbers(paper.measurements or {}, experiments, valid)
    claims, claimed = claims_with_numbers(paper.claims or {}, experiments, valid)
    read = Paper(
        key=key,
        file=f"config/papers/{key}.yaml",
        title=paper.title,
        authors=paper.authors,
        reference=paper.reference,
        assumptions=paper.assumptions or (),
        constants=paper.constants or {},
        calibrations=dict((paper.calibrations or {}).items()),
        experiments=experiments,
        figures=with_audits(figures, claims, audits),
        tables=paper.tables or {},
        measurements=measurements,
        claims=claims,
        rules=Rules(paper.gates or (), {name: float(each.horizon) for name, each in experiments.items()}),
        theorems={**THEOREMS, **(paper.theorems or {})},
        audits=audits,
        cpu_budget=paper.cpu_budget,
        allocated=allocated,
        left_out=left_out or {},
        own={kind: dict(getattr(paper, kind) or {}) for kind in own_code.KINDS},
    )
    return read, [*found, *in_figures, *measured, *claimed, *in_audits]


def with_audits(
    own: Mapping[str, AnyFigure], claims: Mapping[str, AnyClaim], audits: Mapping[str, Audit]
) -> dict[str, AnyFigure]:
    """The figures of a paper, with the default audit figures that it does not describe itself."""
    audited = {calibration for section in audits.values() for calibration in section.calibrations}
    return {**own, **{name: each for name, each in audit_figures(audited, claims).items() if name not in own}}


def project_file(
    root: Path, overrides: Mapping[str, Any] | None = None, only: str | None = None
) -> tuple[dict[str, Any], Sequence[str]]:
    """The validated record of `config/config.yaml`, and the papers to read; arguments as for `load_project`."""
    name = "config/config.yaml"
    record = read_yaml_file(root / name, name)
    others = dict(overrides or {})
    asked = others.pop("papers", None)
    if isinstance(record, dict):
        record = {**record, **others}
    validate(record, ProjectFile, name, root / name, others)
    if record["pilot_seed"] == record["root_seed"]:
        says = f"{got(record['pilot_seed'], 'must differ from `root_seed`')}. Use another number."
        raise ConfigError(*located(name, root / name, [(("pilot_seed",), says)], others))
    if only is not None and only not in (keys := {*known_keys(root), *(record.get("papers") or ())}):
        raise ConfigError(f"paper: {not_known('paper', only, sorted(keys))}")
    if only is not None:
        wanted = [only]
    else:
        wanted = chosen_keys(root, asked) if asked is not None else record.get("papers") or every_key(root)
    return record, wanted


def load_project(
    root: Path,
    overrides: Mapping[str, Any] | None = None,
    only: str | None = None,
    valid: Collection[str] = (),
) -> Project:
    """Read and validate the configuration below `root`; `overrides` replaces keys of `config/config.yaml`.

    Without `papers`, there and in `overrides`, every file in `config/papers` is a paper, in alphabetical order. With
    `only`, only that paper is read, which saves a job time. The papers in `valid` are known to fit their schema. At the
    scale pilot, which produces the allocation, no paper needs one.

    Raises
    ------
    ConfigError
        A file is missing or has a fault, or no paper has the key given by `only`.
    """
    record, wanted = project_file(root, overrides, only)
    pilot = record["scale"] == PILOT
    papers = {key: load_paper(root, key, key in valid, allocated=not pilot) for key in wanted}
    if clashing := list(own_code.clashes({key: paper.own for key, paper in papers.items()})):
        every = ((papers[key].file, fault) for key, fault in clashing)
        raise ConfigError(*(said for file, fault in every for said in located(file, root / file, [fault])))
    return Project(
        root=root,
        scale=record["scale"],
        root_seed=record["pilot_seed" if pilot else "root_seed"],
        seconds_per_job=float(record["seconds_per_job"]),
        papers=papers,
    )
