"""Record of the last run of a scale (duration and verdicts, current and previous), for the final screen."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from dpbandits.base.snakemake_files import FOLDER
from dpbandits.base.storage import DamagedFile, read_json, write_json

Verdicts = Mapping[str, str]


@dataclass(frozen=True)
class LastRun:
    """A run that ended successfully.

    Attributes
    ----------
    seconds, cpu_seconds : wall time, and CPU time of its jobs (None if they ran on other machines).
    verdicts, before : verdicts by name of this run and of the previous one; `before` is None for the first run.
    """

    seconds: float
    cpu_seconds: float | None
    verdicts: Verdicts
    before: Verdicts | None


def recorded(root: Path, scale: str) -> LastRun | None:
    """Last recorded run of a scale; None if there is none or its file is invalid."""
    try:
        return LastRun(**read_json(_file(root, scale)))
    except (DamagedFile, TypeError):
        return None


def record(root: Path, scale: str, seconds: float, cpu_seconds: float | None, verdicts: Verdicts) -> None:
    """Record a finished run. The previously recorded run becomes the reference for comparison.

    Papers that this run left out keep their verdicts from the previous run.
    """
    last = recorded(root, scale)
    cpu = None if cpu_seconds is None else round(cpu_seconds, 1)
    papers = {_paper(name) for name in verdicts}
    others = {name: verdict for name, verdict in last.verdicts.items() if _paper(name) not in papers} if last else {}
    found = LastRun(round(seconds, 1), cpu, others | dict(verdicts), last.verdicts if last else None)
    write_json(_file(root, scale), asdict(found))


def _paper(name: str) -> str:
    """Paper key of a verdict name such as `hanna2022/C4 printed`."""
    return name.partition("/")[0]


def _file(root: Path, scale: str) -> Path:
    return root / FOLDER / f"last_run_{scale}.json"
