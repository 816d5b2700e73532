"""Recorded results of the smoke scale of all papers, and whether this machine reproduces them.

`tests/golden/smoke.json` holds a digest of the values of every table and of the verdicts of every paper, and the
platform on which these bits are guaranteed. `python -m tests.workflow.smoke_record --write` recomputes it.
"""

import ctypes
import json
import platform
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numba
import numpy as np
import scipy
from numpy._core import _multiarray_umath as built

from dpbandits.base.digests import json_digest
from dpbandits.base.parquet import columns_digest, read_table
from dpbandits.base.storage import read_json
from tests.shipped import COMMITTED, ROOT

from . import smoke_distribution
from .project import Copy, copy

FILE = ROOT / "tests/golden/smoke.json"
WRITE = "python -m tests.workflow.smoke_record --write"
LABELS = ("algorithm", "calibration", "variant")
DIGITS = 8  # of the recorded regret
CLOSED = ("analytic", "exact")  # kinds of claims whose verdicts depend on no run
Record = dict[str, Any]


def matrix_kernels() -> str:
    """Processor type for which NumPy's BLAS chooses its kernels; empty if it has no such types."""
    for path in sorted(Path(np.__file__).parents[1].glob("numpy.libs/*openblas*")):
        name = getattr(ctypes.CDLL(str(path)), "scipy_openblas_get_corename64_", None)
        if name is not None:
            name.restype = ctypes.c_char_p
            return name().decode()
    return ""


def platform_of() -> dict[str, str]:
    """Properties on which the last bits of tables and verdicts may depend.

    Tables depend on NumPy's instruction sets, with several implementations of exp, and on libc, whose own also depend
    on the processor. Verdicts also depend on matrix products. The Python version and numba's target were found not to
    matter.
    """
    return {
        "machine": platform.machine(),
        "libc": "-".join(platform.libc_ver()),
        "matrix_kernels": matrix_kernels(),
        "instructions": " ".join(name for name in built.__cpu_dispatch__ if built.__cpu_features__[name]),
        "numpy": np.__version__,
        "numba": numba.__version__,
        "scipy": scipy.__version__,
    }


def values_digest(columns: Mapping[str, np.ndarray]) -> str:
    """Digest of the values of a table; words are treated as text in any container type."""
    words = {name: values.astype(str) for name, values in columns.items() if values.dtype == object}
    return columns_digest({**columns, **words})


def tables(results: Path) -> Iterator[tuple[str, dict[str, np.ndarray]]]:
    """Columns of each table of a scale, by `<paper>/<experiment>[.summary]`."""
    for path in sorted((results / "tables").glob("*/*.parquet")):
        yield f"{path.parent.name}/{path.name.removesuffix('.parquet')}", read_table(path)[0]


def rows_of(columns: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Columns that identify a row (curve, setting and seed): all before the first output, which is the regret."""
    names = list(columns)
    return {name: columns[name] for name in names[: names.index("regret")]}


def regrets(columns: Mapping[str, np.ndarray]) -> dict[str, list[float]]:
    """Regret of every run, by curve."""
    found: dict[str, list[float]] = {}
    for *words, value in zip(*(columns[name] for name in (*LABELS, "regret")), strict=True):
        found.setdefault(" ".join(filter(None, words)), []).append(float(f"{value:.{DIGITS}g}"))
    return found


def closed_verdicts(records: list[Record]) -> dict[str, str]:
    """Verdicts of closed forms, by claim, variant and calibration."""
    return {
        "/".join(filter(None, (each["id"], each["variant"], each["calibration"]))): each["verdict"]
        for each in records
        if each["kind"] in CLOSED
    }


def made(results: Path) -> Record:
    """Record of a finished run of the smoke scale."""
    digests, rows, runs, verdicts = {}, {}, {}, {}
    for name, columns in tables(results):
        digests[name] = values_digest(columns)
        if not name.endswith(".summary"):
            rows[name], runs[name] = values_digest(rows_of(columns)), regrets(columns)
    for path in sorted((results / "claims").glob("*.json")):
        record = read_json(path)
        digests[f"{path.stem}/verdicts"] = json_digest(record)
        verdicts |= closed_verdicts(record["records"])
    return {"platform": platform_of(), "digests": digests, "rows": rows, "regret": runs, "verdicts": verdicts}


def check(recorded: Record, found: Record, say: Callable[[str], None]) -> None:
    """Assert equal digests; on another platform, equal closed forms and runs of the same distribution."""
    others = {name for name, value in recorded["rows"].items() if found["rows"].get(name) != value}
    others |= recorded["digests"].keys() ^ found["digests"].keys()
    assert not others, f"{', '.join(sorted(others))}: of another configuration; if meant, run {WRITE}"
    differ = sorted(name for name, value in recorded["digests"].items() if found["digests"][name] != value)
    if not differ:
        return
    here, home = found["platform"], recorded["platform"]
    assert here != home, f"{', '.join(differ)}: other numbers on the same platform; if meant, run {WRITE}"
    verdicts = recorded["verdicts"]
    faults = [f"{name}: {found['verdicts'][name]}" for name in verdicts if found["verdicts"][name] != verdicts[name]]
    faults += smoke_distribution.faults(recorded["regret"], found["regret"])
    differences = faults or "no difference in distribution"
    say(f"bits of {home} not reproduced on {here}; they differ in {', '.join(differ)}; {differences}")
    assert not faults, "; ".join(faults)


def write(record: Record) -> None:
    """Write the record with one line per table, so that a diff shows which one changed."""
    parts = []
    for part, entries in record.items():
        lines = [f"    {json.dumps(name)}: {json.dumps(entry)}" for name, entry in sorted(entries.items())]
        parts.append(f"  {json.dumps(part)}: {{\n" + ",\n".join(lines) + "\n  }")
    FILE.write_text("{\n" + ",\n".join(parts) + "\n}\n", encoding="utf-8")


def run(folder: Path) -> Copy:
    """Tables and verdicts of all papers at the smoke scale."""
    project = copy(folder, source=True, papers=COMMITTED)
    project.snakemake(*(f"results/smoke/claims/{paper}.json" for paper in project.project().papers))
    return project


if __name__ == "__main__":
    if sys.argv[1:] != ["--write"]:
        sys.exit(f"usage: {WRITE}")
    with tempfile.TemporaryDirectory() as new:
        write(made(run(Path(new) / "smoke").root / "results/smoke"))
    print(f"wrote {FILE.relative_to(ROOT)}")
