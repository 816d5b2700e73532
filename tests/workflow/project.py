"""A copy of the project that a test may change freely, and helpers to run and inspect it."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from dpbandits.base.storage import verify
from dpbandits.config.loading import Paper, Project, load_project
from dpbandits.config.plain_yaml import load_yaml
from tests.patience import finish, wait
from tests.shipped import ROOT, SETTINGS

PARTS = (
    *("Snakefile", "workflow", "profiles", "config", "notebooks", "environment.yml"),
    *("CITATION.cff", "LICENSE", "requirements.lock", "pyproject.toml"),
)
RUN = ("snakemake", "--cores", "2", "--config", "scale=smoke")
HEARS_INTERRUPTS = """\
import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.execvp(sys.argv[1], sys.argv[1:])
"""
"""Starts a command as a terminal does. A background process may ignore Ctrl-C, and its child would too."""
VERDICTS = "results/smoke/claims/hanna2022.json"
YAML = "config/papers/hanna2022.yaml"
NOTEBOOK = "notebooks/hanna2022.ipynb"
ALLOCATION = "config/allocations/hanna2022.yaml"
KEPT = ("figure2", "figure3b", "sensitivity")
"""Experiments of a reduced copy: several, with variants, and with a grid over parameters and arguments."""


class Started(subprocess.Popen[str]):
    """A command in its own process group; its output goes to a file.

    A pipe that is not read while a test waits would fill up, and the command would wait forever.
    """

    def __init__(self, command: Sequence[str], **options: Any):
        self.file = tempfile.TemporaryFile()  # noqa: SIM115 - closed when it has been read
        self.said = ""
        super().__init__(command, stdout=self.file, stderr=subprocess.STDOUT, start_new_session=True, **options)

    def printed(self) -> str:
        """Output of the command so far."""
        if not self.file.closed:
            number = self.file.fileno()
            said = os.pread(number, os.fstat(number).st_size, 0)  # the command appends at the end of the file
            self.said = said.decode(errors="replace")
        return self.said

    def communicate(self, input: str | None = None, timeout: float | None = None) -> tuple[str, str]:
        """Output of the command after it has ended."""
        self.wait(timeout)
        said = self.printed()
        self.file.close()
        return said, ""


@dataclass(frozen=True)
class Copy:
    """A project folder; `source` says whether it has its own `src`, or uses the original with compiled kernels."""

    root: Path
    source: bool

    def environment(self) -> dict[str, str]:
        """Environment variables of a command started in the copy."""
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        extra = {"PYTHONPATH": str((self.root if self.source else ROOT) / "src")}
        cache = os.environ.get("KERNELS", str(ROOT / ".cache/numba"))
        return {**os.environ, "PATH": path, "NUMBA_CACHE_DIR": cache, **extra}

    def start(self, *command: str) -> Started:
        """Start a command in the copy."""
        return Started(command, cwd=self.root, env=self.environment())

    def call(self, *command: str, code: int = 0) -> str:
        """Run a command to its end; return its output."""
        process = self.start(*command)
        try:
            output = finish(process, self.root)
        except BaseException:
            kill(process)
            raise
        assert process.returncode == code, output
        return output

    def wait(self, something: Callable[[], object], what: object = "") -> None:
        """Wait until `something` is true; processes in the copy may take their time."""
        wait(something, what, self.root)

    def snakemake(self, *targets: str, cores: int = 2, dry: bool = False) -> str:
        """Run or plan the smoke scale; return the output."""
        options = ["--dry-run"] if dry else []
        return self.call(
            "snakemake", *targets, *options, "--cores", str(cores), "--config", "scale=smoke", "--quiet", "host"
        )

    def plan(self, *targets: str) -> tuple[dict[str, int], set[str]]:
        """What a run would do now: number of jobs by stage, and the files that they make."""
        text = self.snakemake(*targets, dry=True)
        table = re.search(r"^job +count\n-+ +-+\n(.*?)^total", text, re.M | re.S)
        jobs: Counter[str] = Counter()
        for rule, count in re.findall(r"^(\S+) +(\d+)$", table[1], re.M) if table else []:
            jobs[re.sub(r"_hanna2022(_\d+)?$", "", rule)] += int(count)
        found = re.findall(r"^ +output: (.*)$", text, re.M)
        return dict(jobs), {re.sub(r" \(\w+\)$", "", name.strip()) for line in found for name in line.split(",")}

    def planned(self, *targets: str) -> dict[str, int]:
        """Number of jobs that a run would do now, by stage."""
        return self.plan(*targets)[0]

    def project(self, scale: str = "smoke") -> Project:
        """Configuration of the copy."""
        return load_project(self.root, {"scale": scale})

    def paper(self) -> Paper:
        """Paper of the copy."""
        return self.project().papers["hanna2022"]

    def contents(self) -> dict[str, bytes]:
        """Bytes of every result by path, without receipts, which depend on the size of jobs."""
        return {
            path.relative_to(self.root).as_posix(): path.read_bytes()
            for path in (self.root / "results").rglob("*.*")
            if path.is_file() and not {"benchmarks", "runs"} & set(path.parts)
        }

    def said(self, stage: str) -> dict[str, str]:
        """What the last jobs of a stage reported about each piece: simulated, computed, up to date."""
        logs = [path.read_text(encoding="utf-8") for path in (self.root / "logs" / stage).rglob("*.log")]
        return dict(line.split(": ") for log in logs for line in log.splitlines() if re.match(r"\S+: [a-z ]+$", line))

    def digest(self) -> str:
        """Digests of tables and verdicts."""
        return self.call("dpbandits", "--scale", "smoke", "digest")

    def edit(self, file: str, old: str, new: str) -> None:
        """Replace the first occurrence of a text in a file; it must occur."""
        path = self.root / file
        text = path.read_text(encoding="utf-8")
        assert old in text, f"{old!r} is not in {file}"
        path.write_text(text.replace(old, new, 1), encoding="utf-8")

    def revise(self, *keys: str | int, to: Any, file: str = YAML) -> None:
        """Replace one value in a YAML file; the value must exist."""
        record = inner = load_yaml(self.root / file, file)
        for key in keys[:-1]:
            inner = inner[key]
        assert inner[keys[-1]] != to
        inner[keys[-1]] = to
        self.write(record, file)

    def write(self, record: Mapping[str, Any], file: str = YAML) -> None:
        """Overwrite a YAML file."""
        text = yaml.safe_dump(record, sort_keys=False, allow_unicode=True)
        (self.root / file).write_text(text, encoding="utf-8")


def copy(folder: Path, source: bool, of: Copy | None = None, papers: Sequence[str] = ("hanna2022",)) -> Copy:
    """Copy the project's files to an empty folder with the shipped settings, for one paper or the given ones.

    For a finished copy, also copy its results, its papers, and Snakemake's records of them.
    """
    folder.mkdir(parents=True, exist_ok=True)
    base, parts = (ROOT, PARTS) if of is None else (of.root, (*PARTS, "results", ".snakemake"))
    for part in parts:
        here = base / part
        ignore = shutil.ignore_patterns("__pycache__")
        shutil.copytree(here, folder / part, ignore=ignore) if here.is_dir() else shutil.copy(here, folder / part)
    project = Copy(folder, source)
    if source:
        shutil.copytree(ROOT / "src", folder / "src", ignore=shutil.ignore_patterns("__pycache__"))
    if of is None:
        project.write({**SETTINGS, "papers": list(papers)}, "config/config.yaml")
    return project


def kill(process: subprocess.Popen[str]) -> None:
    """Send SIGKILL to a command and all processes that it started."""
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()


def change_size(project: Copy, experiment: str, scale: str, **numbers: int) -> None:
    """Change the seeds or the chunk size of an experiment at a scale."""
    for name, number in numbers.items():
        project.revise("experiments", experiment, "size", scale, name, to=number)


def bundled(project: Copy, seconds: float) -> None:
    """Bundle pieces into jobs of about this many seconds; with 0, each piece is a job."""
    project.revise("seconds_per_job", to=seconds, file="config/config.yaml")


def with_plain_sizes(project: Copy, name: str, section: Mapping[str, Any]) -> dict[str, Any]:
    """An experiment whose numbers of seeds are in the YAML of the paper, and which has no pilot.

    All its calibrations get the largest allocated number.
    """
    allocation = project.root / ALLOCATION
    numbers = load_yaml(allocation, allocation.name) if allocation.is_file() else {}
    allocated = {scale: numbers.get(scale, {}).get(name, {}).values() for scale in section["size"]}
    sizes = {
        scale: {**size, "seeds": max(allocated[scale], default=size["seeds"])}
        for scale, size in section["size"].items()
    }
    sizes["full"].pop("pilot", None)
    return {**section, "size": sizes}


def reduce(project: Copy, keep: Iterable[str] = KEPT) -> None:
    """Keep some experiments, everything that refers only to them, and a notebook that shows their claims."""
    record = load_yaml(project.root / YAML, YAML)

    def stays(section: Mapping[str, Any]) -> bool:
        sections = [section, *section.get("variants", {}).values()]
        experiments = {each["experiment"] for each in sections if "experiment" in each}
        return experiments <= set(keep) and section.get("measurement") in (None, *record["measurements"])

    record["experiments"] = {name: with_plain_sizes(project, name, record["experiments"][name]) for name in keep}
    for kind in ("measurements", "claims", "figures"):
        record[kind] = {name: section for name, section in record[kind].items() if stays(section)}
    for figure in record["figures"].values():
        figure["claims"] = [claim for claim in figure["claims"] if claim in record["claims"]]
        figure["calibrations"] = figure["calibrations"][:1]
    for table in record["tables"].values():
        measured = [each for each in table.pop("measured") if each["measurement"] in record["measurements"]]
        table.update({"measured": measured} if measured else {})
    project.write(record)
    for folder in ("allocations", "pilots"):
        shutil.rmtree(project.root / "config" / folder, ignore_errors=True)
    cells = json.loads((project.root / NOTEBOOK).read_text(encoding="utf-8"))
    own = [cell for cell in cells["cells"] if "parameters" in cell["metadata"].get("tags", [])]
    words = {"cell_type": "markdown", "metadata": {}, "id": "words", "source": ["What was assumed"]}
    load = ["import dpbandits as dpb\n", "\n", 'dpb.load_results("hanna2022", "last", folders=folders).claims']
    code = {"cell_type": "code", "metadata": {}, "id": "claims", "source": load, "outputs": [], "execution_count": None}
    cells["cells"] = [*own, words, code]
    (project.root / NOTEBOOK).write_text(json.dumps(cells), encoding="utf-8")


def assert_whole(project: Copy) -> None:
    """Assert that no result file is incomplete."""
    for path in (project.root / "results").rglob("*.*"):
        if any(part.startswith(".") for part in path.relative_to(project.root).parts):
            continue  # a temporary name
        if path.suffix == ".parquet":
            verify(path)
        elif path.suffix in (".json", ".ipynb"):
            json.loads(path.read_text(encoding="utf-8"))
        elif path.suffix in (".svg", ".html"):
            assert path.read_text(encoding="utf-8").rstrip().endswith(f"</{path.suffix[1:]}>")


def assert_finished_alike(project: Copy, finished: Copy) -> None:
    """Assert equal bytes of runs, noise, tables, verdicts, figures and notebooks after resuming, and no leftovers."""
    project.snakemake()
    assert "Nothing to be done" in project.snakemake(dry=True)
    assert project.digest() == finished.digest()
    kept, made = (
        {name: data for name, data in each.contents().items() if not {"report", "certificate"} & set(name.split("/"))}
        for each in (finished, project)
    )
    assert made.keys() == kept.keys()
    assert [name for name in kept if made[name] != kept[name]] == []
