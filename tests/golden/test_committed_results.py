"""The committed results of the full scale: judged again, drawn again, and a chunk of each experiment computed again.

What is older than the code is listed and does not fail: results are re-made by `make full`.
"""

import json
import re
from pathlib import Path

import numpy as np
import pytest

from dpbandits.api.results import load_results
from dpbandits.base.parquet import columns_digest, read_table
from dpbandits.config.curves import Curve, chunk_name
from dpbandits.config.entries import TABLE
from dpbandits.config.grid import curves
from dpbandits.config.sections import cases, judged_outputs
from dpbandits.figures import drawings, files
from dpbandits.figures.kinds import matrix, speed
from dpbandits.figures.results import read_results
from dpbandits.planning import dependencies
from dpbandits.planning.pilots import shown_in_pilot
from dpbandits.stages.aggregate import stored
from dpbandits.stages.judge import judge
from dpbandits.stages.report import overlay_of, speed_record
from dpbandits.stages.simulate import run_seeds
from tests.shipped import COMMITTED, ROOT, shipped

from .test_golden_digests import platform_of

PROJECT = shipped("full")
NUMBER = re.compile(r"\d+(?:\.\d+)?")
HOME = json.loads((Path(__file__).parent / "digests.json").read_text(encoding="utf-8"))["platform"]
SAME_BITS = platform_of() == HOME
LONGEST = 1.0  # estimated seconds of a chunk that is computed again whole
OTHER_BITS = f"bits are guaranteed where the results were made ({HOME}), not here; numbers are compared instead"


def data(paper: str) -> Path:
    return ROOT / "figures" / paper / "data"


def records_of(paper: str) -> list[Path]:
    """Records of claims and audits."""
    return [data(paper) / f"{kind}.json" for kind in ("claims", "audit")]


def origins(paper: str, experiment: str) -> dict[str, dict]:
    """Folder of the curve -> what the table says about where its runs come from."""
    _, provenance = read_table(data(paper) / f"{experiment}.parquet")
    return {origin["folder"]: origin for origin in provenance["curves"]}


def close(found: object, committed: object) -> bool:
    """Equal, numbers up to the last digits, which another processor may turn."""
    if isinstance(committed, dict):
        return set(found) == set(committed) and all(close(found[key], committed[key]) for key in committed)
    if isinstance(committed, list):
        return len(found) == len(committed) and all(map(close, found, committed))
    if isinstance(committed, float):
        return found == pytest.approx(committed, rel=1e-6, abs=1e-9, nan_ok=True)
    return found == committed


ONE_QUICK = pytest.mark.parametrize(
    "paper", [paper if paper == "chowdhury2022" else pytest.param(paper, marks=pytest.mark.slow) for paper in COMMITTED]
)
EXPERIMENTS = [(paper, experiment) for paper in COMMITTED for experiment in PROJECT.papers[paper].experiments]


@pytest.mark.parametrize(("paper", "experiment"), EXPERIMENTS)
def test_tables_belong_to_the_configuration(paper, experiment):
    found = curves(PROJECT, PROJECT.papers[paper], experiment)
    kept = origins(paper, experiment)
    assert {folder: each["seeds"] for folder, each in kept.items()} == {curve.folder: curve.seeds for curve in found}
    for curve in found:
        if not curve.bound:
            assert list(kept[curve.folder]["chunks"]) == [chunk_name(*chunk) for chunk in curve.chunks()]


@pytest.mark.parametrize(("paper", "experiment"), EXPERIMENTS)
def test_tables_have_every_point_seed_and_checkpoint(paper, experiment):
    """Curve by curve the rows of both tables, whose points may have horizons of their own."""
    runs, _ = read_table(data(paper) / f"{experiment}.parquet")
    summary, _ = read_table(data(paper) / f"{experiment}.summary.parquet")
    start = begin = 0
    for curve in curves(PROJECT, PROJECT.papers[paper], experiment):
        labels = {"algorithm": curve.algorithm, "calibration": curve.calibration, "variant": curve.variant}
        for point in curve.points:
            rows, ends = slice(start, start + curve.seeds), curve.rounds_at(point)
            lines = slice(begin, begin + len(ends))
            assert runs["seed"][rows].tolist() == list(range(curve.seeds))
            assert np.isfinite(runs["regret"][rows]).all()
            assert summary["t"][lines].tolist() == ends.tolist()
            assert ends[-1] == point.get("T", curve.horizon)
            assert set(summary["n"][lines]) == {curve.seeds}
            assert summary["mean"][lines][-1] == pytest.approx(runs["regret"][rows].mean(), rel=2e-7)
            for name, value in {**labels, **point}.items():
                assert set(runs[name][rows]) == set(summary[name][lines]) == {value}
            start, begin = rows.stop, lines.stop
    assert (start, begin) == (len(runs["seed"]), len(summary["t"]))


@pytest.mark.parametrize(("paper", "experiment"), EXPERIMENTS)
def test_tables_have_the_outputs_that_are_judged(paper, experiment):
    section = PROJECT.papers[paper]
    columns = list(read_table(data(paper) / f"{experiment}.parquet")[0])
    judged = judged_outputs(section.claims, section.measurements, section.rules).get(experiment, set())
    assert set(columns[columns.index("seed") + 1 :]) == {"regret"} | judged - {"T"}


@ONE_QUICK
def test_judged_again(paper, tmp_path):
    """Every claim at every calibration and variant, and every measurement, with the runs of the pilot beside them."""
    section = PROJECT.papers[paper]
    out = tmp_path / "claims.json"
    judge(
        paper,
        "full",
        section.claims,
        section.measurements,
        section.rules,
        {name: figure.claims for name, figure in section.figures.items()},
        {experiment: curves(PROJECT, section, experiment) for experiment in section.experiments},
        {name: algorithm.calibrations for name, algorithm in TABLE.items()},
        {experiment: data(paper) / f"{experiment}.parquet" for experiment in section.experiments},
        data(paper) / "audit.json",
        out,
        shown_in_pilot(PROJECT, paper),
    )
    found, committed = (json.loads(path.read_text(encoding="utf-8")) for path in (out, data(paper) / "claims.json"))
    judged = [(r["id"].partition("/")[2], r["variant"], r["calibration"]) for r in committed["records"]]
    assert judged == [case[:3] for case in cases(section.claims)]
    measured = [(each["name"], each["calibration"]) for each in committed["measurements"]]
    assert measured == [(name, each) for name, one in section.measurements.items() for each in one.calibrations]
    for kind in ("records", "measurements"):
        for new, old in zip(found[kind], committed[kind], strict=True):
            assert close(new, old), (kind, old.get("id", old.get("name")), old["calibration"])


@ONE_QUICK
def test_drawn_again(paper, tmp_path):
    results = read_results(PROJECT.papers[paper], data(paper), *records_of(paper), tmp_path)
    for name in PROJECT.papers[paper].figures:
        drawings.save(results, name)
    for name in PROJECT.papers[paper].pictures:
        new, old = (overlay_of(folder / f"{name}.svg") for folder in (tmp_path, ROOT / f"figures/{paper}"))
        shown, kept = ([NUMBER.split(each.says) for each in one.values] for one in (new, old))
        assert shown == kept, name
        values, before = ([float(n) for each in one.values for n in NUMBER.findall(each.says)] for one in (new, old))
        assert values == pytest.approx(before, rel=0.01)
    assert {path.name for path in tmp_path.iterdir()} == {p.name for p in (ROOT / f"figures/{paper}").glob("*.*")}
    if not SAME_BITS:
        pytest.skip(OTHER_BITS)
    for path in sorted(tmp_path.glob("*.svg")):
        assert path.read_bytes() == (ROOT / f"figures/{paper}/{path.name}").read_bytes(), path.name


def test_all_verdicts_drawn_again(tmp_path):
    papers = [PROJECT.papers[key] for key in COMMITTED]
    judged = [json.loads((data(key) / "claims.json").read_text(encoding="utf-8")) for key in COMMITTED]
    verdicts = matrix.frame(record for each in judged for record in each["records"])
    files.save(matrix.draw(papers, verdicts), tmp_path / "claims")
    if not SAME_BITS:
        pytest.skip(OTHER_BITS)
    assert (tmp_path / "claims.svg").read_bytes() == (ROOT / "figures/claims.svg").read_bytes()


def test_pictures_of_speed_drawn_again(tmp_path):
    record = speed_record(ROOT / "benchmarks/ratios.json")
    files.save(speed.ratios(record["kernels"]), tmp_path / "speed")
    files.save(speed.growth(record["growth"]), tmp_path / "growth")
    if not SAME_BITS:
        pytest.skip(OTHER_BITS)
    for name in ("speed.svg", "growth.svg"):
        assert (tmp_path / name).read_bytes() == (ROOT / "figures" / name).read_bytes(), name


@pytest.mark.parametrize("paper", COMMITTED)
def test_tables_of_the_paper_can_be_shown(paper):
    """Every measured column has an estimate where a curve stands for the row, and nothing elsewhere."""
    results = load_results(paper, project=ROOT)
    for name, section in PROJECT.papers[paper].tables.items():
        rows = results.printed_table(name).to_dict("records")
        assert [list(row.values())[: len(section.columns)] for row in rows] == [list(row) for row in section.rows]
        for column in section.measured or ():
            shown = [bool(row[column.column]) for row in rows]
            assert shown == [curve is not None for curve in column.curves]


def cheapest() -> list[Curve]:
    """Of every experiment and variant the cheapest curve that needs no certified noise."""
    found: dict[tuple[str, ...], Curve] = {}
    for paper, experiment in EXPERIMENTS:
        for curve in curves(PROJECT, PROJECT.papers[paper], experiment):
            key = (paper, experiment, curve.variant)
            if curve.calibration != "certified" and not curve.bound:
                found[key] = min(found.get(key, curve), curve, key=lambda c: c.seconds_per_chunk)
    return list(found.values())


@pytest.mark.slow
@pytest.mark.skipif(not SAME_BITS, reason=OTHER_BITS)
@pytest.mark.parametrize("curve", cheapest(), ids=lambda curve: f"{curve.experiment}/{curve.folder}")
def test_one_chunk_computed_again(curve):
    """The first chunk, where it takes no more than a few seconds; else its first seeds, by their regret."""
    name, digest = next(iter(origins(curve.paper, curve.experiment)[curve.folder]["chunks"].items()))
    none = [{} for _ in curve.points]
    stale = f"{curve.folder}/{name}: the code gives other numbers; run `make full`"
    if curve.seconds_per_chunk <= LONGEST:
        assert columns_digest(run_seeds(curve, PROJECT.root_seed, range(curve.chunk), none)) == digest, stale
        return
    seeds = max(1, int(curve.chunk * LONGEST / curve.seconds_per_chunk))
    columns = run_seeds(curve, PROJECT.root_seed, range(seeds), none)
    runs, _ = read_table(data(curve.paper) / f"{curve.experiment}.parquet")
    own = np.ones(len(runs["seed"]), dtype=bool)
    for label in ("algorithm", "calibration", "variant"):
        own &= runs[label] == getattr(curve, label)
    committed = runs["regret"][own].reshape(len(curve.points), curve.seeds)[:, :seeds]
    for p, point in enumerate(curve.points):
        rows = (columns["point"] == p) & (columns["t"] == curve.horizon_at(point))
        regret = columns["regret"][rows].reshape(seeds, curve.replicates).mean(axis=1)
        assert np.array_equal(stored(regret), committed[p]), stale


@pytest.mark.parametrize("paper", COMMITTED)
def test_which_results_are_older_than_the_code(paper, say):
    """Counts them; fails only when a table does not name the sources that it was computed from."""
    old, every = 0, 0
    for experiment in PROJECT.papers[paper].experiments:
        made = origins(paper, experiment)
        for curve in curves(PROJECT, PROJECT.papers[paper], experiment):
            if curve.bound:
                continue
            source = made[curve.folder]["source"]
            assert len(source) == 64
            old, every = old + (source != dependencies.digest(dependencies.simulate(curve))), every + 1
    if old:
        say(f"figures/{paper}: {old} of {every} curves come from older code; `make full` recomputes them")
