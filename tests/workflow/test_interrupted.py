"""Killed and interrupted runs, workers and notebook kernels: nothing is lost, and no file is incomplete."""

import fcntl
import os
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import numpy as np
import psutil
import pytest

from dpbandits.base.snakemake_files import JOBS_LOCK
from dpbandits.base.storage import PARTIAL
from dpbandits.cli.main import main
from tests.faults.table import injects
from tests.patience import cpu_seconds, finish

from .project import HEARS_INTERRUPTS, RUN, Copy, assert_finished_alike, assert_whole, bundled, copy, kill

KILLS = 9
KERNEL = "ipykernel_launcher"
WAITING = "dpbandits: waiting for jobs of an interrupted run to end"


def processes(project: Copy) -> dict[int, tuple[str, ...]]:
    """Commands of the processes that work in the folder, by process id."""
    found = {}
    for process in psutil.process_iter():
        try:
            if process.status() != psutil.STATUS_ZOMBIE and Path(process.cwd()).is_relative_to(project.root):
                found[process.pid] = tuple(process.cmdline())
        except psutil.Error:
            continue
    return found


def workers(project: Copy) -> dict[int, str]:
    """Running stages, by process id."""
    return {
        number: next(word for word in command[3:] if word in main.commands)
        for number, command in processes(project).items()
        if command[1:3] == ("-m", "dpbandits")
    }


BEGUN = 1.5
"""CPU seconds after which a process has loaded its libraries and is computing."""


def has_begun(number: int) -> bool:
    """Whether a process is computing."""
    try:
        return cpu_seconds(psutil.Process(number)) > BEGUN
    except psutil.NoSuchProcess:
        return False


def simulations(project: Copy) -> list[int]:
    """Ids of the processes that simulate."""
    return [number for number, stage in workers(project).items() if stage == "simulate" and has_begun(number)]


def kernels(project: Copy) -> list[int]:
    """Ids of the kernels that run notebooks."""
    found = [number for number, command in processes(project).items() if KERNEL in " ".join(command)]
    return [number for number in found if has_begun(number)]


def locked(project: Copy) -> bool:
    """Whether a stage is running, according to its lock."""
    try:
        with open(project.root / JOBS_LOCK) as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except BlockingIOError:
        return True
    return False


@pytest.fixture
def project(tmp_path) -> Iterator[Copy]:
    """A copy of the project; all processes that work in it end with the test."""
    found = copy(tmp_path, source=False)
    yield found
    for number in processes(found):
        with suppress(ProcessLookupError):
            os.kill(number, signal.SIGKILL)


def kill_something(project: Copy, process: subprocess.Popen[str], kind: str, at_work: list[int]) -> bool:
    """SIGKILL to all, to Snakemake or to a worker; whether this ended the run, which had not ended before."""
    if kind == "all":
        kill(process)
    elif kind == "Snakemake":
        process.kill()
        process.communicate()
        project.wait(lambda: not locked(project))  # its jobs go on; the next run would wait for them
    else:
        with suppress(ProcessLookupError):
            os.kill(at_work[0], signal.SIGKILL)
        output = finish(process, project.root)
        assert ("Error in rule" in output) == (process.returncode != 0)
    return process.returncode != 0


@pytest.mark.slow
@injects(
    "a run is killed",
    tried="SIGKILL to all of its processes, to Snakemake alone or to one worker, nine times at random moments",
    happens="no file is incomplete",
    do="start it again; it resumes to the same bytes",
)
def test_kills_at_random_moments(finished, project, say):
    """SIGKILL in turn to all processes, to Snakemake alone, and to one worker; some kills hit planning.

    Would catch: files written in place, a lock left by a killed run, truncated pieces taken for complete ones.
    """
    bundled(project, 0.2)
    for part in ("noise", "smoke/audit"):  # long jobs, which would be killed again and again
        shutil.copytree(finished.root / "results" / part, project.root / "results" / part)
    chance = np.random.default_rng(1)
    killed: Counter[str] = Counter()
    while killed.total() < KILLS:
        kind = ("all", "Snakemake", "a worker")[killed.total() % 3]
        process = project.start(*RUN)
        if kind == "a worker" or killed.total() % 5:
            project.wait(lambda process=process: workers(project) or process.poll() is not None)
        time.sleep(chance.uniform(0.0, 4.0))
        at_work = workers(project)
        if kind == "a worker" and not at_work:  # it has just ended
            kill(process)
            continue
        if process.poll() is None and kill_something(project, process, kind, sorted(at_work)):
            killed[f"{kind}, at work: {', '.join(sorted(set(at_work.values()))) or 'none'}"] += 1
            assert_whole(project)
        else:  # finished before there were enough kills: start over
            process.communicate()
            shutil.rmtree(project.root / "results")
    for what, number in sorted(killed.items()):
        say(f"killed {number} times: {what}")
    assert sum(number for what, number in killed.items() if not what.endswith("none")) >= KILLS // 3
    assert_finished_alike(project, finished)


@pytest.mark.slow
@injects(
    "Snakemake alone is killed",
    tried="SIGKILL to Snakemake; its jobs on this machine continue",
    happens="the next run waits for them and says so",
    do="nothing",
)
def test_jobs_that_a_killed_run_left_at_work_are_waited_for(finished, project):
    """Snakemake alone is killed and its job goes on: the next run says that it waits, and continues afterwards.

    Would catch: two jobs that write the same files at once.
    """
    process = project.start(*RUN)
    project.wait(lambda: workers(project) and locked(project))
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    left = workers(project)
    assert left
    for number in left:
        os.kill(number, signal.SIGSTOP)  # so that it does not end before the next run checks
    following = project.start(*RUN)
    project.wait(lambda: WAITING in following.printed())
    assert workers(project) == left, "no other job was begun"
    for number in left:
        os.kill(number, signal.SIGCONT)
    output = finish(following, project.root)
    assert following.returncode == 0, output
    assert_finished_alike(project, finished)


@pytest.mark.slow
@injects(
    "Ctrl-C",
    tried="SIGINT to the process group of the run",
    happens="the run ends within seconds and leaves no process and no temporary file",
    do="start it again",
)
def test_an_interrupt_ends_a_run_at_once_and_loses_nothing(finished, project):
    """Ctrl-C while curves are simulated, and while a notebook runs: the terminal sends it to all processes.

    A notebook's kernel runs in its own session and does not receive it. It ends when it finds that its parent is gone.
    """
    for at_work in (simulations, kernels):
        process = project.start(sys.executable, "-c", HEARS_INTERRUPTS, *RUN)
        project.wait(lambda at_work=at_work, process=process: at_work(project) or process.poll() is not None)
        assert process.poll() is None
        os.killpg(process.pid, signal.SIGINT)
        try:
            output = finish(process, project.root)
        except AssertionError:
            kill(process)
            raise
        assert process.returncode == 1, output
        assert all(KERNEL in " ".join(command) for command in processes(project).values())
        project.wait(lambda: processes(project) == {}, "the kernel outlives its run")
        assert list((project.root / "results").rglob(f"*{PARTIAL}")) == []
        assert_whole(project)
    assert_finished_alike(project, finished)


@pytest.mark.slow
@injects(
    "the kernel of a notebook dies",
    tried="SIGKILL to the kernel",
    happens="one line says so",
    do="start the run again",
)
def test_a_kernel_of_a_notebook_that_dies_is_said_and_made_again(finished, project):
    """As when memory runs out. Papermill does not wait forever, and the next run writes the same bytes."""
    shutil.copytree(finished.root / "results", project.root / "results")
    shutil.copytree(finished.root / ".snakemake", project.root / ".snakemake")
    (project.root / "results/smoke/notebooks/hanna2022.ipynb").unlink()
    process = project.start(*RUN)
    project.wait(lambda: kernels(project) or process.poll() is not None)
    (kernel,) = kernels(project)
    os.kill(kernel, signal.SIGKILL)
    output = finish(process, project.root)
    assert process.returncode == 1, output
    assert (
        "notebooks/hanna2022.ipynb: its kernel died, perhaps for lack of memory. Free memory and run again." in output
    )
    assert "Traceback" not in output
    assert_finished_alike(project, finished)
