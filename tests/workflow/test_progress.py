"""What a user sees of a run: one line per job, one screen at the end, and failures."""

import os
import pty
import re
import subprocess

from .project import Copy

LOGGED = ("snakemake", "--logger", "dpbandits", "--cores", "2", "--config", "scale=smoke")
PICTURES = "results/smoke/notebooks"


def lines_of(text: str) -> list[str]:
    return [line for line in text.splitlines() if not line.startswith("Using workflow specific profile")]


def on_terminal(project: Copy, *command: str) -> str:
    """Output of a command on a terminal of 80 columns."""
    ours, theirs = pty.openpty()
    size = {"COLUMNS": "80", "LINES": "24", "TERM": "xterm"}
    with subprocess.Popen(
        command, cwd=project.root, env=project.environment() | size, stdin=theirs, stdout=theirs, stderr=theirs
    ) as process:
        os.close(theirs)
        said = b""
        while True:
            try:
                said += os.read(ours, 65536)
            except OSError:  # a terminal's output ends like this
                break
    os.close(ours)
    assert process.returncode == 0, said.decode()
    return said.decode()


def test_a_run_shows_its_jobs_and_ends_in_one_screen(again):
    for name in ("ipynb", "html"):
        (again.root / f"{PICTURES}/hanna2022.{name}").unlink()
    first, *jobs = lines_of(again.call(*LOGGED))
    assert re.fullmatch(r"dpbandits: 3 jobs, about \d+ s on 2 cores", first)
    done = [line for line in jobs if " of 3 jobs, " in line]
    assert [re.sub(r" \(.*", "", line) for line in done] == [
        f"{k} of 3 jobs, {part:>5}  {name}"
        for k, part, name in zip(
            (1, 2, 3),
            (re.search(r"\d+ %", line)[0] for line in done),
            ("render/hanna2022", "report/report", "certificate/certificate"),
            strict=True,
        )
    ]
    screen = jobs[len(done) :]
    assert re.match(r"dpbandits smoke: the last run took .* of CPU time\)$", screen[0])
    assert "Report  results/smoke/report/index.html" in screen
    assert len(screen) <= 24
    idle = lines_of(again.call(*LOGGED))
    assert idle == screen, "there is nothing to do"


def test_a_terminal_has_one_line_that_is_removed(again):
    (again.root / f"{PICTURES}/hanna2022.html").unlink()
    said = on_terminal(again, *LOGGED)
    assert re.search(r"render  0 of 3 jobs  \d+ %  about \d+ s left  hanna2022", said)
    assert " of 3 jobs, " not in said, "that is a line of a log"
    assert said.index("\x1b[2K") < said.index("the last run took")


def test_a_job_that_fails_is_named_with_the_end_of_its_log_and_the_log_of_all_else(again):
    notebook = again.root / "notebooks/hanna2022.ipynb"
    notebook.write_text(notebook.read_text().replace("import dpbandits as dpb", "import no_such_module", 1))
    said = lines_of(again.call(*LOGGED, code=1))
    assert "failed: render/hanna2022" in said
    (log,) = (line.removeprefix("dpbandits: Snakemake's own log is ") for line in said if "Snakemake's own log" in line)
    text = (again.root / log).read_text(encoding="utf-8")
    assert "rule render_hanna2022" in text
    place = next(k for k, line in enumerate(said) if line.startswith("dpbandits: a job failed. Its log, logs/render/"))
    assert any("no_such_module" in line for line in said[place:])
    assert len(said) <= 24
