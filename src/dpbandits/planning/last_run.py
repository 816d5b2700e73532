"""What the last run of a scale took, and the verdicts of it and of the one before: for the screen that ends a run."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from dpbandits.base.snakemake_files import FOLDER
from dpbandits.base.storage import DamagedFile, read_json, write_json

Verdicts = Mapping[str, str]


@dataclass(frozen=True)
class LastRun:
    """A run that ended well.

    Attributes
    ----------
    seconds, cpu_seconds : from its start to its end, and of its jobs; the latter None where they ran elsewhere.
    verdicts, before : by name, of this run and of the one before it; `before` is None for the first one.
    """

    seconds: float
    cpu_seconds: float | None
    verdicts: Verdicts
    before: Verdicts | None


def recorded(root: Path, scale: str) -> LastRun | None:
    """The last run of a scale; None where there was none, or where its file is not one."""
    try:
        return LastRun(**read_json(_file(root, scale)))
    except (DamagedFile, TypeError):
        return None


def record(root: Path, scale: str, seconds: float, cpu_seconds: float | None, verdicts: Verdicts) -> None:
    """Write down a run that has ended; the one before becomes that which it is compared with.

    Verdicts on papers that this run left out stay those of the run before.
    """
    last = recorded(root, scale)
    cpu = None if cpu_seconds is None else round(cpu_seconds, 1)
    papers = {_paper(name) for name in verdicts}
    others = {name: verdict for name, verdict in last.verdicts.items() if _paper(name) not in papers} if last else {}
    found = LastRun(round(seconds, 1), cpu, others | dict(verdicts), last.verdicts if last else None)
    write_json(_file(root, scale), asdict(found))


def _paper(name: str) -> str:
    """The paper of a verdict by its name, `hanna2022/C4 printed`."""
    return name.partition("/")[0]


def _file(root: Path, scale: str) -> Path:
    return root / FOLDER / f"last_run_{scale}.json"
