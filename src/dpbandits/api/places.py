"""Where algorithms play: an experiment of a paper, or an environment given directly."""

import functools
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dpbandits.api.arguments import plain
from dpbandits.api.folders import Folder, needed_root, project_root
from dpbandits.base.own_code import Fault, forget, parts
from dpbandits.base.registry import ENVIRONMENTS, Kind
from dpbandits.config.curves import Curve, Environment, Setting, numbers, whole
from dpbandits.config.entries import ALGORITHMS, BOUNDS, TABLE
from dpbandits.config.faults.check import load_and_check
from dpbandits.config.faults.environments import cannot_play, own_environment_faults
from dpbandits.config.grid import curve_of, grid_names
from dpbandits.config.loading import SCALES, Paper, Project, project_file
from dpbandits.config.models.experiments import PILOT, CurveEntry, Experiment
from dpbandits.config.own_code import declare_again
from dpbandits.config.paper_files import known_keys
from dpbandits.config.plain_yaml import ConfigError
from dpbandits.config.wording import got, not_known
from dpbandits.planning.planning_cache import recall
from dpbandits.planning.single import listed_curve, own_calibration

CHECKPOINTS_PER_DECADE = 10  # for an environment given directly; our choice


@dataclass(frozen=True)
class Place:
    """An environment with the further settings of its experiment.

    Attributes
    ----------
    name : `paper/experiment`, or the family.
    environment : `family`, and the arguments of its `draw`.
    root : the project folder; None outside a project.
    root_seed : root seed of the random streams.
    origin : project, paper and experiment; None if the environment is given directly.
    """

    name: str
    environment: Environment
    root: Path | None
    root_seed: int
    origin: tuple[Project, Paper, str] | None = None

    def curve(self, algorithm: str, calibration: str, variant: str) -> Curve:
        """Curve of a registered algorithm on the grid of the experiment.

        Raises
        ------
        ConfigError
            The algorithm, the variant or the calibration does not exist, or the algorithm cannot play here.
        """
        if algorithm in BOUNDS:
            raise ConfigError(f"algorithm: `{algorithm}` is a bound and has no runs. Use an algorithm.")
        if algorithm not in ALGORITHMS:
            raise ConfigError(f"algorithm: {not_known('algorithm', algorithm, ALGORITHMS)}")
        try:
            own = own_calibration(algorithm, calibration)
        except Fault as fault:  # of an installed package
            raise ConfigError(str(fault)) from None
        if said := cannot_play(algorithm, self.family(own), ALGORITHMS):
            raise ConfigError(f"algorithm: {said}")
        if self.origin and algorithm in {entry.algorithm for entry in self._section().curves}:
            return listed_curve(*self.origin, algorithm, calibration, variant)
        if variant:
            none = f"{self.name} has no variants of `{algorithm}`. Leave it out."
            raise ConfigError(f"variant: {got(variant, none)}")
        if self.origin:
            entry = CurveEntry.model_construct(algorithm=algorithm, calibrations=(own,), milliseconds=1.0)
            return curve_of(*self.origin, entry, own)
        return self._curve(algorithm, own, ({},), noise_asks=TABLE[algorithm].noise_asks)

    def family(self, calibration: str) -> str:
        """Family of the environment. An experiment may replace it at a calibration."""
        around = self._section().environment_of(calibration) if self.origin else self.environment
        return str(around["family"])

    def _section(self) -> Experiment:
        assert self.origin is not None
        _, paper, experiment = self.origin
        return paper.experiments[experiment]

    def own_curve(self, name: str, calibration: str, takes: Collection[str]) -> Curve:
        """Curve of the user's own algorithm, with those grid values that the environment or the algorithm accepts."""
        if self.origin is None:
            return self._curve(name, calibration, ({},))
        project, paper, experiment = self.origin
        section = self._section()
        settings = section.settings_at(project.scale)
        known = (*numbers(self.environment), "T", *takes)
        names = [each for each in grid_names(settings) if each in known]
        every = [tuple((each, float(setting[each])) for each in names if each in setting) for setting in settings]
        return self._curve(
            name,
            calibration,
            tuple(dict(point) for point in dict.fromkeys(every)),
            paper=paper.key,
            experiment=experiment,
            environment=section.environment_of(calibration),
            horizon=section.horizon_at(project.scale),
            checkpoints_per_decade=section.checkpoints_per_decade or 0,
            checkpoints_even=section.checkpoints_even or 0,
        )

    def _curve(self, algorithm: str, calibration: str, points: tuple[Setting, ...], **changes: Any) -> Curve:
        standard: dict[str, Any] = {
            "paper": "",
            "experiment": "",
            "variant": "",
            "environment": self.environment,
            "horizon": 0,
            "checkpoints_per_decade": CHECKPOINTS_PER_DECADE,
            "parameters": {},
            "replicates": 1,
            "seeds": 1,
            "chunk": 1,
            "milliseconds": 1.0,
        }
        return Curve(algorithm=algorithm, calibration=calibration, points=points, **{**standard, **changes})


def find_place(environment: str | Mapping[str, Any], scale: str | None, project: Folder | None) -> Place:
    """Place for a name `paper/experiment` or a mapping.

    Raises
    ------
    ConfigError
        The project, paper, experiment, family or an argument does not exist, or is out of range.
    """
    if scale is not None and scale not in (*SCALES, PILOT):
        raise ConfigError(f"scale: {not_known('', scale, (*SCALES, PILOT))}")
    if isinstance(environment, Mapping):
        given = {name: _argument(value) for name, value in _with_family(environment).items()}
        if found := list(own_environment_faults("environment", given)):
            raise ConfigError(*found)
        root = project_root(project)
        root_seed = project_file(root, {} if scale is None else {"scale": scale})[0]["root_seed"] if root else 0
        return Place(str(given["family"]), given, root, root_seed)
    if not isinstance(environment, str):
        says = 'must be "paper/experiment" or a mapping such as {"family": "bernoulli_means", "means": [0.5, 0.6]}'
        raise ConfigError(f"environment: {got(environment, says)}")
    root = needed_root(project)
    key, _, experiment = environment.partition("/")
    if key not in (keys := known_keys(root)):
        raise ConfigError(f"environment: {not_known('paper', key, keys)}")
    found_project = _checked(root, scale, key, recall(root).state)
    paper = found_project.papers[key]
    declare_again(root, paper.own)
    if experiment not in paper.experiments:
        every = [f"{key}/{name}" for name in paper.experiments]
        raise ConfigError(f"environment: {not_known('experiment', environment, every)}")
    around = paper.experiments[experiment].environment_of("printed")
    return Place(environment, around, root, found_project.root_seed, (found_project, paper, experiment))


def _with_family(environment: Mapping[str, Any]) -> Mapping[str, Any]:
    """Environment with a usable family name; user code is registered under a name in this process.

    Raises
    ------
    ConfigError
        The code cannot be imported or is not an environment.
    """
    own = environment.get("family")
    if not (callable(own) or (isinstance(own, str) and (":" in own or own.endswith(".py")))):
        return environment
    file, _, function = parts(own) if isinstance(own, str) else ("", "", getattr(own, "__name__", ""))
    name = function or Path(file).stem
    learn("environment", ENVIRONMENTS, name, own)
    return {**environment, "family": name}


def learn(argument: str, kind: Kind, name: str, own: Any) -> None:
    """Register a name for the user's own code in this process, with the file's current content.

    Raises
    ------
    ConfigError
        The package already uses the name, or the code cannot be imported or is of another kind.
    """
    if name in kind.places():
        raise ConfigError(f"{argument}: {got(name, 'is a name of this package. Rename yours.')}")
    if isinstance(own, str):
        forget(own)
    kind.declare(name, own)
    try:
        kind.module(name)
    except Fault as fault:
        kind.withdraw(name)
        raise ConfigError(f"{fault.argument}: {fault.text}") from None


def _argument(value: Any) -> Any:
    """Value as read from YAML, so that it names the same random streams: 1 for 1.0, a tuple for a list."""
    if hasattr(value, "__iter__") and not isinstance(value, str):
        return tuple(_argument(each) for each in value)
    found = plain(value)
    return whole(found) if isinstance(found, float) and abs(found) < float("inf") else found


@functools.lru_cache(maxsize=16)
def _checked(root: Path, scale: str | None, key: str, state: str) -> Project:
    """Checked project with one paper; `state` changes when its files change."""
    return load_and_check(root, {} if scale is None else {"scale": scale}, key, recall(root).known)
