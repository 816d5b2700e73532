"""Stage aggregate: the tables against plain pandas and SciPy, and no chunk that is not what it should be."""

import json
import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from scipy import stats

from dpbandits.algorithms.phased_elimination.batches import OUTPUTS
from dpbandits.base import scratch
from dpbandits.base.digests import json_digest
from dpbandits.base.parquet import columns_digest, read_table, write_table
from dpbandits.base.storage import DamagedFile, checksum_file
from dpbandits.base.streams import generator
from dpbandits.config.curves import Curve, chunk_name
from dpbandits.environments.bernoulli import bernoulli_one_gap
from dpbandits.stages import aggregate as stage
from dpbandits.stages.aggregate import aggregate, stored
from dpbandits.stages.chunks import Made
from dpbandits.stages.simulate import simulate
from tests.faults.table import injects

from .small import CENTRAL, LOCAL, PLAIN, curve

ROUNDS = np.array([1, 10, 100, 1000])
ROUNDING = 2.0**-24  # relative error of single precision
SIX = curve(CENTRAL, replicates=2, chunk=2)
OTHER = curve(PLAIN, chunk=3)
LABELS = ["algorithm", "calibration", "variant"]


def rounds_of(c: Curve) -> list[list[int]]:
    """Powers of ten up to the horizon of every point, and the horizon."""
    horizons = [int(point.get("T", c.horizon)) for point in c.points]
    return [sorted({t for t in (1, 10, 100, 1000) if t < horizon} | {horizon}) for horizon in horizons]


def chunk(c: Curve, seeds: range, outputs: Sequence[str] = ("regret", "misses")) -> pd.DataFrame:
    """Rows as the stage simulate writes them, with values that name their place and outputs of random size."""
    names = ["point", "seed", "replicate", "t"]
    parts = [
        pd.MultiIndex.from_product([[p], seeds, range(c.replicates), rounds], names=names).to_frame(index=False)
        for p, rounds in enumerate(rounds_of(c))
    ]
    frame = pd.concat(parts, ignore_index=True)
    rng = np.random.default_rng([len(c.algorithm), seeds[0]])
    return frame.assign(**{name: rng.lognormal(size=len(frame)) for name in outputs})


def provenance(c: Curve) -> dict[str, Any]:
    return {"id": json_digest(c.identity()), "source": "abc", "root_seed": 1, "noise": []}


def put(path: Path, frame: pd.DataFrame, made: dict[str, Any]) -> Path:
    write_table(path, {name: frame[name].to_numpy() for name in frame}, made)
    return path


def write(folder: Path, c: Curve, outputs: Sequence[str] = ("regret", "misses")) -> tuple[list[Path], pd.DataFrame]:
    """All chunks of a curve, and their rows together."""
    paths, frames = [], []
    for first, last in c.chunks():
        frame = chunk(c, range(first, last + 1), outputs)
        paths.append(put(folder / c.folder / chunk_name(first, last), frame, provenance(c)))
        frames.append(frame)
    return paths, pd.concat(frames, ignore_index=True)


def frame_of(path: Path) -> pd.DataFrame:
    return pd.DataFrame(read_table(path)[0])


def run(folder: Path, *every: tuple[Curve, list[Path]]) -> tuple[pd.DataFrame, pd.DataFrame]:
    runs, summary = folder / "runs.parquet", folder / "runs.summary.parquet"
    aggregate([c for c, _ in every], {c.folder: paths for c, paths in every}, runs, summary, 1)
    return frame_of(runs), frame_of(summary)


def test_finals_are_the_outputs_at_the_horizon_averaged_over_replicates(tmp_path: Path):
    paths, frame = write(tmp_path, SIX)
    runs, _ = run(tmp_path, (SIX, paths))
    assert list(runs) == [*LABELS, "eps", "seed", "regret", "misses"]
    assert (runs[LABELS] == [CENTRAL, "printed", ""]).all(axis=None)
    last = frame[frame["t"] == 1000]
    wanted = last.groupby(["point", "seed"])[["regret", "misses"]].mean().reset_index()
    wanted["eps"] = [SIX.points[point]["eps"] for point in wanted["point"]]
    for name in ("eps", "seed"):
        assert runs[name].tolist() == wanted[name].tolist()
    np.testing.assert_allclose(runs[["regret", "misses"]], wanted[["regret", "misses"]], rtol=ROUNDING)


def test_the_summary_is_students_interval_over_seeds(tmp_path: Path):
    paths, frame = write(tmp_path, SIX)
    _, summary = run(tmp_path, (SIX, paths))
    assert list(summary) == [*LABELS, "eps", "t", "n", "mean", "standard_error", "low", "high", "median"]
    assert summary["t"].tolist() == [*ROUNDS, *ROUNDS]
    assert summary["eps"].tolist() == [1.0] * 4 + [10.0] * 4
    assert set(summary["n"]) == {6}
    by_seed = frame.groupby(["point", "t", "seed"])["regret"].mean()
    for row, (_, sample) in zip(summary.itertuples(), by_seed.groupby(["point", "t"]), strict=True):
        low, high = stats.t.interval(0.95, 5, sample.mean(), stats.sem(sample))
        got = [row.mean, row.standard_error, row.low, row.high, row.median]
        np.testing.assert_allclose(got, [sample.mean(), stats.sem(sample), low, high, sample.median()], rtol=ROUNDING)


def test_the_interval_by_hand(tmp_path: Path):
    """Regret 1, 2, 3 of three seeds: mean 2, standard error 1/sqrt(3), quantile 4.302653 of t with 2 degrees."""
    c = curve(PLAIN, seeds=3, chunk=3, horizon=8, checkpoints_per_decade=0)
    seeds = np.array([0, 1, 2], dtype=np.int32)
    columns = {"point": seeds * 0, "seed": seeds, "replicate": seeds * 0, "t": seeds * 0 + 8, "regret": seeds + 1.0}
    path = put(tmp_path / "chunk.parquet", pd.DataFrame(columns), provenance(c))
    _, summary = run(tmp_path, (c, [path]))
    half = 4.302653 / np.sqrt(3)
    assert summary.loc[0, ["low", "mean", "high", "median"]].tolist() == pytest.approx([2 - half, 2, 2 + half, 2])


def test_chunks_make_no_difference(tmp_path: Path):
    paths, frame = write(tmp_path, SIX)
    whole = replace(SIX, chunk=6)
    ordered = frame.sort_values(["point", "seed", "replicate", "t"])
    path = put(tmp_path / "whole.parquet", ordered, provenance(whole))
    for one, other in zip(run(tmp_path, (SIX, paths)), run(tmp_path, (whole, [path])), strict=True):
        pd.testing.assert_frame_equal(one, other, check_exact=True)


def test_curves_stand_below_each_other_with_nan_for_what_only_some_have(tmp_path: Path):
    first, _ = write(tmp_path, SIX, ("regret", "misses"))
    second, _ = write(tmp_path, OTHER, ("regret", "updates"))
    runs, summary = run(tmp_path, (SIX, first), (OTHER, second))
    assert list(runs) == [*LABELS, "eps", "seed", "regret", "misses", "updates"]
    assert runs["algorithm"].tolist() == [CENTRAL] * 12 + [PLAIN] * 6
    assert runs["misses"].isna().tolist() == [False] * 12 + [True] * 6
    assert runs["updates"].isna().tolist() == [True] * 12 + [False] * 6
    assert runs["eps"].isna().tolist() == [False] * 12 + [True] * 6
    assert summary["mean"].notna().all()
    alone, _ = run(tmp_path, (SIX, first))
    pd.testing.assert_frame_equal(runs[list(alone)][:12], alone, check_exact=True)


RAGGED = curve(
    CENTRAL,
    points=({"T": 100.0, "eps": 1.0}, {"T": 1000.0, "eps": 1.0}, {"T": 50.0, "eps": 2.0}),
    replicates=2,
    chunk=2,
)


def test_points_may_have_horizons_of_their_own(tmp_path: Path):
    paths, frame = write(tmp_path, RAGGED)
    runs, summary = run(tmp_path, (RAGGED, paths))
    assert list(runs) == [*LABELS, "T", "eps", "seed", "regret", "misses"]
    assert runs["T"].tolist() == [100.0] * 6 + [1000.0] * 6 + [50.0] * 6
    assert runs["seed"].tolist() == [*range(6)] * 3
    horizons = frame["point"].map({0: 100, 1: 1000, 2: 50})
    last = frame[frame["t"] == horizons].groupby(["point", "seed"])[["regret", "misses"]].mean()
    np.testing.assert_allclose(runs[["regret", "misses"]], last, rtol=ROUNDING)
    assert summary["t"].tolist() == [1, 10, 100, 1, 10, 100, 1000, 1, 10, 50]
    assert summary["T"].tolist() == [100.0] * 3 + [1000.0] * 4 + [50.0] * 3
    assert summary["eps"].tolist() == [1.0] * 7 + [2.0] * 3
    by_seed = frame.groupby(["point", "t", "seed"])["regret"].mean().groupby(["point", "t"])
    np.testing.assert_allclose(summary["mean"], by_seed.mean(), rtol=ROUNDING)
    np.testing.assert_allclose(summary["median"], by_seed.median(), rtol=ROUNDING)


def test_chunks_of_a_ragged_grid_make_no_difference(tmp_path: Path):
    paths, frame = write(tmp_path, RAGGED)
    whole = replace(RAGGED, chunk=6)
    path = put(tmp_path / "whole.parquet", frame.sort_values(["point", "seed", "replicate", "t"]), provenance(whole))
    for one, other in zip(run(tmp_path, (RAGGED, paths)), run(tmp_path, (whole, [path])), strict=True):
        pd.testing.assert_frame_equal(one, other, check_exact=True)


def test_the_grid_values_of_every_curve_are_columns(tmp_path: Path):
    """Curves side by side: of one that does not use a value it is not a number."""
    plain = curve(PLAIN, points=({"T": 1000.0}, {"T": 100.0}), chunk=3)
    first, _ = write(tmp_path, plain)
    second, _ = write(tmp_path, RAGGED)
    runs, summary = run(tmp_path, (plain, first), (RAGGED, second))
    for table in (runs, summary):
        assert list(table)[3:5] == ["T", "eps"]
        assert table["T"].notna().all()
        assert (table["eps"].isna() == (table["algorithm"] == PLAIN)).all()


def test_what_the_stage_simulate_writes_is_read(tmp_path: Path):
    """Real runs of a ragged grid: regret at each horizon, point by point."""
    small = replace(RAGGED, seeds=4)
    paths = [tmp_path / small.folder / chunk_name(first, last) for first, last in small.chunks()]
    for path, (first, last) in zip(paths, small.chunks(), strict=True):
        simulate(small, 1, first, last, None, "abc", path)
    runs, summary = run(tmp_path, (small, paths))
    assert list(runs)[5:] == ["seed", *OUTPUTS]
    assert len(summary) == 3 + 4 + 3
    for p, point in enumerate(small.points):
        for k, path in enumerate(paths):
            columns, _ = read_table(path)
            rows = (columns["point"] == p) & (columns["t"] == point["T"])
            wanted = columns["regret"][rows].reshape(2, 2).mean(axis=1)
            np.testing.assert_array_equal(runs["regret"][4 * p + 2 * k : 4 * p + 2 * k + 2], stored(wanted))


def test_outputs_and_moments_are_in_single_precision(tmp_path: Path):
    small = replace(RAGGED, seeds=4)
    paths = [tmp_path / small.folder / chunk_name(first, last) for first, last in small.chunks()]
    for path, (first, last) in zip(paths, small.chunks(), strict=True):
        simulate(small, 1, first, last, None, "abc", path)
    run(tmp_path, (small, paths))
    for ending, first in (("", "seed"), (".summary", "n")):
        (table,) = (path for path in tmp_path.glob("*.parquet") if (path.stem.endswith(".summary")) == bool(ending))
        kinds = {field.name: str(field.type) for field in pq.read_schema(table)}
        values = list(kinds)[list(kinds).index(first) + 1 :]
        assert len(values) >= 2
        assert {kinds[name] for name in values} == {"float"}
        assert kinds["T"] == "double"


def test_the_variant_names_its_rows(tmp_path: Path):
    wide = replace(SIX, variant="wide")
    first, _ = write(tmp_path, SIX)
    second, _ = write(tmp_path, wide)
    runs, summary = run(tmp_path, (SIX, first), (wide, second))
    assert runs["variant"].tolist() == [""] * 12 + ["wide"] * 12
    assert summary["variant"].tolist() == [""] * 8 + ["wide"] * 8


def test_tables_say_what_they_hold_and_are_equal_when_written_again(tmp_path: Path):
    paths, _ = write(tmp_path, SIX)
    run(tmp_path, (SIX, paths))
    before = (tmp_path / "runs.parquet").read_bytes()
    made = read_table(tmp_path / "runs.parquet")[1]
    (origin,) = made["curves"]
    assert made["level"] == 0.95
    assert origin["curve"] == json.loads(json.dumps(SIX.identity()))
    assert (origin["folder"], origin["seeds"], origin["source"]) == (SIX.folder, 6, "abc")
    assert origin["chunks"] == {path.name: columns_digest(read_table(path)[0]) for path in paths}
    run(tmp_path, (SIX, paths))
    assert (tmp_path / "runs.parquet").read_bytes() == before


def refused(folder: Path, *every: tuple[Curve, list[Path]]) -> str:
    with pytest.raises(DamagedFile) as fault:
        run(folder, *every)
    assert not (folder / "runs.parquet").exists()
    return str(fault.value)


def test_a_damaged_chunk_is_set_aside_and_named(tmp_path: Path):
    paths, _ = write(tmp_path, SIX)
    paths[1].write_bytes(paths[1].read_bytes()[:-1])
    line = refused(tmp_path, (SIX, paths))
    assert line == f"{paths[1]}: does not match its checksum; quarantined as .damaged; run again"
    assert not paths[1].exists()
    assert not checksum_file(paths[1]).exists()
    assert paths[1].with_name(f"{paths[1].name}.damaged").exists()
    again, _ = write(tmp_path, SIX)
    assert len(run(tmp_path, (SIX, again))[0]) == 12


def test_all_damaged_chunks_of_all_curves_are_named_at_once(tmp_path: Path):
    first, _ = write(tmp_path, SIX)
    second, _ = write(tmp_path, OTHER)
    for path in (first[0], first[2], second[1]):
        path.write_bytes(b"")
    line = refused(tmp_path, (SIX, first), (OTHER, second))
    assert [str(path) in line for path in (*first, *second)] == [True, False, True, False, True]
    assert "\n" not in line


def test_a_missing_chunk_or_checksum_is_named(tmp_path: Path):
    paths, _ = write(tmp_path, SIX)
    checksum_file(paths[0]).unlink()
    paths[2].unlink()
    assert refused(tmp_path, (SIX, paths)) == (
        f"{paths[0]}.sha256: cannot be read (No such file or directory); quarantined as .damaged; run again; "
        f"{paths[2]}: cannot be read (No such file or directory); run again"
    )


def test_a_chunk_of_another_curve_is_refused(tmp_path: Path):
    paths, _ = write(tmp_path, SIX)
    foreign, _ = write(tmp_path, curve(LOCAL, replicates=2, chunk=2))
    assert refused(tmp_path, (SIX, [paths[0], foreign[1], paths[2]])) == (
        f"{foreign[1]}: belongs to another curve; quarantined as .damaged; run again"
    )


def test_a_chunk_under_the_name_of_another_is_refused(tmp_path: Path):
    paths, _ = write(tmp_path, SIX)
    assert refused(tmp_path, (SIX, [paths[0], paths[2], paths[2]])).startswith(
        f"{paths[2]}: must hold the seeds 2 to 3, and no others; quarantined as .damaged; run again"
    )


def test_one_noise_of_several_that_differs_is_enough():
    origin = {"root_seed": 1, "noise": [{"first": 1.0, "second": 2.0}]}
    assert Made(1, None, frozenset([1.0, 2.0, 3.0])).differs(origin) == ""
    assert Made(1, None, frozenset([1.0, 3.0])).differs(origin) == "different noise"


@pytest.mark.parametrize(
    ("made", "what"),
    [
        (Made(2), "a different root seed"),
        (Made(1, "other"), "different sources"),
        (Made(1, None, frozenset()), "different noise"),
        (Made(1, None, frozenset([0.5])), "different noise"),
    ],
)
@injects(
    "chunks with another root seed, other sources or other noise",
    tried="swapped with the present ones",
    happens="named and quarantined",
    do="run again",
)
def test_chunks_that_were_made_otherwise_than_at_present_are_made_again(tmp_path: Path, made: Made, what: str):
    paths, _ = write(tmp_path, SIX)
    for path, (first, last) in zip(paths, SIX.chunks(), strict=True):
        put(path, chunk(SIX, range(first, last + 1)), provenance(SIX) | {"noise": [{"noise_scale": 1.0}]})
    files, tables = {SIX.folder: paths}, (tmp_path / "runs.parquet", tmp_path / "summary.parquet")
    aggregate([SIX], files, *tables, 1, made={SIX.folder: Made(1, provenance(SIX)["source"], frozenset([1.0]))})
    with pytest.raises(DamagedFile) as fault:
        aggregate([SIX], files, *tables, 1, made={SIX.folder: made})
    says = [f"{path}: was computed with {what}; quarantined as .damaged; run again" for path in paths]
    assert str(fault.value) == "; ".join(says)
    assert not any(path.exists() for path in paths)


@pytest.mark.parametrize("change", [{"source": "other"}, {"noise": [{"noise_scale": 1.0}]}])
def test_chunks_that_were_made_otherwise_than_the_rest_are_all_made_again(tmp_path: Path, change: dict[str, Any]):
    paths, _ = write(tmp_path, SIX)
    put(paths[1], chunk(SIX, range(2, 4)), provenance(SIX) | change)
    says = "chunks differ in sources, root seed or noise; quarantined as .damaged; run again"
    assert refused(tmp_path, (SIX, paths)) == f"{paths[0].parent}: {says}"
    assert not any(path.exists() or checksum_file(path).exists() for path in paths)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_regret_that_is_no_number_is_named_and_stays(tmp_path: Path, value: float):
    """Running the algorithm again would give the same regret."""
    paths, _ = write(tmp_path, SIX)
    frame = chunk(SIX, range(2, 4))
    frame.loc[5, "regret"] = value
    put(paths[1], frame, provenance(SIX))
    says = "holds regret that is not a finite number; correct the algorithm"
    assert refused(tmp_path, (SIX, paths)) == f"{SIX.folder}: {says}"
    assert paths[1].exists()


def test_the_number_of_chunks_must_be_that_of_the_curve(tmp_path: Path):
    paths, _ = write(tmp_path, SIX)
    with pytest.raises(ValueError, match="zip"):
        run(tmp_path, (SIX, paths[:2]))


def test_the_summary_has_the_course_of_traced_outputs(tmp_path: Path):
    """Against pandas; a curve without the output has none, and the columns of regret stay as they are."""
    paths, frame = write(tmp_path, SIX)
    others, _ = write(tmp_path, OTHER, ["regret"])
    _, plain = run(tmp_path, (SIX, paths), (OTHER, others))
    runs, summary = tmp_path / "runs.parquet", tmp_path / "runs.summary.parquet"
    aggregate([SIX, OTHER], {SIX.folder: paths, OTHER.folder: others}, runs, summary, 1, ["misses"])
    traced = frame_of(summary)
    pd.testing.assert_frame_equal(traced[list(plain)], plain)
    seeds = frame.groupby(["point", "t", "seed"])["misses"].mean().groupby(["point", "t"])
    own, other = traced[traced["algorithm"] == CENTRAL], traced[traced["algorithm"] == PLAIN]
    np.testing.assert_allclose(own["misses_mean"], seeds.mean(), rtol=ROUNDING)
    np.testing.assert_allclose(own["misses_median"], seeds.median(), rtol=ROUNDING)
    np.testing.assert_allclose(own["misses_upper"], seeds.quantile(0.8), rtol=ROUNDING)
    np.testing.assert_allclose(own["misses_standard_error"], seeds.sem(), rtol=ROUNDING)
    assert other["misses_mean"].isna().all()


def test_a_bound_is_evaluated_on_the_instances_of_its_seeds(tmp_path: Path):
    """Beside runs of an algorithm; every row by hand from the drawn means."""
    environment = {"family": "bernoulli_one_gap", "arms": 3, "gap": 0.25, "middle": 0.5, "octave": 0}
    bound = replace(
        SIX, algorithm="regret_lower_bound", calibration="printed", environment=environment, parameters={},
        points=({"eps": 1.0}, {"eps": 1e6}), seeds=4, checkpoints_per_decade=1, horizon=100,
    )  # fmt: skip
    runs, summary = tmp_path / "runs.parquet", tmp_path / "summary.parquet"
    aggregate([bound], {}, runs, summary, 7)
    table, provenance = read_table(runs)
    assert provenance["curves"] == [{"curve": bound.identity(), "folder": bound.folder, "seeds": 4}]
    assert table["seed"].tolist() == [0, 1, 2, 3] * 2
    for row, seed in enumerate([0, 1, 2, 3]):
        (means,) = bernoulli_one_gap.draw(
            generator(7, "instance", bound.instance_name({}), seed), arms=3, gap=0.25, middle=0.5, octave=0
        )
        best = max(means)
        kl = [m * math.log(m / best) + (1 - m) * math.log((1 - m) / (1 - best)) for m in means if m < best]
        slope = sum((best - m) / k for m, k in zip([m for m in means if m < best], kl, strict=True))
        assert table["regret"][4 + row] == pytest.approx(slope * math.log(100), rel=1e-6)
    assert read_table(summary)[0]["t"].tolist()[-1] == 100


@pytest.mark.parametrize("threads", [2, 5])
def test_chunks_that_are_read_at_a_time_make_the_same_tables_and_the_same_faults(tmp_path: Path, threads: int):
    paths, _ = write(tmp_path, replace(SIX, seeds=12))
    every = [replace(SIX, seeds=12)], {SIX.folder: paths}
    tables = [[tmp_path / f"{name}{number}.parquet" for name in ("runs", "summary")] for number in (1, threads)]
    for number, two in zip((1, threads), tables, strict=True):
        aggregate(*every, *two, 1, threads=number)
    for one, other in zip(*tables, strict=True):
        assert one.read_bytes() == other.read_bytes()
    for k in (4, 1):
        paths[k].write_bytes(b"")
    with pytest.raises(DamagedFile) as caught:
        aggregate(*every, *tables[1], 1, threads=threads)
    assert [part.partition(":")[0] for part in str(caught.value).split("; ") if ".parquet" in part] == [
        str(paths[1]),
        str(paths[4]),
    ]


@pytest.mark.parametrize("threads", [1, 3])
def test_no_more_is_read_ahead_than_there_are_threads(threads: int):
    begun: list[int] = []
    for item, read in stage.ahead(lambda k: begun.append(k) or 10 * k, range(20), threads):
        assert read() == 10 * item
        assert len(begun) <= item + 1 + threads
    assert sorted(begun) == list(range(20))


@pytest.mark.parametrize("c", [SIX, RAGGED, replace(SIX, checkpoints_per_decade=0)])
@pytest.mark.parametrize(("block", "rows", "held"), [(1, 1, 1), (150, 4, 100), (200, 2, 10**6)])
def test_the_tables_do_not_depend_on_how_much_is_held_at_a_time(
    tmp_path: Path, monkeypatch, c: Curve, block, rows, held
):
    """The tables have the same bytes whether runs are in memory, on disk or read in blocks; some differ by rounding."""
    paths = []
    rng = np.random.default_rng(1)
    c = replace(c, seeds=300, chunk=100)
    for first, last in c.chunks():
        frame = chunk(c, range(first, last + 1)) if c.checkpoints_per_decade else ends_of(c, range(first, last + 1))
        frame["regret"] = 1e6 + rng.normal(size=len(frame))
        paths.append(put(tmp_path / c.folder / chunk_name(first, last), frame, provenance(c)))
    tables = [tmp_path / f"{name}.parquet" for name in ("runs", "summary", "runs2", "summary2")]
    aggregate([c], {c.folder: paths}, *tables[:2], 1, ["misses"])
    monkeypatch.setattr(stage, "BLOCK", block)
    monkeypatch.setattr(stage, "ROWS", rows)
    monkeypatch.setattr(scratch, "HELD", held)
    aggregate([c], {c.folder: paths}, *tables[2:], 1, ["misses"])
    for one, other in zip(tables[:2], tables[2:], strict=True):
        assert one.read_bytes() == other.read_bytes()


def ends_of(c: Curve, seeds: range) -> pd.DataFrame:
    """The rows of runs whose regret is recorded at the horizon alone."""
    frame = chunk(replace(c, checkpoints_per_decade=1), seeds)
    return frame[frame["t"] == c.horizon].reset_index(drop=True)


@pytest.mark.parametrize("checkpoints", [1, 2, 3, 5, 31])
@pytest.mark.parametrize("seeds", [1, 10**3, 10**5, 10**7])
def test_blocks_of_checkpoints_are_all_of_them_and_none_stands_alone(checkpoints: int, seeds: int):
    blocks = stage.blocks_of(checkpoints, seeds)
    assert np.concatenate(blocks).tolist() == list(range(checkpoints))
    assert checkpoints == 1 or min(map(len, blocks)) >= 2
    most = max(3, stage.BLOCK // (8 * seeds))
    assert max(map(len, blocks)) <= most
