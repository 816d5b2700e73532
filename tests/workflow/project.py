"""A copy of the project in which a test may change anything, and what it asks of it."""

import os
import re
import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]
PARTS = ("Snakefile", "workflow", "profiles", "config", "notebooks", "src", "environment.yml")
VERDICTS = "results/smoke/claims/hanna2022.json"


@dataclass(frozen=True)
class Copy:
    """A project folder; `source` says whether its own `src` is used, or the installed one with its compiled kernels."""

    root: Path
    source: bool

    def environment(self) -> dict[str, str]:
        """What a command started in the copy sees."""
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        extra = {"PYTHONPATH": str(self.root / "src")} if self.source else {}
        cache = os.environ.get("KERNELS", str(ROOT / ".cache/numba"))
        return {**os.environ, "PATH": path, "NUMBA_CACHE_DIR": cache, **extra}

    def start(self, *command: str) -> subprocess.Popen[str]:
        """Start a command in the copy, in a process group of its own."""
        return subprocess.Popen(
            command,
            cwd=self.root,
            env=self.environment(),
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )

    def call(self, *command: str, code: int = 0) -> str:
        """Run a command to its end; its output."""
        process = self.start(*command)
        output, _ = process.communicate(timeout=600)
        assert process.returncode == code, output
        return output

    def snakemake(self, *targets: str, cores: int = 2, dry: bool = False) -> str:
        """Run or plan the smoke scale; its output."""
        options = ["--dry-run"] if dry else []
        return self.call(
            "snakemake", *targets, *options, "--cores", str(cores), "--config", "scale=smoke", "--quiet", "host"
        )

    def planned(self, *targets: str) -> dict[str, int]:
        """Rule -> number of jobs that a run would do now."""
        output = self.snakemake(*targets, dry=True)
        table = re.search(r"^job +count\n-+ +-+\n(.*?)^total", output, re.M | re.S)
        return {name: int(count) for name, count in re.findall(r"^(\S+) +(\d+)$", table[1], re.M)} if table else {}

    def planned_outputs(self, *targets: str) -> set[str]:
        """Files that a run would make now."""
        output = self.snakemake(*targets, dry=True)
        found = re.findall(r"^    output: (.*)$", output, re.M)
        return {name.strip() for line in found for name in line.split(",")}

    def digest(self) -> str:
        """Digests of tables and verdicts."""
        return self.call("dpbandits", "--scale", "smoke", "digest")

    def edit(self, file: str, old: str, new: str) -> None:
        """Replace one text in one file; the text must be there."""
        path = self.root / file
        text = path.read_text(encoding="utf-8")
        assert old in text, f"{old!r} is not in {file}"
        path.write_text(text.replace(old, new, 1), encoding="utf-8")


def copy(folder: Path, source: bool, results: Path | None = None) -> Copy:
    """Copy the project's files into an empty folder, and finished results with what Snakemake noted about them."""
    folder.mkdir(parents=True, exist_ok=True)
    for part in PARTS:
        here = ROOT / part
        ignore = shutil.ignore_patterns("__pycache__")
        shutil.copytree(here, folder / part, ignore=ignore) if here.is_dir() else shutil.copy(here, folder / part)
    if results is not None:
        for part in ("results", ".snakemake"):
            shutil.copytree(results / part, folder / part)
    return Copy(folder, source)


def kill(process: subprocess.Popen[str]) -> None:
    """SIGKILL to a command and all that it started."""
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()


def change_size(project: Copy, scale: str, **numbers: int) -> None:
    """Change seeds or chunk of a scale in the copy's YAML."""
    path = project.root / "config/papers/hanna2022.yaml"
    record = yaml.safe_load(path.read_text(encoding="utf-8"))
    record["experiments"]["figure2"]["size"][scale].update(numbers)
    path.write_text(yaml.safe_dump(record, sort_keys=False, allow_unicode=True), encoding="utf-8")
