"""Equal results for other numbers of cores, folders, Python versions and processors, and as recorded.

`smoke_record.py` explains what is recorded, and how to record it again; `smoke_distribution.py` what holds on other
platforms.
"""

import copy as copying
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from tests import patience
from tests.shipped import ROOT

from . import smoke_distribution
from .project import VERDICTS, Copy, bundled, copy
from .smoke_record import FILE, check, made

PYTHONS = ("3.13", "3.12", "3.14", "3.11")


@pytest.mark.slow
@pytest.mark.parametrize("cores", [1, 8])
def test_equal_digests_for_other_cores_and_another_folder(finished, tmp_path, cores):
    """The original used two cores. For eight, simulations are split into eight jobs, so that many run at once."""
    elsewhere = copy(tmp_path / "a folder with blanks", source=False)
    if cores > 2:
        bundled(elsewhere, 0.02)
    elsewhere.snakemake(VERDICTS, cores=cores)
    assert cores == 1 or len(list((elsewhere.root / "logs/simulate").rglob("*.log"))) > cores // 2
    assert elsewhere.digest() == finished.digest()


# Another Python, another target of the compiler


@dataclass(frozen=True)
class Other(Copy):
    """A copy for its own environment, whose kernels are compiled for a generic processor."""

    binaries: Path

    def environment(self) -> dict[str, str]:
        given = super().environment()
        path = f"{self.binaries}{os.pathsep}{given['PATH']}"
        return {**given, "PATH": path, "NUMBA_CPU_NAME": "generic", "NUMBA_CACHE_DIR": str(self.root / "kernels")}


def pythons() -> Iterator[str]:
    """Python interpreters of other versions that can make environments."""
    folders = (*os.get_exec_path(), *map(str, Path.home().glob(".pyenv/versions/*/bin")))
    asked = "import sys, ensurepip, venv; print('{}.{}'.format(*sys.version_info))"
    for version in PYTHONS:
        for found in filter(None, (shutil.which(f"python{version}", path=folder) for folder in folders)):
            done = subprocess.run([found, "-c", asked], capture_output=True, text=True, check=False)
            if done.stdout.strip() == version != "{}.{}".format(*sys.version_info):
                yield found


@pytest.mark.slow
def test_equal_digests_for_another_python_and_a_generic_processor(finished, tmp_path, say):
    """Together: another Python, kernels recompiled for a generic processor, eight cores, another folder."""
    python = next(pythons(), None)
    if python is None:
        pytest.skip(f"no other Python of {', '.join(PYTHONS)} with venv in PATH or ~/.pyenv")
    apart = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    command = ["make", f"PYTHON={python}", f"VENV={tmp_path / 'venv'}", "setup"]
    done = patience.run(command, cwd=ROOT, env=apart)
    assert done.returncode == 0, done.stdout + done.stderr
    other = Other(copy(tmp_path / "copy", source=True).root, source=True, binaries=tmp_path / "venv/bin")
    asked = "import sys, numba; print(sys.prefix, numba.config.CPU_NAME)"
    assert other.call("python", "-c", asked).split() == [str(tmp_path / "venv"), "generic"]
    other.snakemake(VERDICTS, cores=8)
    assert list(other.root.glob("kernels/*/*/*.nbc")), "compiled kernels"
    assert other.digest() == finished.digest()
    say(f"{python} and a generic processor: the same digest as {sys.executable}")


# As recorded


@pytest.fixture(scope="module")
def recorded():
    return json.loads(FILE.read_text(encoding="utf-8"))


def test_the_smoke_scale_is_as_recorded(ended, recorded, say):
    check(of_papers(recorded, ended.project().papers), made(ended.root / "results/smoke"), say)


def of_papers(record, papers):
    """Part of the record about some papers."""
    kept = {
        part: {name: entry for name, entry in entries.items() if name.partition("/")[0] in papers}
        for part, entries in record.items()
        if part != "platform"
    }
    return {**record, **kept}


# Tests of the check itself


@pytest.fixture
def elsewhere(recorded):
    """The same results on another platform, where every digest differs."""
    found = copying.deepcopy(recorded)
    found["platform"]["machine"] = "another"
    found["digests"] = dict.fromkeys(found["digests"], "another")
    return found


def turn(found, share, rng, more=0.5, only=""):
    """Give a share of all runs another regret, which is larger with the given probability."""
    for table, curves in found["regret"].items():
        for curve, values in curves.items():
            if table.startswith(only) and curve.split()[0] not in smoke_distribution.FORMULAS:
                signs = np.where(rng.random(len(values)) < more, 1, -1) * (rng.random(len(values)) < share)
                curves[curve] = (np.array(values) * (1 + 0.1 * signs) + 0.1 * signs).tolist()


def test_other_bits_at_home_fail_and_are_named(recorded):
    found = copying.deepcopy(recorded)
    found["digests"]["hu2021/stress"] = found["digests"]["han2021/verdicts"] = "another"
    with pytest.raises(AssertionError, match=r"han2021/verdicts, hu2021/stress: .*; if meant, .* --write"):
        check(recorded, found, print)
    check(recorded, copying.deepcopy(recorded), print)


def test_other_tables_or_rows_fail_anywhere(recorded, elsewhere):
    elsewhere["rows"]["hu2021/stress"] = "of other settings"
    del elsewhere["digests"]["hu2021/short"]
    with pytest.raises(AssertionError, match=r"^hu2021/short, hu2021/stress: of another configuration; .* --write"):
        check(recorded, elsewhere, print)


def test_few_turned_runs_of_either_sign_are_let_pass_and_shown(recorded, elsewhere):
    turn(elsewhere, 0.02, np.random.default_rng(0))
    said = []
    check(recorded, elsewhere, said.append)
    assert len(said) == 1
    assert "'machine': 'another'" in said[0]
    assert "hu2021/stress" in said[0]


def test_few_turned_runs_of_one_sign_are_not(recorded, elsewhere):
    turn(elsewhere, 0.02, np.random.default_rng(0), more=1.0)
    with pytest.raises(AssertionError, match=r"hu2021: (\d+) of \1 runs have more regret"):
        check(recorded, elsewhere, print)


def test_another_table_is_found_whichever_it_is(recorded, elsewhere):
    """Even in the smallest table, if all its runs differ."""
    for table in recorded["regret"]:
        turn(elsewhere, 1.0, np.random.default_rng(0), only=table)
        faults = smoke_distribution.faults(recorded["regret"], elsewhere["regret"])
        assert [fault for fault in faults if fault.startswith(f"{table}: ")], table
        elsewhere["regret"][table] = recorded["regret"][table]


def test_the_first_number_of_other_runs_that_is_too_many(recorded, elsewhere):
    """A hundred runs of one table differ, the others do not: the limit is a p-value of 1e-3 over their number."""
    several = {"one/table": {"ucb1": [1.0] * 100}, **recorded["regret"]}
    tests = len(several)
    least = next(k for k in range(100) if stats.binom.sf(k - 1, 100, smoke_distribution.TURNED) * (tests + 1) <= 1e-3)
    for turned, fails in ((least - 1, False), (least, True)):
        values = [1.0 + 0.1 * (-1) ** i for i in range(turned)] + [1.0] * (100 - turned)
        found = {**several, "one/table": {"ucb1": values}}
        assert smoke_distribution.faults(several, found) == [f"one/table: {turned} of 100 runs differ"] * fails


def test_false_alarms_at_the_allowed_share_are_as_rare_as_said(recorded, elsewhere, monkeypatch):
    """100 platforms that change exactly that share of runs: at most ten, plus three standard errors, alarms at 0.1."""
    monkeypatch.setattr(smoke_distribution, "FALSE_ALARM", 0.1)
    rng, alarms = np.random.default_rng(0), 0
    for _ in range(100):
        found = copying.deepcopy(recorded["regret"])
        turn({"regret": found}, smoke_distribution.TURNED, rng)
        alarms += bool(smoke_distribution.faults(recorded["regret"], found))
    assert alarms <= 19


def test_a_formula_with_another_value_fails(recorded, elsewhere):
    name, curve, values = next(
        (name, curve, values)
        for name, curves in elsewhere["regret"].items()
        for curve, values in curves.items()
        if curve.startswith("regret_rate")
    )
    values[0] *= 1 + 1e-9
    check(recorded, elsewhere, print)
    values[0] *= 1 + 1e-5
    with pytest.raises(AssertionError, match=f"^{name}: the formula {curve} has other values"):
        check(recorded, elsewhere, print)


def test_another_verdict_of_a_closed_form_fails(recorded, elsewhere):
    name = next(iter(recorded["verdicts"]))
    elsewhere["verdicts"][name] = "another"
    with pytest.raises(AssertionError, match=f"^{name}: another"):
        check(recorded, elsewhere, print)
