"""What is worked around in Snakemake is still there, and is left alone in a Snakemake that was not tried."""

import inspect
import re
from types import SimpleNamespace

from snakemake.persistence import PersistenceBase
from snakemake.scheduling.job_scheduler import JobScheduler

from dpbandits.planning import snakemake_workarounds
from tests import patience

JOBS = 4
WORKFLOW = """
rule all:
    input: expand("done/{n}", n=range(4))
rule one:
    output: "done/{n}"
    shell: "sleep 1.2; touch {output}"
"""
GO = "Snakemake no longer does what is worked around: delete planning/snakemake_workarounds.py, "


def workflow_of(failed=()):
    started = []
    scheduler = SimpleNamespace(job_rate_limiter="limit", failed=failed)
    found = SimpleNamespace(local_exec=True, scheduler=scheduler, persistence=SimpleNamespace(started=started.append))
    return found, started


def test_snakemake_still_has_the_parts():
    assert "job_rate_limiter" in inspect.getsource(JobScheduler), GO + "remove_start_limit"
    assert callable(PersistenceBase.started), GO + "mark_unfinished"


def test_snakemake_still_looks_at_ready_jobs_between_their_ends(tmp_path):
    """Plain, it looks more often than jobs end; tests/workflow/test_plan.py shows that this workflow does not."""
    (tmp_path / "Snakefile").write_text(WORKFLOW, encoding="utf-8")
    done = patience.run(["snakemake", "--cores", "1", "--verbose"], cwd=tmp_path)
    said = done.stdout + done.stderr
    assert done.returncode == 0, said
    assert len(re.findall(r"^Finished jobid: ", said, re.M)) == JOBS + 1
    assert len(re.findall(r"^Ready jobs: ", said, re.M)) > JOBS + 1, GO + "remove_start_limit"


def test_they_do_what_they_say_on_this_version():
    found, started = workflow_of(failed=["a job"])
    snakemake_workarounds.remove_start_limit(found)
    snakemake_workarounds.mark_unfinished(found)
    assert found.scheduler.job_rate_limiter is None
    assert started == ["a job"]


def test_another_version_is_left_alone(monkeypatch):
    monkeypatch.setattr(snakemake_workarounds, "version", lambda _: "10.0.1")
    found, started = workflow_of(failed=["a job"])
    snakemake_workarounds.remove_start_limit(found)
    snakemake_workarounds.mark_unfinished(found)
    assert found.scheduler.job_rate_limiter == "limit"
    assert started == []
