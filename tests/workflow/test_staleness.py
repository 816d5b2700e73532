"""What a change recomputes: exactly what depends on it.

Each kind of change is made in a copy whose jobs are single pieces of work, and Snakemake's plan is read. Some changes
are also executed in a copy whose pieces share jobs.
"""

import json
import shutil
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

import pytest

from dpbandits.algorithms.registry import TABLE
from dpbandits.base.storage import read_record, write_record
from dpbandits.config.curves import Curve
from dpbandits.config.grid import every_curve
from dpbandits.planning.bundles import chunks_of
from dpbandits.planning.receipts import receipts_of
from dpbandits.text.speed import NOTHING, RATIOS
from tests.faults.table import injects

from ..committed_site import RATIOS as MEASURED
from ..shipped import SETTINGS
from .project import NOTEBOOK, VERDICTS, YAML, Copy, bundled, copy

PHASED = "src/dpbandits/algorithms/phased_elimination"
TABLE_OF_FIGURE2 = "results/smoke/tables/hanna2022/figure2.parquet"  # its job combines those of all experiments
BUDGETS = ("experiments", "figure2", "grid", "eps")
NONE: frozenset[str] = frozenset()
EVERY = frozenset(TABLE)
NOISY = EVERY - {"phased_elimination", "phased_elimination_g_optimal"}
AUDITS = ("sums", "reports", "shuffled", "shuffled_few", "rival_reports", "actions")


def edit(file: str, old: str, new: str) -> Callable[[Copy], None]:
    return lambda project: project.edit(file, old, new)


def revise(*keys: str | int, to: object) -> Callable[[Copy], None]:
    return lambda project: project.revise(*keys, to=to)


def piloted(*shown: Mapping[str, object]) -> Callable[[Copy], None]:
    """A committed pilot whose runs show this; it was run with another root seed."""
    record = {"paper": "hanna2022", "root_seed": SETTINGS["pilot_seed"], "sizes": [], "claims": []}
    record |= {"experiments": {"figure2": {"seeds": 8}}}

    def write(project: Copy) -> None:
        path = project.root / "config/pilots/hanna2022.json"
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps({**record, "shown": shown}), encoding="utf-8")

    return write


@dataclass(frozen=True)
class Change:
    """A change, and what it recomputes.

    Attributes
    ----------
    noise, runs : algorithms whose certified noise is recalibrated, and those whose curves are simulated again.
    certified : algorithms of which only the certified curves are simulated again, because their noise changed.
    only : restricts these curves.
    audits : names of the audits that are rerun.
    tables, verdicts, notebook, report : whether every table, the stages after it, the notebook and the report are
        recomputed; new runs imply all of them.
    figures : whether every figure is redrawn with the notebook.
    copied : whether the certificate, which contains the configuration, is recomputed; a new report implies it.
    """

    make: Callable[[Copy], None]
    noise: Iterable[str] = NONE
    runs: Iterable[str] = NONE
    certified: Iterable[str] = NONE
    only: Callable[[Curve], bool] = field(default=lambda curve: True)
    audits: Iterable[str] = NONE
    tables: bool = False
    verdicts: bool = False
    notebook: bool = True
    figures: bool = True
    report: bool = True
    copied: bool = False


CHANGES: Mapping[str, Change] = {
    "constant of one algorithm": Change(
        edit(f"{PHASED}/phased_elimination_local.py", "spread = 2.0 * d", "spread = 2.5 * d"),
        noise=["phased_elimination_local"],
        runs=["phased_elimination_local"],
        audits=["reports"],
    ),
    "constant of the baseline": Change(
        edit(f"{PHASED}/phased_elimination.py", "math.sqrt(4.0 * d", "math.sqrt(4.5 * d"),
        runs=["phased_elimination"],
    ),
    "constant of a variant's algorithm": Change(
        edit(f"{PHASED}/phased_elimination_no_core_set.py", "NEAR = 0.01", "NEAR = 0.02"),
        noise=["phased_elimination_no_core_set"],
        runs=["phased_elimination_no_core_set"],
        audits=["sums"],
    ),
    "helper of one algorithm, and of the accounting": Change(
        edit("src/dpbandits/privacy/amplification.py", "HALVINGS = 100", "HALVINGS = 90"),
        noise=NOISY,
        runs=["phased_elimination_shuffled"],
        certified=NOISY,
        audits=AUDITS,
    ),
    "helper that all algorithms share": Change(
        edit(f"{PHASED}/batches.py", "RANK_TOLERANCE = 1e-9", "RANK_TOLERANCE = 1e-8"),
        noise=NOISY,
        runs=EVERY,
        audits=AUDITS,
    ),
    "accounting": Change(
        edit("src/dpbandits/privacy/accounting.py", "return sensitivity / (", "return 1.01 * sensitivity / ("),
        noise=NOISY,
        certified=NOISY,
        audits=AUDITS,
    ),
    "statistics of the tables": Change(
        edit("src/dpbandits/stages/aggregate.py", "LEVEL = 0.95", "LEVEL = 0.9"), tables=True, verdicts=True
    ),
    "statistics": Change(
        edit("src/dpbandits/numerics/statistics.py", "MOST_SEEDS = 10**7", "MOST_SEEDS = 10**6"),
        tables=True,
        verdicts=True,
    ),
    "limits of verdicts": Change(edit("src/dpbandits/numerics/limits.py", "FEW = 1.2", "FEW = 1.3"), verdicts=True),
    "predicate": Change(
        edit("src/dpbandits/claims/judgements.py", "FEWEST_SEEDS = 8", "FEWEST_SEEDS = 9"), verdicts=True
    ),
    "threshold": Change(revise("claims", "C1", "tests", 0, "bounds", to=[0.94, 1.05]), verdicts=True),
    "measurement": Change(
        revise("measurements", "slope_in_budget", "tests", 0, "at", "eps", to=[0.1, 1]), verdicts=True
    ),
    "caption": Change(revise("figures", "regret_against_budget", "caption", to="Another one.")),
    "row of a table": Change(revise("tables", "table1", "rows", 0, 0, to="another rival"), figures=False),
    "note on an assumption": Change(revise("constants", "delta", "note", to="No delta is given."), figures=False),
    "look in an entry": Change(edit(f"{PHASED}/phased_elimination_central.py", 'Look("o", "-")', 'Look("o", ":")')),
    "notebook": Change(edit(NOTEBOOK, "What was assumed", "What was taken"), figures=False),
    "style that all pages have": Change(edit("src/dpbandits/report/static/site.css", "84rem", "80rem"), figures=False),
    "word on a page": Change(
        edit("src/dpbandits/report/templates/index.html", "How to run it again", "How to rerun it"), notebook=False
    ),
    "script of the pages": Change(edit("src/dpbandits/report/static/site.js", '"Dark"', '"Night"'), notebook=False),
    "words of a finding": Change(
        edit("src/dpbandits/report/findings/hanna2022.md", "Privacy is almost free", "Privacy is cheap"), notebook=False
    ),
    "picture of a comparison": Change(
        edit("src/dpbandits/report/axes.py", "ROOM = 0.06", "ROOM = 0.05"), notebook=False
    ),
    "docstring": Change(
        edit(f"{PHASED}/batches.py", "Inside a batch the allocation", "Within a batch the allocation"),
        notebook=False,
        report=False,
    ),
    "comment in code that the report shows": Change(
        edit(f"{PHASED}/phased_elimination_local.py", "# L5", "# line 5"), notebook=False
    ),
    "comment": Change(
        edit(f"{PHASED}/batches.py", "# multiplier c_w of", "# factor c_w of"), notebook=False, report=False
    ),
    "runs of a pilot": Change(
        piloted(
            {
                "algorithm": "phased_elimination_central",
                "calibration": "printed",
                "family": "linear",
                "constants": {},
                "runs": 100,
                "linear": None,
            }
        ),
        verdicts=True,
    ),
    "pilot that shows nothing": Change(piloted(), notebook=False, report=False, copied=True),
    "coinciding calibrations": Change(
        edit(
            f"{PHASED}/entries.py",
            '"certified": "printed"}',
            '"certified": "printed", "released": "printed"}',
        ),
        verdicts=True,
    ),
    "word in an audit": Change(revise("audits", "sums", "says", to="Other sums."), audits=["sums"]),
    "budget of an audit": Change(revise("audits", "sums", "grid", "smoke", "eps", to=[0.2]), audits=["sums"]),
    "another scale": Change(
        revise("experiments", "figure2", "size", "full", "seeds", to=1_000_000),  # the page of the file shows it
        notebook=False,
    ),
    "another root seed": Change(
        lambda project: project.revise("root_seed", to=1, file="config/config.yaml"), runs=EVERY, audits=AUDITS
    ),
    "another budget": Change(
        lambda project: project.revise(*BUDGETS, to=[0.005, *project.paper().experiments["figure2"].numbers["eps"]]),
        noise=NOISY,
        runs=NOISY,
        only=lambda curve: curve.experiment == "figure2",
    ),
    "constant of the paper": Change(
        revise("constants", "delta", "value", to=2e-6),
        noise=["phased_elimination_shuffled"],
        runs=["phased_elimination_shuffled"],
        audits=set(AUDITS) - {"rival_reports"},
    ),
    "constant of a calibration": Change(
        revise("calibrations", "tuned", "width", "value", to=0.6),
        runs=EVERY,
        only=lambda curve: curve.calibration == "tuned",
        audits=set(AUDITS) - {"shuffled_few", "rival_reports"},
    ),
    "constant of a variant": Change(
        revise(
            *("experiments", "figure3b", "curves", 2, "parameters"),
            to={"frank_wolfe": False, "printed_width": False, "width": 2},
        ),
        noise=["phased_elimination_no_core_set"],
        runs=["phased_elimination_no_core_set"],
        only=lambda curve: curve.variant == "uniform",
    ),
}


def expected(project: Copy, change: Change) -> tuple[dict[str, int], set[str]]:
    """Jobs by stage, and files, that the change should recompute, from the changed configuration."""
    every = [curve for curve in every_curve(project.project(), project.paper()) if change.only(curve)]
    noise = {c.noise_name for c in every if c.algorithm in change.noise and c.calibration == "certified"}
    runs = [c for c in every if c.algorithm in change.runs]
    runs += [c for c in every if c.algorithm in change.certified and c.calibration == "certified" and c not in runs]
    tables = set(project.paper().experiments) if change.tables else {curve.experiment for curve in runs}
    jobs = {
        "calibrate": len(noise),
        "simulate": sum(len(list(curve.chunks())) for curve in runs),
        "aggregate": len(tables),
        **{f"audit_{number}": 1 for number, name in enumerate(AUDITS) if name in change.audits},
        "collect": int(bool(change.audits)),
        "judge": int(change.verdicts or bool(tables) or bool(change.audits)),
        "draw": len(project.paper().figures) * int(change.notebook and change.figures),
        "render": int(change.notebook),
        "report": int(change.report),
        **dict.fromkeys(["certificate", "replicate"], int(change.report or change.copied)),
    }
    receipts = {f"results/smoke/runs/hanna2022/{name}" for chunk in chunks_of(runs) for name in receipts_of([chunk])}
    files = {f"results/noise/hanna2022/{name}" for name in noise} | receipts
    files |= {f"results/smoke/tables/hanna2022/{name}{kind}.parquet" for name in tables for kind in ("", ".summary")}
    files |= {f"results/smoke/audit/cells/hanna2022/{name}.json" for name in change.audits}
    files |= {"results/smoke/audit/hanna2022.json", "results/smoke/audit/all.csv"} if change.audits else set()
    files |= {VERDICTS} if jobs["judge"] else set()
    files |= {"results/smoke/notebooks/hanna2022.html"} if change.notebook else set()
    files |= {"results/smoke/report"} if change.report else set()
    files |= {"results/smoke/certificate"} if jobs["certificate"] else set()
    return {stage: count for stage, count in jobs.items() if count}, files


def test_nothing_is_planned_before_a_change(pieces):
    assert pieces.plan() == ({}, set())


ONE_OF_EACH_STAGE = (
    *("constant of one algorithm", "helper that all algorithms share", "statistics of the tables", "threshold"),
    *("caption", "word on a page", "comment", "word in an audit", "another scale", "constant of a variant"),
)
"""Changes that `make test` tries; the others are left to `make test-all`."""


@pytest.mark.parametrize(
    "name", [name if name in ONE_OF_EACH_STAGE else pytest.param(name, marks=pytest.mark.slow) for name in CHANGES]
)
def test_a_change_remakes_exactly_what_depends_on_it(pieces, name):
    CHANGES[name].make(pieces)
    jobs, files = pieces.plan()
    assert (jobs, results_of(files)) == expected(pieces, CHANGES[name])


def results_of(files: Iterable[str]) -> set[str]:
    """Names without checksums, without files of figures, and without notebooks, which their pages show."""
    return {name for name in files if "/figures/" not in name and not name.endswith((".sha256", ".ipynb"))}


def executed(project, make, *targets):
    """Results before and after a change and a run, and the names of those whose bytes changed."""
    before = project.contents()
    make(project)
    project.snakemake(*targets)
    after = project.contents()
    return before, after, {name for name in after if after[name] != before.get(name)}


def test_a_changed_threshold_is_executed(pieces):
    """C1 requires a ratio between 0.95 and 1.05, and now between 1.5 and 2."""
    before, after, changed = executed(pieces, revise("claims", "C1", "tests", 0, "bounds", to=[1.5, 2]))
    assert not [name for name in changed if name.startswith("results/curves") or "/tables/" in name]
    assert {VERDICTS, "results/smoke/report/hanna2022/C1.html"} <= changed
    allowed = [
        [row["allowed"] for record in json.loads(result[VERDICTS])["records"] for row in record["details"]]
        for result in (before, after)
    ]
    assert [1.5, 2] not in allowed[0]
    assert [1.5, 2] in allowed[1]


@pytest.mark.slow
def test_a_changed_caption_is_executed(pieces):
    change = revise("figures", "regret_against_budget", "caption", to="Another one.")
    _, after, changed = executed(pieces, change)
    copied = {f"results/smoke/certificate/{name}" for name in (YAML, "ro-crate-metadata.json")}
    copied.add("results/smoke/certificate/manifest-sha256.txt")
    times = {"results/smoke/certificate/times.csv", "results/smoke/report/run.html"}
    pages = {name for name in changed if name.startswith("results/smoke/report/hanna2022")}
    assert pages >= {"results/smoke/report/hanna2022.html", "results/smoke/report/hanna2022/C1.html"}
    assert changed - times == pages | copied | {f"results/smoke/report/{YAML}.html"}
    assert b"Another one." in after["results/smoke/report/hanna2022.html"]


# With pieces that share a job


def chunks(project: Copy, of: Callable[[Curve], bool]) -> set[str]:
    """Names of the chunks of some curves."""
    return {
        f"{curve.experiment}/{curve.folder}/{first:04d}-{last:04d}"
        for curve in every_curve(project.project(), project.paper())
        for first, last in curve.chunks()
        if of(curve)
    }


def changed_chunks(changed: Iterable[str]) -> set[str]:
    """Names of the chunks among changed files; a chunk and its checksum change together."""
    runs = {name.removeprefix("results/curves/hanna2022/") for name in changed if name.startswith("results/curves")}
    tables = {name for name in runs if name.endswith(".parquet")}
    assert runs == tables | {f"{name}.sha256" for name in tables}
    return {name.replace("seeds_", "").removesuffix(".parquet") for name in tables}


def simulated(project: Copy) -> set[str]:
    """Chunks that the last jobs made. The jobs reported on every chunk exactly once."""
    said = project.said("simulate")
    assert set(said) == chunks(project, lambda curve: True)
    return {name for name, what in said.items() if what == "simulated"}


@injects(
    "the folder `.snakemake` is lost",
    tried="removed, and the root seed changed",
    happens="every job rechecks its outputs; correct pieces stay",
    do="run again",
)
def test_outputs_that_nothing_is_known_of_are_checked_and_not_trusted(finished, tmp_path):
    """Without Snakemake's records, and then with another root seed: valid runs stay, others do not."""
    project = copy(tmp_path, source=False, of=finished)
    before = project.contents()
    shutil.rmtree(project.root / ".snakemake")
    project.snakemake(TABLE_OF_FIGURE2)
    assert set(project.said("simulate").values()) == {"up to date"}
    assert project.contents() == before
    shutil.rmtree(project.root / ".snakemake")
    project.revise("root_seed", to=7, file="config/config.yaml")
    project.snakemake(TABLE_OF_FIGURE2)
    assert set(project.said("simulate").values()) == {"simulated"}
    assert project.contents()[TABLE_OF_FIGURE2] != before[TABLE_OF_FIGURE2]


@pytest.mark.slow
def test_the_record_of_speed_is_taken_up_by_the_report_alone(finished, tmp_path):
    """When the record appears, changes and disappears."""
    project = copy(tmp_path, source=False, of=finished)
    record, page = project.root / RATIOS, project.root / "results/smoke/report/speed.html"
    assert NOTHING in page.read_text(encoding="utf-8")
    report = {"report": 1, "certificate": 1, "replicate": 1}
    record.parent.mkdir()
    record.write_text(json.dumps(MEASURED), encoding="utf-8")
    assert project.planned() == report
    project.snakemake()
    assert "Bernoulli rewards" in page.read_text(encoding="utf-8")
    assert record.read_bytes() == (project.root / f"results/smoke/certificate/{RATIOS}").read_bytes()
    assert project.planned() == {}
    record.write_text(json.dumps({**MEASURED, "kernels": []}), encoding="utf-8")
    assert project.planned() == report
    record.unlink()
    assert project.planned() == report


@pytest.mark.slow
def test_a_changed_constant_is_executed(again, tmp_path_factory, monkeypatch):
    """A wider confidence width in the baseline: its runs change, and those of the other curves in the job stay."""
    monkeypatch.setenv("KERNELS", str(tmp_path_factory.mktemp("kernels")))
    change = edit(f"{PHASED}/phased_elimination.py", "math.sqrt(4.0 * d", "math.sqrt(6.0 * d")
    _, _, changed = executed(again, change, TABLE_OF_FIGURE2)
    own = chunks(again, lambda curve: curve.algorithm == "phased_elimination")
    assert own < chunks(again, lambda curve: True), "other curves share the job"
    assert changed_chunks(changed) == simulated(again) == own
    assert TABLE_OF_FIGURE2 in changed
    assert again.planned(TABLE_OF_FIGURE2) == {}


def test_a_changed_noise_file_is_executed(finished, tmp_path):
    """More noise for the local algorithm in one experiment: only its certified curve is simulated again."""
    project = copy(tmp_path, source=False, of=finished)
    curve = next(
        curve
        for curve in every_curve(project.project(), project.paper())
        if (curve.experiment, curve.algorithm, curve.calibration)
        == ("figure2", "phased_elimination_local", "certified")
    )
    path = project.root / "results/noise/hanna2022" / curve.noise_name

    def change(project):
        record = read_record(path)
        for entry in record["entries"]:
            entry["noise"] *= 1.5
        write_record(path, record)

    _, _, changed = executed(project, change, TABLE_OF_FIGURE2)
    readers = chunks(project, lambda each: each.calibration == "certified" and each.noise_name == curve.noise_name)
    assert f"figure2/{curve.folder}/0000-0001" in readers
    assert changed_chunks(changed) == simulated(project) == readers
    assert TABLE_OF_FIGURE2 in changed
    assert project.planned(TABLE_OF_FIGURE2) == {}


def test_lost_noise_is_made_again_and_no_run_is_repeated(finished, tmp_path):
    project = copy(tmp_path, source=False, of=finished)
    before = project.contents()
    lost = sorted((project.root / "results/noise/hanna2022").glob("phased_elimination_central-*.json"))
    for path in lost:
        path.unlink()
    project.snakemake(*(str(path.relative_to(project.root)) for path in lost))
    assert project.contents() == before
    said = project.said("calibrate")
    assert {name for name, what in said.items() if what == "computed"} == {path.name for path in lost} < set(said)
    assert project.planned(VERDICTS) == {}


@pytest.mark.slow
def test_jobs_of_another_size_make_nothing_anew(finished, tmp_path):
    project = copy(tmp_path, source=False, of=finished)
    _, _, changed = executed(project, lambda project: bundled(project, 0.1), TABLE_OF_FIGURE2)
    assert len(list((project.root / "logs/simulate/smoke/hanna2022").iterdir())) > 1
    assert changed == set()
    assert simulated(project) == set()
