"""Stage judge: the tables of a paper in, one record per claim and calibration out.

A statistical claim is a set of predicates on a table; an analytic or exact one is a named pure function of
`claims/analytic/<paper>.py`.
"""

import math
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from dpbandits.claims.predicates import PREDICATES, Sample, bounds
from dpbandits.claims.verdicts import Finding, judge_findings
from dpbandits.claims.verdicts import judge as verdict_of
from dpbandits.experiments.curves import Curve
from dpbandits.storage import DamagedFile, read_table, write_json
from dpbandits.streams import generator

Table = Mapping[str, np.ndarray]


def judge(
    paper: str,
    scale: str,
    root_seed: int,
    claims: Mapping[str, Mapping[str, Any]],
    figures: Mapping[str, Mapping[str, Any]],
    curves: Mapping[str, Sequence[Curve]],
    coincides: Mapping[str, Mapping[str, str]],
    tables: Mapping[str, Path],
    out: Path,
) -> list[dict[str, Any]]:
    """Judge every claim of a paper and write the records.

    Parameters
    ----------
    claims, figures : their sections of the paper's YAML.
    curves : the curves of every experiment: what more seeds would cost.
    coincides : algorithm -> calibration -> the calibration whose runs stand for it.
    tables : table of runs of every experiment.
    """
    runs = {experiment: read_table(path)[0] for experiment, path in tables.items()}
    records = []
    for claim, section in claims.items():
        for calibration in section["calibrations"]:
            experiment = section.get("experiment", "")
            if section["kind"] == "statistical":
                rng = generator(root_seed, "resample", f"{paper}/{claim}/{calibration}")
                try:
                    found = judge_claim(section, calibration, runs[experiment], coincides, rng)
                except ValueError as error:
                    raise DamagedFile(f"{paper}/{claim}, {calibration}: cannot be judged: {error}") from error
                cost(found["needs"], curves[experiment], found["n"])
                table = f"tables/{paper}/{tables[experiment].name}"
            else:
                functions = import_module(f"dpbandits.claims.analytic.{paper}")
                numbers = getattr(functions, section["function"])(**section["arguments"])
                low, high = bounds(section)
                found = judge_findings([Finding(label, value, low, high) for label, value in numbers])
                table = f"{functions.__name__}.{section['function']}"
            records.append(
                {
                    "id": f"{paper}/{claim}",
                    "paper": paper,
                    "where": section["where"],
                    "says": section["says"],
                    "kind": section["kind"],
                    "severity": section["severity"],
                    "strength": section["strength"],
                    "calibration": calibration,
                    "variant": "",
                    "scale": scale,
                    "note": section.get("note", ""),
                    "evidence": {
                        "table": table,
                        "figure": next((name for name, each in figures.items() if claim in each["claims"]), ""),
                    },
                }
                | found
            )
    write_json(out, {"paper": paper, "scale": scale, "records": records})
    return records


def judge_claim(
    section: Mapping[str, Any],
    calibration: str,
    runs: Table,
    coincides: Mapping[str, Mapping[str, str]],
    rng: np.random.Generator,
) -> dict[str, Any]:
    """The verdict part of the record of one claim under one calibration; a pure function of the table."""
    sample = sampler(runs, calibration, coincides)
    comparisons = [c for test in section["tests"] for c in PREDICATES[test["predicate"]](test, sample)]
    return verdict_of(comparisons, rng, section["combine"])


def sampler(runs: Table, calibration: str, coincides: Mapping[str, Mapping[str, str]]) -> Sample:
    """Access to final regret by algorithm and setting, at a calibration, ordered by seed."""

    def sample(algorithm: str, setting: Mapping[str, float]) -> np.ndarray:
        rows = (runs["algorithm"] == algorithm) & (runs["variant"] == "")
        rows &= runs["calibration"] == coincides[algorithm][calibration]
        for name, value in setting.items():
            rows &= (runs[name] == value) | np.isnan(runs[name])
        order = np.argsort(runs["seed"][rows])
        return np.asarray(runs["regret"][rows][order], dtype=float)

    return sample


def cost(needs: dict[str, Any], curves: Sequence[Curve], n: int) -> None:
    """Add to `needs` the CPU seconds of the missing seeds, rounded up to whole chunks.

    The number of seeds belongs to the experiment: more of them for one claim are more for every curve.
    """
    needs["cost"] = None
    if needs["what"] != "seeds":
        return
    chunk = curves[0].chunk
    needs["seeds"] = chunk * math.ceil(needs["seeds"] / chunk)
    runs = sum(len(curve.points) * curve.replicates * curve.milliseconds for curve in curves)
    needs["cost"] = round((needs["seeds"] - n) * runs / 1000.0, 1)
