"""The pipeline as users run it: from nothing, twice, on other cores, elsewhere, killed, extended, misconfigured."""

import hashlib
import json
import re
import shutil
import time

from .project import VERDICTS, change_size, copy, kill

CHUNKS = "results/curves/hanna2022/figure2"


def test_everything_is_made(finished):
    for name in ("report/index.html", "notebooks/hanna2022.html", "figures/hanna2022/regret_against_budget.csv"):
        assert (finished.root / "results/smoke" / name).stat().st_size > 0
    records = json.loads((finished.root / VERDICTS).read_text(encoding="utf-8"))["records"]
    assert {record["id"] for record in records} == {f"hanna2022/C{k}" for k in (1, 2, 3, 4, 5, 6, 13, 14)}


def test_nothing_refers_to_this_machine(finished):
    """Results hold no path, host or time; the report loads nothing from outside."""
    texts = [
        *(finished.root / "results/smoke/claims").iterdir(),
        *(finished.root / "results/smoke/notebooks").iterdir(),
    ]
    texts += [finished.root / "results/smoke/report/index.html", *(finished.root / "results").rglob("*.parquet")]
    for path in texts:
        content = path.read_bytes()
        assert str(finished.root).encode() not in content, path
    for page in (finished.root / "results/smoke").rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        for reference in ('src="http', "src='http", 'href="http', "@import", "import("):
            assert reference not in text, (page.name, reference)


def test_a_second_run_does_nothing(finished):
    assert "Nothing to be done" in finished.snakemake(dry=True)


def test_equal_digests_for_other_cores_and_another_folder(finished, tmp_path):
    elsewhere = copy(tmp_path / "a folder with blanks", source=False)
    elsewhere.snakemake(VERDICTS, cores=1)
    assert elsewhere.digest() == finished.digest()


def test_figures_are_the_same_bytes_when_drawn_again(finished, again):
    figures = "results/smoke/figures/hanna2022"
    shutil.rmtree(again.root / figures)
    again.snakemake()
    made, kept = (
        {path.relative_to(project.root): path.read_bytes() for path in (project.root / figures).rglob("*.*")}
        for project in (again, finished)
    )
    assert set(made) == set(kept)
    assert [name for name in kept if made[name] != kept[name]] == []


def test_a_killed_run_resumes_to_the_same_digest(finished, tmp_path):
    project = copy(tmp_path, source=False)
    for chunks in (1, 3):
        process = project.start("snakemake", VERDICTS, "--cores", "1", "--config", "scale=smoke")
        deadline = time.monotonic() + 300
        while len(list(project.root.glob(f"{CHUNKS}/*/*.parquet"))) < chunks and time.monotonic() < deadline:
            time.sleep(0.05)
        time.sleep(0.3)  # in the midst of the next job
        kill(process)
        assert not (project.root / VERDICTS).exists()
    made = {path: path.stat().st_mtime_ns for path in project.root.glob(f"{CHUNKS}/*/*.parquet")}
    project.snakemake(VERDICTS)
    assert project.digest() == finished.digest()
    kept = sum(path.stat().st_mtime_ns == when for path, when in made.items())
    assert kept >= len(made) - 1, "what was computed must not be computed again"


def test_a_second_run_at_once_is_refused_in_one_line(tmp_path):
    project = copy(tmp_path, source=False)
    first = project.start("snakemake", VERDICTS, "--cores", "1", "--config", "scale=smoke")
    while not (project.root / ".snakemake/run.lock").exists():
        time.sleep(0.05)
    time.sleep(0.2)
    output = project.call("snakemake", VERDICTS, "--cores", "1", "--config", "scale=smoke", code=1)
    assert "another run is at work in this folder" in output
    kill(first)


def test_more_seeds_compute_only_new_chunks(finished, tmp_path):
    project = copy(tmp_path, source=False, results=finished.root)
    before = {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in project.root.glob(f"{CHUNKS}/*/*.parquet")
    }
    change_size(project, "smoke", seeds=40)
    outputs = project.planned_outputs(VERDICTS)
    chunks = {name for name in outputs if name.startswith(CHUNKS)}
    assert chunks
    assert all("seeds_0020-0039" in name for name in chunks)
    assert project.planned(VERDICTS) == {"simulate": 6, "aggregate": 1, "judge": 1}
    project.snakemake(VERDICTS)
    after = {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in project.root.glob(f"{CHUNKS}/*/*.parquet")
        if "0000-0019" in path.name
    }
    assert after == before
    assert json.loads((project.root / VERDICTS).read_text(encoding="utf-8"))["records"][0]["n"] == 40


def test_a_damaged_chunk_is_named_and_made_again(finished, tmp_path):
    project = copy(tmp_path, source=False, results=finished.root)
    victim = next(project.root.glob(f"{CHUNKS}/phased_elimination_local-printed-*/*.parquet"))
    content = bytearray(victim.read_bytes())
    content[len(content) // 2] ^= 1
    victim.write_bytes(content)
    (project.root / "results/smoke/tables/hanna2022/figure2.parquet").unlink()
    output = project.call("snakemake", "--cores", "2", "--config", "scale=smoke", code=1)
    assert f"{victim.relative_to(project.root)}: does not match its checksum" in output
    project.snakemake()
    assert project.digest() == finished.digest()


def test_bad_configuration_is_one_line_before_any_work(tmp_path):
    project = copy(tmp_path, source=False)
    project.edit("config/papers/hanna2022.yaml", "horizon: 1000000", "horizon: 0")
    output = project.call("snakemake", "--cores", "1", code=2)
    line = "dpbandits: config/papers/hanna2022.yaml: experiments.figure2.horizon: 0 is not allowed; must be >= 8"
    assert line in output.splitlines()
    assert "Traceback" not in output
    assert not (project.root / "results").exists()


def test_scales_that_agree_share_files(finished, tmp_path):
    project = copy(tmp_path, source=False, results=finished.root)
    change_size(project, "quick", seeds=40, chunk=20)
    output = project.call("snakemake", "results/quick/claims/hanna2022.json", "--cores", "1", "--dry-run")
    assert re.search(r"^simulate +6$", output, re.M)
    assert "seeds_0000-0019" not in "".join(line for line in output.splitlines() if "output:" in line)


def test_only_the_scale_is_set_on_the_command_line(tmp_path):
    project = copy(tmp_path, source=False)
    output = project.call("snakemake", "--cores", "1", "--config", "root_seed=7", code=2)
    assert "dpbandits: --config root_seed: only scale can be set there; change config/config.yaml" in output


def test_another_target_ends_well_and_shows_no_verdicts(finished, tmp_path):
    project = copy(tmp_path, source=False, results=finished.root)
    noise = next(project.root.glob("results/noise/hanna2022/figure2/*.json"))
    noise.unlink()
    output = project.snakemake(str(noise.relative_to(project.root)))
    assert "hanna2022, scale smoke" not in output
