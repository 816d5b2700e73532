"""A small project and small curves: what the unit tests of configuration, stages and command share."""

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any

import yaml

from dpbandits.experiments.config import ConfigError, Project, load_project
from dpbandits.experiments.curves import Curve
from dpbandits.experiments.grid import assumptions, check, curves

ROOT = Path(__file__).resolve().parents[2]
KEY = "one2020"
FILE = f"config/papers/{KEY}.yaml"
DELETE = object()
CONFIG = {"scale": "smoke", "papers": [KEY], "root_seed": 7}
SIZE = {"seeds": 4, "chunk": 2}
ASSUMED = {"value": 1.5, "source": "assumed", "note": "The paper does not say."}
CLAIM = {
    "where": "Figure 1",
    "says": "Something.",
    "kind": "statistical",
    "severity": "detail",
    "strength": "stated",
    "experiment": "study",
    "calibrations": ["printed"],
    "combine": "all",
}
CENTRAL, LOCAL, PLAIN = "phased_elimination_central", "phased_elimination_local", "phased_elimination"
PAPER: dict[str, Any] = {
    "title": "A paper",
    "authors": ["A. Author"],
    "reference": "nowhere",
    "assumptions": [{"item": "reward law", "value": "signs", "source": "assumed", "note": "Not said."}],
    "experiments": {
        "study": {
            "title": "A study",
            "environment": {"family": "linear", "arms": 4, "dimension": 2},
            "horizon": 1000,
            "checkpoints_per_decade": 1,
            "grid": {"eps": [0.5, 1, 10]},
            "size": {"smoke": SIZE, "quick": {"seeds": 8, "chunk": 2}, "full": {"seeds": 20, "chunk": 10}},
            "curves": [
                {"algorithm": PLAIN, "calibrations": ["printed"], "parameters": {"width": 1}, "milliseconds": 1},
                {
                    "algorithm": CENTRAL,
                    "calibrations": ["printed", "certified"],
                    "parameters": {"width": 1, "core_factor": ASSUMED},
                    "milliseconds": 1,
                    "replicates": 2,
                },
                {"algorithm": LOCAL, "calibrations": ["printed"], "parameters": {"width": 1}, "milliseconds": 1},
            ],
        }
    },
    "figures": {
        "regret": {
            "shows": "Figure 1",
            "experiment": "study",
            "drawing": "regret_against_budget",
            "curves": [CENTRAL, PLAIN],
            "calibrations": ["printed", "certified"],
            "x": "eps",
            "caption": "Regret.",
            "claims": ["C1"],
        }
    },
    "claims": {
        "C1": {
            **CLAIM,
            "tests": [
                {
                    "reading": "close",
                    "predicate": "ratio_between",
                    "curves": [CENTRAL],
                    "against": PLAIN,
                    "at": {"eps": [10]},
                    "bounds": [None, 2],
                },
                {"reading": "in order", "predicate": "ordered", "curves": [CENTRAL, LOCAL], "at": {"eps": [0.5, 1]}},
                {
                    "reading": "excess",
                    "predicate": "excess_ratio_between",
                    "curves": [CENTRAL],
                    "against": LOCAL,
                    "baseline": PLAIN,
                    "at": {"eps": [1]},
                    "bounds": [0, 1],
                },
                {
                    "reading": "falls",
                    "predicate": "decreasing",
                    "curves": [LOCAL],
                    "at": {"eps": [0.5, 1, 10]},
                    "bounds": [None, 1],
                },
            ],
        }
    },
}


class _Dumper(yaml.CSafeDumper):
    """Writes every value out."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def changed(record: Any, path: str, value: Any) -> Any:
    """A copy of a record with one value put in its place or, for DELETE, taken away; `path` as `a.b.0.c`."""
    copy = deepcopy(record)
    parts = [int(part) if part.isdigit() else part for part in path.split(".")]
    target = copy
    for part in parts[:-1]:
        target = target[part]
    if value is DELETE:
        del target[parts[-1]]
    else:
        target[parts[-1]] = deepcopy(value)
    return copy


def write_project(root: Path, paper: Any = PAPER, config: Any = CONFIG, key: str = KEY) -> Path:
    """Write both files; text and bytes go in as they are."""
    for name, record in (("config/config.yaml", config), (f"config/papers/{key}.yaml", paper)):
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        text = record if isinstance(record, str | bytes) else yaml.dump(record, Dumper=_Dumper, allow_unicode=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return root


def load(root: Path) -> Project:
    """All that happens to the configuration before any work: load, check, and the curves of every scale."""
    project = load_project(root)
    check(project)
    for scale in ("smoke", "quick", "full"):
        for paper in project.papers.values():
            every = [c for name in paper.experiments for c in curves(replace(project, scale=scale), paper, name)]
            assert all(c.folder and c.noise_name and c.instance_name() for c in every)
            assert all(c.stream_name(setting) for c in every for setting in c.settings())
            assert len(assumptions(paper)) >= len(paper.assumptions)
    return project


def attempt(root: Path) -> tuple[Project | None, str]:
    """The project, or the one line with which its configuration is refused."""
    try:
        return load(root), ""
    except ConfigError as error:
        line = str(error)
        assert line.startswith("config/")
        assert line.isprintable(), line
        assert len(line) < 600
        return None, line


def fault(root: Path) -> str:
    """The one line with which the configuration is refused, or nothing."""
    return attempt(root)[1]


def curve(algorithm: str = PLAIN, calibration: str = "printed", **changes: Any) -> Curve:
    """A curve of six seeds and a thousand rounds."""
    parameters = {PLAIN: {"width": 1.0}, CENTRAL: {"width": 1.0, "core_factor": 1.5}, LOCAL: {"width": 1.0}}
    points: tuple[Mapping[str, float], ...] = ({},) if algorithm == PLAIN else ({"eps": 1.0}, {"eps": 10.0})
    standard = Curve(
        paper=KEY,
        experiment="study",
        algorithm=algorithm,
        calibration=calibration,
        variant="",
        environment={"family": "linear", "arms": 4, "dimension": 2},
        horizon=1000,
        checkpoints_per_decade=1,
        parameters=parameters[algorithm],
        points=points,
        replicates=1,
        seeds=6,
        chunk=6,
        milliseconds=1.0,
    )
    return replace(standard, **changes)
