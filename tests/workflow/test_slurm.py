"""The smoke scale through a real SLURM of one node; where SLURM is not installed, these tests are skipped."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import pytest

from dpbandits.planning.bundles import simulations
from tests import patience
from tests.cluster.slurm import Cluster, cluster, missing
from tests.shipped import COMMITTED

from .project import ROOT, Copy, Started, copy, kill

GENERIC = "profiles/cluster-generic"
PACKAGES = "on Debian: apt install --no-install-recommends slurmctld slurmd slurm-client munge"
PLUGINS = [name for name in ("slurm", "cluster_generic") if not find_spec(f"snakemake_executor_plugin_{name}")]
PROCESSORS = 2
SCALE = ("--config", "scale=smoke", "--quiet", "host")
QUICK = ("--seconds-between-status-checks", "3")
TEST = (*QUICK, "--slurm-init-seconds-before-status-checks", "3", "--slurm-status-command", "squeue")
SLURM = ("--workflow-profile", "profiles/slurm", *TEST, "--slurm-no-account")
pytestmark = [
    pytest.mark.skipif(bool(missing()), reason=f"not installed: {', '.join(missing())}; {PACKAGES}"),
    pytest.mark.skipif(bool(PLUGINS), reason="the plugins of Snakemake are not installed: make setup-slurm"),
    pytest.mark.slow,
]


@pytest.fixture(scope="module")
def slurm():
    with cluster(cpus=PROCESSORS) as found:
        yield found


@pytest.fixture
def user(slurm: Cluster, monkeypatch) -> Cluster:
    """The cluster, whose commands the test and all that it starts now find."""
    for name in [name for name in os.environ if name.startswith(("SLURM_", "SBATCH_", "SRUN_"))]:
        monkeypatch.delenv(name)  # of a job in which the test may run itself
    for name, value in slurm.environment().items():
        monkeypatch.setenv(name, value)
    return slurm


@contextmanager
def run(project: Copy, *options: str) -> Iterator[Started]:
    """Snakemake at work in a copy; it does not outlive the test."""
    process = project.start("snakemake", *SCALE, *options)
    try:
        yield process
    finally:
        kill(process) if process.poll() is None else process.communicate()


def said(process: Started) -> str:
    """The end of what Snakemake printed."""
    return process.printed()[-10000:]


def test_the_smoke_scale_survives_the_death_of_its_node(user, whole, tmp_path):
    """All papers; the node dies with all that runs on it, and comes back.

    Nothing else fails, what was finished is not computed again, and the digest is that of a local run.
    """
    project = copy(tmp_path / "through slurm", source=False, papers=COMMITTED)

    def simulating() -> bool:
        """Whether a job is in the midst of its pieces."""
        written = ([(curves / paper / chunk.file).exists() for chunk in job] for paper, job in jobs)
        return any(any(each) and not all(each) for each in written)

    found, curves = project.project(), project.root / "results/curves"
    jobs = [(key, job) for key, paper in found.papers.items() for job in simulations(found, paper)]
    before = set(user.jobs())
    with run(project, *SLURM) as process:
        user.wait(lambda: process.poll() is not None or simulating(), "nothing was simulated")
        user.kill_node()
        user.wait(lambda: not user.running(), "the dead node was not noticed")
        user.start_node()
        patience.finish(process, project.root)
        assert process.returncode == 0, (said(process), user.logs())
    lost = {number: state for number, state in user.jobs().items() if number not in before and state != "COMPLETED"}
    assert 0 < len(lost) <= PROCESSORS
    assert set(lost.values()) == {"NODE_FAIL"}
    simulated = [path.read_text(encoding="utf-8") for path in project.root.glob("logs/simulate/**/*.log")]
    assert any("there already" in text for text in simulated), "pieces of the lost job were computed again"
    assert "Nothing to be done" in project.snakemake(dry=True)
    assert project.digest() == whole.digest()


def test_other_schedulers_notice_a_job_that_was_killed(user, tmp_path):
    """Cancelled from outside, as for its time: with a status command the run hears of it and tries again."""
    project = copy(tmp_path, source=False)
    before = set(user.jobs())
    with run(project, "--workflow-profile", GENERIC, *QUICK, "--", "calibrate_hanna2022_0") as process:
        user.wait(lambda: process.poll() is not None or set(user.running()) - before, "no job")
        assert process.poll() is None, (said(process), user.logs())
        (first,) = set(user.jobs()) - before
        user.call("scancel", first)
        patience.finish(process, project.root)
        assert process.returncode == 0, (said(process), user.logs())
    states = [state for number, state in user.jobs().items() if number not in before]
    assert sorted(states) == ["CANCELLED", "COMPLETED"]
    assert list(project.root.glob("results/noise/hanna2022/*.json"))


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
