"""Full or read-only disks: the message names the file, no file is incomplete, and nothing is lost.

Each disk is a small file system in memory, which only root can mount. Otherwise the tests are skipped.
"""

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from dpbandits.base.parquet import read_table
from dpbandits.base.storage import PARTIAL
from tests.faults.table import injects

from .project import RUN, VERDICTS, Copy, assert_finished_alike, assert_whole, change_size, copy

FULL = "No space left on device"


@pytest.fixture
def disk() -> Iterator[Callable[[Path, int], Callable[[str], None]]]:
    """A function that mounts a small disk and returns a function to change its options; the test unmounts it."""
    if os.getuid() != 0:
        pytest.skip("only root can mount a small file system")
    mounted: list[Path] = []

    def mount(folder: Path, kilobytes: int) -> Callable[[str], None]:
        folder.mkdir(parents=True, exist_ok=True)
        command = ["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "tmpfs", folder]
        done = subprocess.run(command, check=False, capture_output=True, text=True)
        if done.returncode:
            pytest.skip(f"no file system can be mounted here: {done.stderr.strip()}")
        mounted.append(folder)
        return lambda options: subprocess.run(["mount", "-o", f"remount,{options}", folder], check=True) and None

    yield mount
    for folder in mounted:
        subprocess.run(["umount", "--lazy", folder], check=True)


def kilobytes(folder: Path) -> int:
    """Total size of the files below a folder."""
    return sum(-(-path.stat().st_size // 4096) * 4 for path in folder.rglob("*") if path.is_file())


def temporary(project: Copy) -> list[Path]:
    """Temporary files that were not renamed to their final names."""
    return list((project.root / "results").rglob(f"*{PARTIAL}"))


def complaints(output: str) -> list[str]:
    """Lines that report a full disk and name a results file."""
    lines = [line.strip() for line in output.splitlines() if FULL in line]
    lines = [line for line in lines if line.startswith("dpbandits: ")]
    return [line for line in lines if "results/smoke" in line or "results/curves" in line or "notebooks/" in line]


@pytest.mark.slow
@injects(
    "the disk is full",
    tried="a small file system, among runs and among figures",
    happens="one line names the file; no file is incomplete",
    do="make room and run again",
)
def test_a_disk_that_is_full_of_results_is_named(finished, tmp_path, disk):
    """Twice: while runs are written, and while figures are. Then there is room, and the run resumes to the same bytes.

    Would catch: files written in place, an ignored fault, a message without the file name.
    """
    project = copy(tmp_path, source=False)
    all_results = kilobytes(finished.root / "results")
    remount = disk(project.root / "results", kilobytes(finished.root / "results/curves") // 2)
    for share in (None, 0.6):
        if share:
            remount(f"size={int(share * all_results)}k")
        output = project.call(*RUN, code=1)
        assert complaints(output), output
        assert "Traceback" not in output
        assert temporary(project) == []
        assert_whole(project)
    remount(f"size={3 * all_results}k")
    assert_finished_alike(project, finished)


@pytest.mark.slow
@injects(
    "the disk is full, also for logs",
    tried="the whole project on a small file system",
    happens="Snakemake repeats the message many times; no half file",
    do="make room and run again",
)
def test_a_disk_that_is_full_of_everything_holds_no_half_file(finished, tmp_path, disk):
    """The disk also holds Snakemake's records and logs, and Snakemake reports the fault in its own words."""
    project_size = kilobytes(copy(tmp_path / "sized", source=False).root)
    all_results = kilobytes(finished.root / "results")
    remount = disk(tmp_path / "small", project_size + all_results // 2)
    project = copy(tmp_path / "small", source=False)
    assert FULL in project.call(*RUN, code=1)
    assert_whole(project)
    remount(f"size={project_size + 4 * all_results}k")
    assert_finished_alike(project, finished)


@injects(
    "the cache of compiled kernels is full or cannot be written",
    tried="a small file system",
    happens="one line before any work",
    do="make room, or set NUMBA_CACHE_DIR to another folder",
)
def test_a_full_cache_of_kernels_is_named_before_work(finished, tmp_path, disk, monkeypatch):
    project = copy(tmp_path / "project", source=False, of=finished)
    (project.root / VERDICTS).unlink()
    disk(tmp_path / "kernels", 8)
    monkeypatch.setenv("KERNELS", str(tmp_path / "kernels"))
    output = project.call("snakemake", VERDICTS, *RUN[1:], code=1)
    says = f"{tmp_path / 'kernels'}: {FULL}. Compiled kernels are kept there: make room, or set NUMBA_CACHE_DIR"
    assert says in output
    assert "Traceback" not in output
    assert not (project.root / VERDICTS).exists()


@injects(
    "results are read-only",
    tried="mounted for reading only",
    happens="named and left unchanged",
    do="make them writable, or work in a copy",
)
def test_results_that_may_not_be_written_are_named_and_left(finished, tmp_path, disk):
    """New seeds are requested while the disk is mounted read-only; later it is writable again."""
    project = copy(tmp_path, source=False)
    remount = disk(project.root / "results", 4 * kilobytes(finished.root / "results"))
    shutil.copytree(finished.root / "results", project.root / "results", dirs_exist_ok=True)
    shutil.copytree(finished.root / ".snakemake", project.root / ".snakemake")
    before = project.contents()
    change_size(project, "sensitivity", "smoke", seeds=4)
    remount("ro")
    output = project.call(*RUN, code=1)
    lines = output[output.index("Write-protected output files for rule ") :].splitlines()
    assert lines[1].startswith("    output: results/")
    assert project.contents() == before
    remount("rw")
    project.snakemake(VERDICTS)
    assert len(set(read_table(project.root / "results/smoke/tables/hanna2022/sensitivity.parquet")[0]["seed"])) == 4
