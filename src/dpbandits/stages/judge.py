"""Stage judge: evaluate a paper's claims and measurements on its tables and audits; write the records.

There is one record per claim, calibration and variant. A statistical claim is a set of predicates on a table. An
analytic or exact claim is a set of named pure functions in `claims/closed_forms/<paper>/`. A claim of kind `audit`
reads the records of the stage audit and may also use such functions. A measurement holds what a predicate compares,
estimates and intervals, without an allowed range.
"""

import inspect
import math
from collections.abc import Collection, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from dpbandits.base.storage import read_json, write_record
from dpbandits.claims import audits as of_audits
from dpbandits.claims.comparisons import Sample, ends
from dpbandits.claims.families import shown_by, with_pilot
from dpbandits.claims.gates import LONGER, left_of
from dpbandits.claims.judgements import FAILS, LEVEL, Finding
from dpbandits.claims.pools import Family, Pools, Shown
from dpbandits.claims.predicates import comparisons
from dpbandits.claims.refutations import refutation
from dpbandits.claims.samples import Runs
from dpbandits.claims.statistical import judge_claim, seeds_of
from dpbandits.claims.verdicts import judge_findings, measured
from dpbandits.config.curves import Curve, seconds_per_seed
from dpbandits.config.models.claims import (
    Analytic,
    AnyClaim,
    AuditClaim,
    AuditTest,
    ClosedForm,
    Rules,
    Statistical,
)
from dpbandits.config.models.comparisons import Measurement
from dpbandits.config.sections import Coincides, cases, cases_of, common_seeds, curves_at, judged_outputs
from dpbandits.numerics.tails import Tails, no_tails
from dpbandits.stages.quarantine import demand_whole
from dpbandits.stages.runs import name_of, named, stored_runs


def judge(
    paper: str,
    scale: str,
    claims: Mapping[str, AnyClaim],
    measurements: Mapping[str, Measurement],
    rules: Rules,
    figures: Mapping[str, Collection[str]],
    curves: Mapping[str, Sequence[Curve]],
    coincides: Coincides,
    tables: Mapping[str, Path],
    audits: Path,
    out: Path,
    pilot: Sequence[Mapping[str, Any]] = (),
) -> list[dict[str, Any]]:
    """Judge every claim of a paper and write the records.

    Parameters
    ----------
    claims, measurements, rules : of the paper's YAML.
    figures : figure -> its claims.
    curves : experiment -> its curves, which give the defaults and the cost of more seeds.
    coincides : algorithm -> calibration -> the calibration whose runs are used in its place.
    tables : experiment -> its table of runs.
    audits : the audit records of the paper.
    pilot : the pilot's record, as far as it describes the runs of the algorithms.

    Raises
    ------
    DamagedFile
        Records are not JSON, the numbers of a claim or measurement are out of range, or tables are damaged. Damaged
        tables are quarantined, so that the next run recomputes them.
    """
    demand_whole(tables.values())
    audited = read_json(audits)["records"]
    own = shown_by((stored_runs(table, {"regret"}, curves[name]), curves[name]) for name, table in tables.items())
    shown = with_pilot(own, pilot)
    of_runs: dict[str, Any] = {}
    for experiment, outputs in judged_outputs(claims, measurements, rules).items():
        of_runs |= judge_runs(
            paper, claims, measurements, rules, outputs, curves[experiment], coincides, tables[experiment], shown
        )
    records = []
    for claim, variant, calibration, section in cases(claims):
        name = name_of(paper, claim, variant, calibration)
        if isinstance(section, Statistical):
            found, table = of_runs[name], f"tables/{paper}/{tables[section.experiment].name}"
        else:
            with named(name):
                found = judge_closed_forms(paper, section, calibration, audited, coincides)
            table = evidence_of(paper, section.tests_of(calibration))
        figure = next((name for name, shown in figures.items() if claim in shown), "")
        about = {"id": f"{paper}/{claim}", "paper": paper, **parts_of(section, calibration)}
        case = {"calibration": calibration, "variant": variant, "scale": scale, "note": section.note or ""}
        ours = {"by_our_threshold": fails_by_ours(section, found)}
        records.append(about | case | {"evidence": {"table": table, "figure": figure}} | found | ours)
    values = [
        of_runs[name_of(paper, name, calibration)]
        for name, section in measurements.items()
        for calibration in section.calibrations
    ]
    write_record(out, {"paper": paper, "scale": scale, "records": records, "measurements": values})
    return records


def parts_of(claim: AnyClaim, calibration: str) -> dict[str, Any]:
    """The fields of the claim that its record repeats."""
    repeated = ("where", "statement", "source", "threshold_from", "threshold_reason", "could_fail", "kind", "severity")
    own = {key: getattr(claim, key) for key in repeated}
    return own | {"class": claim.class_, "subject": claim.subject_at(calibration)}


def fails_by_ours(claim: AnyClaim, found: Mapping[str, Any]) -> bool:
    """Whether a claim fails by our threshold: either that of its tests, or our tolerance for equality of curves."""
    if found["verdict"] != FAILS:
        return False
    decisive = next(each for each in found["details"] if each["label"] == found["decisive"])
    return claim.threshold_from == "ours" or decisive.get("tied", False)


def judge_runs(
    paper: str,
    claims: Mapping[str, AnyClaim],
    measurements: Mapping[str, Measurement],
    rules: Rules,
    outputs: Collection[str],
    curves: Sequence[Curve],
    coincides: Coincides,
    table: Path,
    shown: Mapping[Family, Shown],
) -> dict[str, Any]:
    """Verdict parts of the claims and values of the measurements on these outputs of an experiment, by name.

    `shown` summarizes the runs of each algorithm in all experiments of the paper and in its pilot.
    Only the rows in use are read. They are freed after all claims are judged.
    """
    experiment = curves[0].experiment
    runs = stored_runs(table, outputs, curves)
    pools = Pools(runs, curves, shown)
    found: dict[str, Any] = {}
    for claim, variant, calibration, section in cases_of(claims, experiment):
        name = name_of(paper, claim, variant, calibration)
        seeds = common_seeds(section.tests_of(calibration), calibration, curves, coincides)
        sample = Runs(runs, curves, calibration, coincides, pools, seeds)
        with named(name):
            found[name] = judge_claim(section, calibration, rules, sample, sample.tail)
        at = curves_at(section.tests_of(calibration), calibration, curves, coincides)
        found[name]["needs"] = costed(found[name]["needs"], curves, at)
    for measurement, each in measurements.items():
        for calibration in each.calibrations if each.experiment == experiment else ():
            name = name_of(paper, measurement, calibration)
            seeds = common_seeds(each.tests_of(calibration), calibration, curves, coincides)
            sample = Runs(runs, curves, calibration, coincides, pools, seeds)
            with named(name):
                values = measure(each, calibration, rules, sample, sample.tail)
            found[name] = {"name": measurement, "says": each.says, "calibration": calibration} | values
    return found


def evidence_of(paper: str, tests: Sequence[ClosedForm | AuditTest]) -> str:
    """The distinct functions and audits that the tests read, as text."""
    named = (
        f"dpbandits.claims.closed_forms.{paper}.functions.{test.function}"
        if isinstance(test, ClosedForm)
        else f"audit {paper}/{test.audit}"
        for test in tests
    )
    return ", ".join(dict.fromkeys(named))


def judge_closed_forms(
    paper: str,
    claim: Analytic | AuditClaim,
    calibration: str,
    audited: Sequence[Mapping[str, Any]],
    coincides: Coincides,
) -> dict[str, Any]:
    """The verdict part of the record of an analytic, exact or audit claim."""
    findings = []
    for test in claim.tests_of(calibration):
        if isinstance(test, AuditTest):
            found = of_audits.findings(test, audited, calibration, coincides)
            if not found:
                raise ValueError(f"the audit {test.audit} has no cell that the test is about")
            findings += found
            continue
        module = import_module(f"dpbandits.claims.closed_forms.{paper}.functions")
        function = getattr(module, test.function)
        known = {"calibration": calibration} if "calibration" in inspect.signature(function).parameters else {}
        for label, value in function(**test.arguments, **known):
            least, most = value if isinstance(value, tuple) else (value, value)
            findings.append(Finding(test.reading, label, least, most, *ends(test.bounds)))
    judged = judge_findings(findings, claim.combine)
    if isinstance(claim, AuditClaim):
        fails = judged["verdict"] == FAILS
        judged["refutation"] = refutation(claim, audited, calibration, coincides) if fails else None
    return judged


def measure(
    measurement: Measurement, calibration: str, rules: Rules, sample: Sample, tails: Tails = no_tails
) -> dict[str, Any]:
    """The values of one measurement under one calibration."""
    tests, gates = measurement.tests_of(calibration), rules.gates_of(measurement)
    left = left_of(tests, gates, sample)
    found = [measured(comparisons(test, sample), tails) for test in left.used]
    return {
        "n": seeds_of(tests, sample),
        "level": LEVEL,
        "details": [row for each in found for row in each["details"]],
        "unplayed": list(left.unplayed),
        "unresolved": list(left.unresolved),
    }


def costed(needs: Mapping[str, Any], curves: Sequence[Curve], at: Sequence[Curve]) -> dict[str, Any]:
    """`needs` with its cost in CPU seconds: of the missing seeds, rounded up to whole chunks, or of longer runs.

    A number of seeds applies to a calibration of an experiment. More seeds for one claim mean more seeds for every
    curve in `at` that has fewer. A horizon applies to the experiment, and therefore to all `curves`.
    """
    if needs["what"] in ("seeds", "runs"):
        chunk = curves[0].chunk
        seeds = chunk * math.ceil(needs["seeds"] / chunk)
        missing = math.fsum(max(0, seeds - curve.seeds) * seconds_per_seed([curve]) for curve in at)
        return {**needs, "seeds": seeds, "cost": round(missing, 1)}
    played = math.fsum(curve.seeds * seconds_per_seed([curve]) for curve in curves)
    return {**needs, "cost": round(LONGER * played, 1) if needs["what"] == "horizon" else None}
