"""Build the command that reproduces the deciding number of a verdict, from the label of its comparison."""

import re
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

from dpbandits.base.entries import Choice, Domain, Switch
from dpbandits.base.references import parts
from dpbandits.config.entries import ALGORITHMS
from dpbandits.config.loading import Paper
from dpbandits.config.values import domains_of
from dpbandits.text.text import interval, readable

CURVE = re.compile(r"[a-z][a-z0-9_]*(?::[a-z0-9_]+)?(?:@[a-z]+)?")
SLOPE_IN_T = re.compile(r"\bslope of .* in T\b")
SETTING = re.compile(
    r"\b(?P<name>[A-Za-z_]+) = (?P<first>[-\d.e+]*\d)(?: (?:\.\.|less that at) (?P<last>[-\d.e+]*\d))?"
)


def experiment_of(record: Mapping[str, Any]) -> str | None:
    """Experiment whose runs a verdict rests on, `hanna2022/figure2`; None for closed forms and audits."""
    if record["kind"] != "statistical" or not record["details"]:
        return None
    return f"{record['paper']}/{PurePosixPath(record['evidence']['table']).stem}"


def grid_of(paper: Paper, record: Mapping[str, Any]) -> dict[str, list[float]]:
    """Grid values that the experiment of a verdict plays at the scale of its record, by name."""
    experiment = (experiment_of(record) or "").partition("/")[2]
    if experiment not in paper.experiments:
        return {}
    settings = paper.experiments[experiment].settings_at(record["scale"])
    names = {name for setting in settings for name in setting}
    return {name: sorted({setting[name] for setting in settings if name in setting}) for name in names}


def command(record: Mapping[str, Any], grid: Mapping[str, Sequence[float]] | None = None) -> str:
    """Command such as `dpbandits run hanna2022/figure2 --algorithm .. --set eps=1 --calibration printed --seeds 400`.

    For an audit, the command shows its cells. It is empty for a closed form, which is evaluated when the claim is
    judged.

    Parameters
    ----------
    grid : values that the experiment plays, by name. Comparisons name them with six digits, and some slopes in T do not
        name their ends.
    """
    grid = grid or {}
    experiment = experiment_of(record)
    if experiment is None:
        audits = re.findall(r"audit ([\w/]+)", record["evidence"]["table"] or "") if record["kind"] == "audit" else []
        return f"dpbandits --scale {record['scale']} explain {audits[0]}" if audits else ""
    label = record["decisive"]
    curves = [name for name in CURVE.findall(label) if parts(name)[0] in ALGORITHMS]
    names = dict.fromkeys(name.partition("@")[0] for name in curves)
    calibrations = dict.fromkeys([record["calibration"], *(name.partition("@")[2] for name in curves if "@" in name)])
    algorithms = {parts(name)[0] for name in names}
    domains = domains_of(algorithms)
    values: dict[str, dict[str, None]] = {}
    for found in SETTING.finditer(label):
        name, ends = found["name"], filter(None, (found["first"], found["last"]))
        if name != "eps" or any(takes_budget(algorithm) for algorithm in algorithms):
            known = grid.get(name, ())
            values.setdefault(name, {}).update((written(whole(each, known), domains.get(name)), None) for each in ends)
    if SLOPE_IN_T.search(label) and "T" not in values and "T" in grid:
        values["T"] = dict.fromkeys(whole(f"{horizon:g}", [horizon]) for horizon in grid["T"])
    settings = "".join(f" --set {name}={','.join(each)}" for name, each in values.items())
    played = f"--algorithm {','.join(names)} --calibration {','.join(calibrations)} --seeds {record['n']}"
    return f"dpbandits run {experiment} {played}{settings}"


def whole(value: str, known: Sequence[float]) -> str:
    """A value with all digits of the known one that it abbreviates: `54597574` for `5.45976e+07`."""
    exact = next((each for each in known if f"{each:g}" == f"{float(value):g}"), float(value))
    if exact == float(value):
        return value
    return f"{exact:.0f}" if exact.is_integer() else repr(exact)


def arithmetic(record: Mapping[str, Any]) -> str:
    """How the number of a comparison follows from the mean regrets that the command prints."""
    label = record["decisive"] or ""
    if "slope of" in label:
        return "the slope is that of the logarithm of the mean against the logarithm of the setting"
    if "excess of" in label:
        return "an excess is a mean less that of the algorithm without privacy on the same instances"
    if " / " in label or " over " in label:
        return "the number is a ratio of these means"
    return "the number is a difference of these means" if " - " in label else "the number is read off the runs, --out"


def takes_budget(algorithm: str) -> bool:
    """Whether an algorithm has a privacy budget."""
    entry = ALGORITHMS[algorithm]
    return "eps" in (*entry.grid, *entry.parameters)


def written(value: str, domain: Domain | None) -> str:
    """Value of a comparison as written in the configuration, where a number may stand for a word, `true` or `null`."""
    number = float(value)
    if isinstance(domain, Choice):
        return next(word for word, each in domain.words.items() if each == number)
    if isinstance(domain, Switch):
        return "true" if number else "false"
    return "null" if domain is not None and domain.null == number else value


def expected(record: Mapping[str, Any]) -> str:
    """Expected output: `central / non-private at eps = 1: 1.08 [1.05, 1.11]`."""
    return f"{readable(record['decisive'])}: {interval(record)}" if record["details"] else ""
