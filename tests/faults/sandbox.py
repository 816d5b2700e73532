"""Folders in which the fuzz test runs commands: a project with results, and a working folder."""

import os
import shutil
import stat
from collections.abc import Collection, Mapping
from pathlib import Path

from dpbandits.base.storage import write_record
from dpbandits.config.grid import curves
from dpbandits.planning.bundles import chunks_of
from tests.unit.small import CENTRAL, KEY, LOCAL, PLAIN, load, write_project

from .fuzz_server import Server

OWN = '''"""Own code: an algorithm, a mechanism, and a pair of inputs."""

PAIR = ([0.0], [1.0])


class Own:
    def __init__(self, arms, rng):
        self.arms, self.rng = arms, rng

    def act(self, t):
        return self.rng.integers(self.arms)

    def update(self, t, arm, reward):
        pass


def draw(rng, data, n):
    return data[0] + rng.laplace(size=n)
'''
DEEP = "[" * 100_000
"""JSON that is nested too deeply for the parser."""
WARM = 600
"""CPU seconds of the first commands, which compile kernels."""
DEVICES = tuple(Path("/dev") / name for name in ("null", "zero", "full"))
"""Devices that cases name."""


class Sandbox:
    """The folders and their contents.

    Parameters
    ----------
    folder : parent of the folders.
    """

    def __init__(self, folder: Path):
        self.whole, self.top = folder / "whole", folder / "top"
        self.project, self.here = self.top / "project", self.top / "here"
        self.names: dict[str, list[str]] = {}
        write_project(self.project)
        for name in ("here/folder/below", "home", "tmp"):
            (self.top / name).mkdir(parents=True)
        self.files: Mapping[str, bytes] = {
            "notes.txt": b"kept\n",
            "folder/kept.txt": b"kept\n",
            "own.py": OWN.encode(),
            "broken.py": b"def draw(:\n",
            "record.json": b'{"records": []}\n',
            "damaged.json": b"\xff\x00{",
            "deep.json": DEEP.encode(),
            "table.parquet": b"PAR1 is no table PAR1",
            "x\x1b[2Jy.json": b"[]",
            "a b.csv": b"",
        }
        for name, content in self.files.items():
            (self.here / name).write_bytes(content)
        for name, target in (("loop", "loop"), ("link", "folder"), ("gone", "nowhere/x")):
            (self.here / name).symlink_to(target)
        self.state: dict[str, bytes] = {}

    def environment(self, kept: Path) -> dict[str, str]:
        """Environment variables of the commands; other files, such as matplotlib caches, are written to `kept`."""
        told = {"HOME": str(self.top / "home"), "TMPDIR": str(self.top / "tmp"), "PYTHONDONTWRITEBYTECODE": "1"}
        return {**os.environ, **told, "PYTHONUTF8": "1", "MPLCONFIGDIR": str(kept), "COLUMNS": "200"}

    def fill(self, server: Server) -> None:
        """Run the stages of the project, which shows that commands work here, and remember the contents."""
        project = load(self.project)
        every = [
            curve for name in project.papers[KEY].experiments for curve in curves(project, project.papers[KEY], name)
        ]
        noise = list(dict.fromkeys(curve.noise_name for curve in every if curve.calibration == "certified"))
        chunks = [chunk.name for chunk in chunks_of(every)]
        self.names = {"NOISE": noise, "CHUNK": chunks}
        results = "../project/results/smoke"
        audits, tables, claims = (f"{results}/{kind}/{KEY}" for kind in ("audit", "tables", "claims"))
        write_record(self.here / f"{audits}.json", {"paper": KEY, "records": []})
        places = ("--tables", tables, "--audits", f"{audits}.json")
        for calibration in ("printed", "certified"):
            played = ("--algorithm", f"{PLAIN},{CENTRAL},{LOCAL}", "--calibration", calibration, "--seeds", "2")
            answer = server.run(["--project", "../project", "run", f"{KEY}/study", *played], apart=False)
            assert answer.code == 0, answer
        for call in (
            ("calibrate", KEY, *noise, "--out", "../project/noise"),
            (
                *("simulate", KEY, *chunks, "--noise", "../project/noise", "--out", "../project/curves"),
                *("--receipts", "../project/receipts"),
            ),
            (
                *("aggregate", KEY, "study", "scaling", "--curves", "../project/curves", "--noise", "../project/noise"),
                *("--out", tables),
            ),
            ("judge", KEY, *places, "--out", f"{claims}.json"),
            ("summary",),
        ):
            answer = server.run(["--project", "../project", *call], seconds=WARM)
            assert answer.code == 0, (call, answer)
        shutil.copytree(self.top, self.whole, symlinks=True)
        self.state = self.now()

    def now(self) -> dict[str, bytes]:
        """Current contents: kind, mode and content of every file and folder."""
        found: dict[str, bytes] = {}
        for folder, folders, files in os.walk(self.top):
            for name in (*folders, *files):
                path = os.path.join(folder, name)
                mode = os.lstat(path).st_mode
                content = os.readlink(path).encode() if stat.S_ISLNK(mode) else b""
                if stat.S_ISREG(mode):
                    content = Path(path).read_bytes()
                found[os.path.relpath(path, self.top)] = oct(mode).encode() + b" " + content
        for path in DEVICES:
            found[str(path)] = oct(os.lstat(path).st_mode).encode()
        return found

    def changes(self, now: Mapping[str, bytes]) -> list[str]:
        """Paths that were created, changed or deleted."""
        return sorted(name for name in {*self.state, *now} if self.state.get(name) != now.get(name))

    def beyond(self, changes: Collection[str], targets: Collection[str]) -> list[str]:
        """Changes outside some paths, which are relative to the working folder.

        A parent folder of such a path may be created. Beside a file, its checksum and its damaged predecessor are
        allowed.
        """
        allowed = [os.path.relpath(os.path.realpath(self.here / each), os.path.realpath(self.top)) for each in targets]
        wrong = []
        for name in changes:
            inside = any(each in (".", name) or name.startswith(f"{each}/") for each in allowed)
            beside = any(name == each + ending for each in allowed for ending in (".sha256", ".damaged"))
            above = name not in self.state and any(each.startswith(f"{name}/") for each in allowed)
            if not (inside or beside or above):
                wrong.append(name)
        return wrong

    def restore(self) -> None:
        """Restore the remembered contents."""
        shutil.rmtree(self.top)
        shutil.copytree(self.whole, self.top, symlinks=True)
