"""A small project and small curves: what the unit tests of configuration, stages and command share."""

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import yaml

from dpbandits.config.curves import Curve
from dpbandits.config.faults.check import load_and_check
from dpbandits.config.grid import assumptions, curves, every_curve
from dpbandits.config.loading import Project
from dpbandits.config.plain_yaml import ConfigError
from dpbandits.planning.bundles import aggregations, chunks_of, simulations

ROOT = Path(__file__).resolve().parents[2]
KEY = "one2020"
FILE = f"config/papers/{KEY}.yaml"
DELETE = object()
CONFIG = {"scale": "smoke", "papers": [KEY], "root_seed": 7, "pilot_seed": 99, "seconds_per_job": 20}
SIZE = {"seeds": 4, "chunk": 2}
ASSUMED = {"value": 1.5, "source": "assumed", "note": "The paper does not say."}
CLAIM = {
    "where": "Figure 1",
    "statement": "Something.",
    "kind": "statistical",
    "severity": "detail",
    "source": "stated",
    "class": "order",
    "threshold_from": "ours",
    "threshold_reason": "We chose it.",
    "subject": "paper",
    "could_fail": "The contrary.",
    "experiment": "study",
    "calibrations": ["printed"],
    "combine": "all",
}
CENTRAL, LOCAL, PLAIN = "phased_elimination_central", "phased_elimination_local", "phased_elimination"
SHUFFLED, WIDE = "phased_elimination_shuffled", f"{CENTRAL}:wide"
READING = {"width": 1.0, "extra_batches": 0.0, "tolerance": 0.001, "whole_maximum": 0.0, "reward_sd": 0.0}
GIVEN = {**READING, "whole_maximum": False, "reward_sd": None}
"""As the configuration has them."""
CONSTANTS = {PLAIN: READING, LOCAL: READING, CENTRAL: {**READING, "core_factor": 1.5}}
"""What `constants` of the sample comes to, by algorithm."""
SLOPE = {"reading": "slope", "predicate": "slope_between", "along": "T", "at": {"arms": [4], "T": [100, 1000]}}
PAPER: dict[str, Any] = {
    "title": "A paper",
    "authors": ["A. Author"],
    "reference": "nowhere",
    "cpu_budget": {"smoke": 100, "quick": 200, "full": 300.5},
    "gates": [{"column": "misses", "over": "regret", "at_most": 0.5, "note": "Few misses."}],
    "assumptions": [{"item": "reward distribution", "value": "signs", "source": "assumed", "note": "Not said."}],
    "constants": {**GIVEN, "core_factor": ASSUMED},
    "calibrations": {"tuned": {"width": {**ASSUMED, "value": 0.5}}},
    "experiments": {
        "study": {
            "title": "A study",
            "environment": {"family": "linear", "arms": 4, "dimension": 2},
            "horizon": 1000,
            "checkpoints_per_decade": 1,
            "grid": {"eps": [0.5, 1, 10]},
            "size": {"smoke": SIZE, "quick": {"seeds": 8, "chunk": 2}, "full": {"seeds": 20, "chunk": 10}},
            "curves": [
                {"algorithm": PLAIN, "calibrations": ["printed"], "milliseconds": 1},
                {
                    "algorithm": CENTRAL,
                    "calibrations": ["printed", "certified"],
                    "parameters": {"core_factor": {**ASSUMED, "value": 2.5}},
                    "milliseconds": 1,
                    "replicates": 2,
                },
                {"algorithm": LOCAL, "calibrations": ["printed"], "milliseconds": 1},
            ],
        },
        "scaling": {
            "title": "Horizons",
            "environment": {"family": "linear", "arms": 4, "dimension": 2},
            "horizon": 1000,
            "checkpoints_per_decade": 1,
            "grid": [{"T": [100, 1000], "eps": [1]}, {"eps": [1, 2], "arms": [8]}, {"eps": [1], "core_factor": [3]}],
            "size": dict.fromkeys(("smoke", "quick", "full"), SIZE),
            "curves": [
                {"algorithm": PLAIN, "calibrations": ["printed", "tuned"], "milliseconds": 2},
                {"algorithm": CENTRAL, "calibrations": ["printed", "tuned", "certified"], "milliseconds": 3},
                {
                    "algorithm": CENTRAL,
                    "variant": "wide",
                    "calibrations": ["printed"],
                    "parameters": {"width": 2},
                    "milliseconds": 3,
                },
            ],
        },
    },
    "figures": {
        "regret": {
            "shows": "Figure 1",
            "experiment": "study",
            "drawing": "regret_against_budget",
            "curves": [CENTRAL, PLAIN],
            "calibrations": ["printed", "certified"],
            "caption": "Regret.",
            "claims": ["C1"],
        },
        "growth": {
            "shows": "Figure 2",
            "experiment": "scaling",
            "drawing": "regret_growth",
            "curves": [WIDE, PLAIN],
            "at": {"arms": [4]},
            "panels": "eps",
            "calibrations": ["printed"],
            "caption": "Growth.",
            "claims": [],
        },
        "slopes": {
            "shows": "Table 1",
            "drawing": "estimates",
            "measurement": "slope",
            "calibrations": ["tuned"],
            "caption": "Exponents.",
            "claims": ["C2"],
        },
    },
    "measurements": {
        "slope": {
            "says": "Exponent of T.",
            "experiment": "scaling",
            "calibrations": ["printed", "tuned"],
            "tests": [{**SLOPE, "at": {**SLOPE["at"], "eps": [1]}, "curves": [PLAIN, CENTRAL]}],
        }
    },
    "tables": {
        "table1": {
            "shows": "Table 1",
            "caption": "Bounds.",
            "columns": ["algorithm", "bound"],
            "rows": [["another", "T"], ["central", "root of T"]],
            "measured": [
                {"column": "exponent", "measurement": "slope", "calibration": "tuned", "curves": [None, CENTRAL]}
            ],
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
        },
        "C2": {
            **CLAIM,
            "experiment": "scaling",
            "calibrations": ["printed", "tuned"],
            "tests": [
                {
                    "reading": "never beyond the bound",
                    "predicate": "never",
                    "curves": [CENTRAL],
                    "column": "over_bound",
                    "above": 0,
                    "rate": 0.001,
                    "at": {"eps": [1]},
                }
            ],
            "variants": {
                "grows": {
                    "note": "Another reading.",
                    "subject": "variant_of_ours",
                    "calibrations": ["printed"],
                    "tests": [
                        {
                            **SLOPE,
                            "at": {**SLOPE["at"], "eps": [1]},
                            "curves": [WIDE],
                            "baseline": PLAIN,
                            "bounds": [0, 1],
                            "tolerated": [0, 2],
                        },
                        {
                            "reading": "flat",
                            "predicate": "flat",
                            "curves": [CENTRAL],
                            "over": "T",
                            "at": [{"T": [100], "eps": [1]}, {"T": [1000], "eps": [1]}],
                            "bounds": [0.5, 2],
                        },
                    ],
                }
            },
        },
    },
}

ARMS = """
title: Arms
authors: [One]
reference: none
assumptions: []
constants: {exploration: 2, privacy_bonus: 3}
experiments:
  study:
    title: A study
    environment: {family: bernoulli_spread, arms: 5, best: 0.75, gap: 0.125, spread: 0}
    horizon: 1000
    checkpoints_per_decade: null
    grid: {eps: [1], gap: [0.1, 0.2]}
    size: {smoke: {seeds: 2, chunk: 2}, quick: {seeds: 2, chunk: 2}, full: {seeds: 2, chunk: 2}}
    curves: [{algorithm: anytime_lazy_ucb, calibrations: [printed], milliseconds: 1}]
figures: {growth: {shows: x, drawing: regret_growth, experiment: study, curves: [anytime_lazy_ucb], panels: eps,
                   along: gap, calibrations: [printed], caption: x, claims: []}}
claims: {C1: {where: x, statement: x, kind: statistical, severity: detail, source: stated, class: order,
              threshold_from: ours, threshold_reason: x, subject: paper, could_fail: x, experiment: study,
              calibrations: [printed], combine: all,
              tests: [{reading: x, predicate: decreasing, curves: [anytime_lazy_ucb], at: {eps: [1], gap: [0.1, 0.2]},
                       bounds: [null, 1]}]}}
"""
"""A paper whose environment refuses some arguments, as text."""


LINE = re.compile(r"(?<=\.yaml):[0-9]+")
"""The number of a line, after the name of the file."""

BARE: dict[str, Any] = {
    **{name: PAPER[name] for name in ("title", "authors", "reference")},
    "experiments": {
        "study": {
            "title": "A study",
            "environment": {"family": "linear", "arms": 4, "dimension": 2},
            "horizon": 1000,
            "checkpoints_per_decade": 1,
            "grid": {"T": [100, 1000]},
            "size": {"smoke": SIZE, "quick": SIZE, "full": SIZE},
            "curves": [{"algorithm": PLAIN, "calibrations": ["printed"], "milliseconds": 1, "parameters": GIVEN}],
        }
    },
}
"""A paper that has no more than it must have."""


class _Dumper(yaml.CSafeDumper):
    """Writes every value out."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def text_of(record: Any) -> str:
    """A record as YAML."""
    return yaml.dump(record, Dumper=_Dumper, allow_unicode=True, sort_keys=False)


def changed(record: Any, path: str, value: Any) -> Any:
    """A copy of a record with one value put in its place or, for DELETE, taken away; `path` as `a.b.0.c`."""
    head, _, rest = path.partition(".")
    key = int(head) if head.isdigit() else head
    copy = record.copy()
    if rest:
        copy[key] = changed(record[key], rest, value)
    elif value is DELETE:
        del copy[key]
    else:
        copy[key] = value
    return copy


def write_project(root: Path, paper: Any = PAPER, config: Any = CONFIG, key: str = KEY) -> Path:
    """Write both files; text and bytes go in as they are."""
    for name, record in (("config/config.yaml", config), (f"config/papers/{key}.yaml", paper)):
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        text = record if isinstance(record, str | bytes) else text_of(record)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return root


def load(root: Path) -> Project:
    """All that happens to the configuration before any work: load, check, and the curves of every scale."""
    project = load_and_check(root)
    for scale in ("smoke", "quick", "full"):
        for paper in project.papers.values():
            every = [c for name in paper.experiments for c in curves(replace(project, scale=scale), paper, name)]
            assert all(c.folder and c.noise_name and (c.bound or c.seconds_per_chunk > 0) for c in every)
            assert all(len(list(c.settings())) == len(c.points) > 0 for c in every)
            assert all(c.stream_name(point) and c.instance_name(point) for c in every for point in c.points)
            assert len(assumptions(paper)) >= len(paper.assumptions)
            assert sum(map(len, simulations(project, paper))) == len(chunks_of(every_curve(project, paper)))
            assert [name for job in aggregations(project, paper) for name in job] == list(paper.experiments)
    return project


def attempt(root: Path) -> tuple[Project | None, str]:
    """The project, or the first of the lines with which its configuration is refused, without the number of its line.

    A fault that has such a number is in the file at that line, or in the mapping that begins there.
    """
    try:
        return load(root), ""
    except ConfigError as error:
        for line in error.faults:
            assert line.startswith("config/")
            assert line.isprintable(), line
            assert len(line) < 600
        return None, LINE.sub("", error.faults[0])


def fault(root: Path) -> str:
    """The one line with which the configuration is refused, or nothing."""
    return attempt(root)[1]


def faults_of(root: Path) -> list[str]:
    """All lines with which the configuration is refused, without the numbers of their lines."""
    try:
        load(root)
    except ConfigError as error:
        return [LINE.sub("", line) for line in error.faults]
    return []


def said(root: Path, wanted: str) -> bool:
    """Whether the configuration is refused with this line among others; one that ends in three points goes on."""
    short = wanted.removesuffix("...")
    return any(line.startswith(short) if short != wanted else line == wanted for line in faults_of(root))


def curve(algorithm: str = PLAIN, calibration: str = "printed", **changes: Any) -> Curve:
    """A curve of six seeds and a thousand rounds."""
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
        parameters=CONSTANTS[algorithm],
        points=points,
        replicates=1,
        seeds=6,
        chunk=6,
        milliseconds=1.0,
    )
    return replace(standard, **changes)
