"""What a person sees of failed jobs fits on a screen, whatever their logs hold."""

from dpbandits.planning.failed_jobs import REMEDY, failures


def test_the_end_of_a_log_is_shown_and_cut(tmp_path):
    log = tmp_path / "a.log"
    log.write_text("\n".join([*map(str, range(500)), "x" * 30_000, "", "NameError: no resultz", " "]), encoding="utf-8")
    first, *shown, last = failures([str(log), str(log)], "a/b.log")
    assert last == "dpbandits: Snakemake's own log is a/b.log"
    assert first == f"dpbandits: a job failed. Its log, {log}, ends:"
    assert shown[-1] == "    NameError: no resultz"
    assert shown[0] == "    490"
    assert shown[-2] == "    " + "x" * 597 + "..."


def test_of_many_failed_jobs_only_places_are_shown(tmp_path):
    names = [str(tmp_path / f"{k}.log") for k in range(5)]
    found = list(failures(names, "a/b.log"))
    assert found[1] == found[3] == "    (the log is empty)"
    assert found[4:-1] == [f"dpbandits: a job failed. Its log is {name}" for name in names[2:]]


def test_the_words_of_a_scheduler_and_what_to_do_follow(tmp_path):
    """A job that never started has no log to show."""
    log = tmp_path / "a.log"
    log.touch()
    killed = "SLURM-job 7 failed, SLURM status is: TIMEOUT."
    refused = "SLURM sbatch failed. The error message was 'no'."
    assert list(failures([str(log)], "a/b.log", [refused])) == [
        f"dpbandits: {refused}",
        REMEDY,
        "dpbandits: Snakemake's own log is a/b.log",
    ]
    log.write_text("NameError\n", encoding="utf-8")
    assert list(failures([str(log)], "a/b.log", ["old", "older", killed, killed]))[1:-1] == [
        "    NameError",
        "dpbandits: older",
        *[f"dpbandits: {killed}"] * 2,
    ]
