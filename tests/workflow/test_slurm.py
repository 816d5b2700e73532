"""The smoke scale on a real SLURM cluster of four nodes; these tests are skipped if SLURM is not installed."""

import os
import re
import shutil
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import pytest

from dpbandits.planning.bundles import simulations
from dpbandits.planning.failed_jobs import REMEDY
from tests import patience
from tests.cluster.slurm import SMALL, URGENT, Cluster, cluster, missing
from tests.faults.table import injects
from tests.shipped import COMMITTED

from .project import HEARS_INTERRUPTS, ROOT, Copy, Started, copy, kill

GENERIC = "profiles/cluster-generic"
PACKAGES = "on Debian: apt install --no-install-recommends slurmctld slurmd slurm-client munge"
PLUGINS = [name for name in ("slurm", "cluster_generic") if not find_spec(f"snakemake_executor_plugin_{name}")]
SCALE = ("--config", "scale=smoke", "--quiet", "host")
QUICK = ("--seconds-between-status-checks", "3")
TEST = (*QUICK, "--slurm-init-seconds-before-status-checks", "3", "--slurm-status-command", "squeue")
SLURM = ("--workflow-profile", "profiles/slurm", *TEST, "--slurm-no-account")
PAIR = ("hanna2022", "hu2021")
"""Papers of the run that loses nodes: two jobs that simulate, one for each lost node."""
pytestmark = [
    pytest.mark.skipif(bool(missing()), reason=f"not installed: {', '.join(missing())}; {PACKAGES}"),
    pytest.mark.skipif(bool(PLUGINS), reason="the plugins of Snakemake are not installed: make setup-slurm"),
    pytest.mark.slow,
]


@pytest.fixture(scope="module")
def slurm():
    with cluster() as found:
        yield found


@pytest.fixture(scope="module")
def planned(tmp_path_factory) -> Copy:
    """All papers; one copy for all tests, because checking its configuration takes longer than most of them."""
    return copy(tmp_path_factory.mktemp("cluster") / "through slurm", source=False, papers=COMMITTED)


@pytest.fixture
def project(planned) -> Copy:
    """The copy without any certified noise, whatever tests ran before."""
    shutil.rmtree(planned.root / "results/noise", ignore_errors=True)
    return planned


@pytest.fixture
def user(slurm: Cluster, monkeypatch) -> Cluster:
    """The cluster, whose commands are now found by the test and all its child processes."""
    for name in [name for name in os.environ if name.startswith(("SLURM_", "SBATCH_", "SRUN_"))]:
        monkeypatch.delenv(name)  # of a job in which the test itself may run
    for name, value in slurm.environment().items():
        monkeypatch.setenv(name, value)
    return slurm


@pytest.fixture
def local(shared) -> Copy:
    """A complete run of these papers without a cluster."""
    return shared("local", lambda folder: copy(folder, source=False, papers=PAIR))


@contextmanager
def run(project: Copy, *options: str) -> Iterator[Started]:
    """Snakemake running in a copy; it ends with the test."""
    process = project.start(sys.executable, "-c", HEARS_INTERRUPTS, "snakemake", *SCALE, *options)
    try:
        yield process
    finally:
        kill(process) if process.poll() is None else process.communicate()


def said(process: Started) -> str:
    """Last lines of Snakemake's output."""
    return process.printed()[-10000:]


def finish(process: Started, project: Copy, user: Cluster, code: int = 0) -> None:
    patience.finish(process, project.root)
    assert process.returncode == code, (said(process), user.logs())


def new_states(user: Cluster, before: set[str]) -> dict[str, str]:
    """States of the jobs submitted since."""
    return {number: state for number, state in user.jobs().items() if number not in before}


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ("slurm_partition=nowhere", "invalid partition specified: nowhere"),
        ("mem_mb=99999999", "Memory specification can not be satisfied"),
    ],
)
@injects(
    "a scheduler refuses a job",
    tried="a partition that does not exist",
    happens="the run ends with the scheduler's message",
    do="change what the last line names",
)
def test_the_words_of_a_scheduler_that_refuses_a_job_are_shown(user, project, asked, words):
    """Would catch: Snakemake's message for a group of jobs, which states no reason."""
    rule = "calibrate_hanna2022_0"
    with run(project, *SLURM, "--set-resources", f"{rule}:{asked}", "--", rule) as process:
        finish(process, project, user, code=1)
    end = process.said[process.said.rindex("Exiting because") :]
    assert words in end
    assert REMEDY in end
    assert "the log is empty" not in end


def at_work(user: Cluster, text: str) -> list[tuple[str, str]]:
    """Job and node of all processes on nodes whose command contains a text."""
    return [(process.job, process.node) for process in user.at_work() if re.search(text, process.command)]


@injects(
    "a SLURM job takes too much memory, is canceled or preempted",
    tried="memory exceeded; `scancel`; preemption",
    happens="the job starts again",
    do="nothing",
)
def test_jobs_that_are_stopped_are_started_again(user, project):
    """One job exceeds its memory, one is preempted by an urgent job, and a group of two is canceled.

    The run waits forever for none of them. Each is started again, with more memory. The first of the group, which had
    ended, finds its pieces.
    """
    pair, small, moved = (
        ("calibrate_chen2020_0", "calibrate_hu2021_0"),
        "calibrate_hanna2022_0",
        "calibrate_chowdhury2022_0",
    )
    options = ("--groups", *(f"{rule}=pair" for rule in pair), "--group-components", "pair=2", "calibrate=1")
    memory = ("--set-resources", f"{small}:mem_mb=40**attempt")
    before = set(user.jobs())
    seen: list[str] = []

    def second() -> bool:
        """Whether the second job of the group is computing."""
        for key in ("chen2020", "hu2021"):
            if key not in seen and at_work(user, rf"dpbandits +calibrate {key}"):
                seen.append(key)
        return len(seen) == 2

    with run(project, *SLURM, *options, *memory, "--", *pair, small, moved) as process:
        user.wait(lambda: process.poll() is not None or at_work(user, moved), "no job to move")
        job, node = at_work(user, moved)[0]
        urgent = ("--partition", URGENT, "--nodelist", node, "--output=/dev/null", "--wrap", "sleep 1")
        number = user.call("sbatch", "--parsable", *urgent).strip()
        user.wait(lambda: process.poll() is not None or second(), "no second job")
        cancelled = at_work(user, rf"dpbandits +calibrate {seen[1]}")[0][0]
        starts = [job for job, _ in at_work(user, "-m snakemake ")]
        user.call("scancel", cancelled)
        finish(process, project, user)
    assert starts.count(cancelled) == 1, "the group has a Snakemake for each of its jobs"
    states = new_states(user, before)
    assert states.pop(number) == "COMPLETED"
    assert states.pop(job) == "PREEMPTED"
    assert states.pop(cancelled) == "CANCELLED"
    assert sorted(states.values()) == ["COMPLETED"] * 3 + ["FAILED"], "the job with too little memory ended well"
    assert f"SLURM-job '{cancelled}' failed, SLURM status is: 'CANCELLED'" in process.said
    log = project.root / f"logs/calibrate/smoke/{seen[0]}/0.log"
    assert set(re.findall(r": (.*)$", log.read_text(encoding="utf-8"), re.M)) == {"up to date"}


def test_an_interrupt_cancels_the_jobs_of_a_run(user, project):
    before = set(user.jobs())
    with run(project, *SLURM, "--", "calibrate_han2021_0") as process:
        user.wait(lambda: process.poll() is not None or set(user.running()) - before, "no job")
        process.send_signal(signal.SIGINT)
        finish(process, project, user, code=1)
    user.wait(lambda: set(new_states(user, before).values()) == {"CANCELLED"}, "not cancelled")


@injects(
    "another scheduler kills a job",
    tried="the generic executor",
    happens="the job starts again",
    do="nothing",
)
def test_other_schedulers_notice_a_job_that_was_killed(user, project):
    """Canceled from outside, as after a time limit: with a status command, the run notices and retries."""
    before = set(user.jobs())
    with run(project, "--workflow-profile", GENERIC, *QUICK, "--", "calibrate_han2021_0") as process:
        user.wait(lambda: process.poll() is not None or set(user.running()) - before, "no job")
        assert process.poll() is None, (said(process), user.logs())
        (first,) = set(user.jobs()) - before
        user.call("scancel", first)
        finish(process, project, user)
    assert sorted(new_states(user, before).values()) == ["CANCELLED", "COMPLETED"]
    assert list(project.root.glob("results/noise/han2021/*.json"))


@injects(
    "a node of a cluster dies or is cut off",
    tried="SLURM with four nodes on this machine",
    happens="its jobs start again; the digest equals that of a local run",
    do="nothing",
)
def test_the_smoke_scale_survives_nodes_that_die_or_are_cut_off(user, tmp_path, local):
    """One node dies with all its processes and comes back. One is cut off, so its work is done twice.

    A third has too little memory for any job. Nothing else fails, finished pieces are not recomputed, and the digest
    equals that of a local run.
    """
    project = copy(tmp_path / "through slurm", source=False, papers=PAIR)
    found, curves = project.project(), project.root / "results/curves"
    jobs = [(key, job) for key, paper in found.papers.items() for job in simulations(found, paper)]

    def simulating() -> dict[str, str]:
        """Job by node, for jobs that have finished only some of their pieces."""
        nodes = {}
        for paper, job in jobs:
            written = [(curves / paper / chunk.file).exists() for chunk in job]
            if any(written) and not all(written):
                nodes |= {node: number for number, node in at_work(user, f"simulate {paper} {re.escape(job[0].name)}")}
        return nodes

    before = set(user.jobs())
    spread = ("--group-components", "calibrate=20", "simulate=1", "audit=3")
    with run(project, *SLURM, *spread) as process:
        user.wait(lambda: process.poll() is not None or len(simulating()) > 1, "nothing was simulated")
        (dead, killed), (away, cut) = list(simulating().items())[:2]
        user.kill_node(dead)
        user.cut_off(away)
        try:
            user.wait(lambda: not {killed, cut} & set(user.running()), "the lost nodes were not noticed")
            user.go_on(away)
            user.start_node(dead)
            assert any(job == cut for job, _ in at_work(user, "simulate")), "the job that was cut off does not go on"
            finish(process, project, user)
            user.wait(lambda: not at_work(user, "simulate"), "the job that was cut off has no end")
        finally:
            user.start_node(away)
    assert {job: state for job, state in new_states(user, before).items() if state != "COMPLETED"} == {
        killed: "NODE_FAIL",
        cut: "NODE_FAIL",
    }
    places = user.call("squeue", "--noheader", "--states=all", "--format=%i %N").splitlines()
    assert not any(line.endswith(SMALL) and line.split()[0] not in before for line in places)
    simulated = [path.read_text(encoding="utf-8") for path in project.root.glob("logs/simulate/**/*.log")]
    assert any("up to date" in text for text in simulated), "pieces of the lost job were computed again"
    assert "Nothing to be done" in project.snakemake(dry=True)
    assert project.digest() == local.digest()


@pytest.mark.parametrize(
    ("command", "options", "said"),
    [
        ("true", (), "success"),
        ("false", (), "failed"),
        ("sleep 600", (), "running"),
        ("true", ("--begin=now+3600",), "running"),
    ],
)
def test_the_status_command_knows_real_jobs(user, command, options, said):
    number = user.call("sbatch", "--parsable", "--output=/dev/null", *options, "--wrap", command).strip()
    ends = {"success": "COMPLETED", "failed": "FAILED"}
    user.wait(lambda: user.jobs()[number] == ends.get(said, user.jobs()[number]), "not ended")
    assert status(number) == said
    user.call("scancel", number)
    user.wait(lambda: status(number) != "running", "not cancelled")
    assert status(number) == ("success" if said == "success" else "failed")


def status(number: str) -> str:
    command = [sys.executable, Path(GENERIC, "status.py"), number]
    done = patience.run(command, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()
