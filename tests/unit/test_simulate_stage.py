"""Stage simulate: columns and order of a chunk, and that a run depends on nothing but its own names and indices."""

import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dpbandits.algorithms.bernoulli import kl_ucb, ucb1
from dpbandits.algorithms.linucb import linucb_ldp
from dpbandits.algorithms.phased_elimination import phased_elimination_central
from dpbandits.algorithms.phased_elimination.batches import OUTPUTS, Reading
from dpbandits.algorithms.semi_bandit import cucb_dp
from dpbandits.base.checkpoints import log_spaced
from dpbandits.base.digests import json_digest
from dpbandits.base.parquet import read_table
from dpbandits.base.storage import DamagedFile, checksum_file, read_json, write_json
from dpbandits.config.curves import Curve
from dpbandits.config.grid import curves
from dpbandits.config.loading import load_project
from dpbandits.config.plain_yaml import ConfigError
from dpbandits.environments.linear import linear
from dpbandits.privacy.accounting import gaussian_sd, least_noise, shuffled_laplace_scale
from dpbandits.privacy.mechanisms import NoiseRequest
from dpbandits.stages import calibrate as calibration
from dpbandits.stages import simulate as stage
from dpbandits.stages.calibrate import calibrate
from dpbandits.stages.simulate import arguments_of, certified_noise, run_seeds, simulate
from tests.shipped import ROOT

from . import by_arms
from .small import CENTRAL, CONSTANTS, LOCAL, PLAIN, READING, SHUFFLED, curve

KEYS = ["point", "seed", "replicate", "t"]


def runs(c: Curve, seeds: range = range(6), root_seed: int = 1) -> dict[str, np.ndarray]:
    return run_seeds(c, root_seed, seeds, [{} for _ in c.points])


def rows(columns: dict[str, np.ndarray], **where: int) -> dict[str, bytes]:
    """The bytes of the outputs in some rows."""
    chosen = np.all([columns[name] == value for name, value in where.items()], axis=0)
    assert chosen.any()
    return {name: values[chosen].tobytes() for name, values in columns.items() if name not in KEYS}


def test_columns_and_their_order():
    c = curve(CENTRAL, replicates=2)
    columns = runs(c, range(3, 6))
    assert list(columns) == [*KEYS, *OUTPUTS]
    types = {name: values.dtype for name, values in columns.items()}
    assert [types[name] for name in KEYS] == [np.int16, np.int32, np.int16, np.int64]
    assert all(types[name] == np.float64 for name in types if name not in KEYS)
    rounds = log_spaced(1000, 1)
    expected = [(p, s, r, t) for p in (0, 1) for s in (3, 4, 5) for r in (0, 1) for t in rounds]
    assert list(zip(*(columns[name].tolist() for name in KEYS), strict=True)) == expected
    assert all(len(values) == len(expected) for values in columns.values())
    assert np.isfinite([columns[name] for name in types]).all()
    assert (columns["regret"] >= 0).all()


def test_a_setting_without_constants_is_named(monkeypatch: pytest.MonkeyPatch):
    def params(*_: Any) -> None:
        raise ValueError("eps = 0.1 is too small")

    monkeypatch.setattr(phased_elimination_central, "params", params)
    with pytest.raises(ConfigError, match=r"^one2020/study: phased_elimination_central: eps = 0\.1 is too small$"):
        runs(curve(CENTRAL))


@pytest.mark.parametrize("algorithm", [PLAIN, CENTRAL, LOCAL])
def test_chunks_do_not_matter(algorithm: str):
    c = curve(algorithm, replicates=2)
    whole = runs(c)
    for bounds in ((0, 1, 2, 3, 4, 5, 6), (0, 2, 4, 6), (0, 3, 6)):
        parts = [range(*pair) for pair in pairwise(bounds)]
        for part in reversed(parts):
            columns = runs(c, part)
            for seed in part:
                assert rows(columns, seed=seed) == rows(whole, seed=seed)


def test_a_further_point_changes_nothing_for_the_old_ones():
    c = curve(CENTRAL)
    more = replace(c, points=({"eps": 0.1}, *c.points))
    for point in range(len(c.points)):
        assert rows(runs(c), point=point) == rows(runs(more), point=point + 1)


def test_a_further_replicate_changes_nothing_for_the_old_ones_and_is_a_run_of_its_own():
    once, thrice = runs(curve()), runs(curve(replicates=3))
    assert rows(once, replicate=0) == rows(thrice, replicate=0)
    assert rows(thrice, replicate=1) != rows(thrice, replicate=0)
    assert rows(thrice, replicate=2) != rows(thrice, replicate=1)


RAGGED = (
    {"T": 100.0, "eps": 1.0, "arms": 4.0},
    {"T": 1000.0, "eps": 1.0, "arms": 4.0},
    {"T": 50.0, "eps": 1.0, "arms": 8.0},
)


def test_every_point_has_a_horizon_and_checkpoints_of_its_own():
    columns = runs(curve(CENTRAL, points=RAGGED, replicates=2), range(2))
    for point, rounds in enumerate(([1, 10, 100], [1, 10, 100, 1000], [1, 10, 50])):
        own = columns["point"] == point
        assert columns["t"][own].tolist() == rounds * 4
        assert columns["seed"][own].tolist() == [0] * 2 * len(rounds) + [1] * 2 * len(rounds)
    assert len(columns["t"]) == 4 * (3 + 4 + 3)
    assert (np.diff(columns["point"]) >= 0).all()


@pytest.mark.parametrize("p", range(3))
def test_a_point_of_a_ragged_grid_runs_as_a_curve_of_its_own(p: int):
    """The same streams, horizon and instances as where they are not in the grid but in the experiment."""
    point = RAGGED[p]
    environment = {"family": "linear", "arms": int(point["arms"]), "dimension": 2}
    alone = curve(CENTRAL, points=({"eps": 1.0},), horizon=int(point["T"]), environment=environment)
    assert rows(runs(alone), point=0) == rows(runs(curve(CENTRAL, points=RAGGED)), point=p)


def test_a_parameter_in_the_grid_runs_as_one_of_the_curve():
    points = ({"eps": 1.0, "width": 1.0}, {"eps": 1.0, "width": 0.25})
    both = runs(curve(LOCAL, points=points))
    for point, width in enumerate((1.0, 0.25)):
        alone = curve(LOCAL, points=({"eps": 1.0},), parameters={**READING, "width": width})
        assert rows(both, point=point) == rows(runs(alone), point=0)
    assert rows(both, point=0)["gamma"] != rows(both, point=1)["gamma"]


def test_environments_of_a_grid_are_drawn_once_each(monkeypatch: pytest.MonkeyPatch):
    drawn: list[dict[str, int]] = []
    draw = linear.draw
    monkeypatch.setattr(linear, "draw", lambda rng, **kwargs: drawn.append(kwargs) or draw(rng, **kwargs))
    runs(curve(CENTRAL, points=RAGGED), range(2))
    assert drawn == [{"arms": 4, "dimension": 2}] * 2 + [{"arms": 8, "dimension": 2}] * 2


@pytest.mark.parametrize("algorithm", ["ldp_sgd", "ldp_ols", "random_arms"])
def test_points_that_share_what_is_drawn_ahead_have_the_runs_that_each_has_alone(algorithm: str):
    """A point alone draws contexts round by round; several points of other horizons and budgets have them ahead."""
    project = load_project(ROOT, {"papers": ["han2021"]})
    found = (c for c in curves(project, project.papers["han2021"], "single") if c.algorithm == algorithm)
    several = replace(next(found), points=tuple({"T": T, "eps": eps} for T in (40, 300) for eps in (0.5, 5.0)))
    whole = runs(several, range(2))
    for p, point in enumerate(several.points):
        assert rows(runs(replace(several, points=(point,)), range(2)), point=0) == rows(whole, point=p)


def test_another_curve_before_changes_nothing():
    alone = runs(curve(CENTRAL))
    runs(curve(LOCAL))
    runs(curve(PLAIN))
    assert rows(alone, seed=3) == rows(runs(curve(CENTRAL)), seed=3)


def test_names_and_sizes_change_nothing_and_the_root_seed_does():
    c = curve()
    renamed = replace(c, paper="two2021", experiment="other", variant="wide", seeds=600, chunk=2, milliseconds=9.0)
    assert rows(runs(c), point=0) == rows(runs(renamed), point=0)
    assert rows(runs(c), point=0) != rows(runs(c, root_seed=2), point=0)


def test_curves_of_one_environment_share_their_instances(monkeypatch: pytest.MonkeyPatch):
    drawn: list[Any] = []
    draw = linear.draw
    monkeypatch.setattr(linear, "draw", lambda *args, **kwargs: drawn.append(draw(*args, **kwargs)) or drawn[-1])
    runs(curve(PLAIN), range(2))
    runs(curve(CENTRAL), range(1, 3))
    first, second = drawn[1], drawn[2]  # seed 1 of either
    assert all(np.array_equal(a, b) for a, b in zip(first, second, strict=True))
    assert not np.array_equal(drawn[0][0], drawn[1][0])


def test_certified_curves_read_their_noise(tmp_path: Path):
    c, file = curve(CENTRAL, "certified"), tmp_path / "noise.json"
    assert calibrate(c, "source", file)
    assert len(read_json(file)["entries"]) == 2
    noise = certified_noise(c, file)
    assert [entry["noise_scale"] for entry in noise] == pytest.approx([2.0, 0.2])
    columns = run_seeds(c, 1, range(2), noise)
    last = columns["noise_scale"][columns["t"] == 1000]
    assert set(last) <= {entry["noise_scale"] for entry in noise}
    printed = curve(CENTRAL)
    assert certified_noise(printed, None) == [{}, {}]


def test_a_file_of_noise_that_holds_the_answers_is_not_computed_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    c, file = curve(CENTRAL, "certified"), tmp_path / "noise.json"
    asked: list[float] = []
    least = calibration.least_noise
    monkeypatch.setattr(calibration, "least_noise", lambda request: asked.append(request.eps) or least(request))
    assert calibrate(c, "source", file)
    before = file.read_bytes()
    assert not calibrate(c, "source", file)
    assert not calibrate(replace(c, seeds=60, replicates=3), "source", file)
    assert (asked, file.read_bytes()) == ([1.0, 10.0], before)
    assert calibrate(c, "another source", file)
    other = replace(c, points=({"eps": 1.0}, {"eps": 5.0}))
    assert calibrate(other, "another source", file)
    assert asked == [1.0, 10.0, 1.0, 10.0, 1.0, 5.0]
    assert not calibrate(other, "another source", file)
    monkeypatch.setattr(calibration, "versions", lambda names: {"python": "3.11", "scipy": "0"})
    assert calibrate(other, "another source", file), "other versions of libraries"


@pytest.mark.parametrize(
    "text", ['{"entries": [', "[]", '{"entries": 3, "source": "source"}', '{"entries": []}', "null"]
)
def test_a_file_of_noise_that_is_damaged_is_computed_again(tmp_path: Path, text: str):
    c, file = curve(CENTRAL, "certified"), tmp_path / "noise.json"
    file.write_text(text, encoding="utf-8")
    assert calibrate(c, "source", file)
    assert [entry["eps"] for entry in read_json(file)["entries"]] == [1.0, 10.0]


def test_every_batch_of_the_shuffled_algorithm_asks_for_noise_of_its_own(tmp_path: Path):
    """T = 100 has floor(ln 100) - 1 = 3 batches of at least q, q^2 and q^3 reports, q = 200^(1 / ln 100) = 3.1600."""
    parameters = {**READING, "delta": 1e-6}
    file = tmp_path / "noise.json"
    points = ({"eps": 1.0, "T": 100.0}, {"eps": 8.0, "T": 100.0})
    c = replace(curve(CENTRAL, "certified", parameters=parameters, points=points), algorithm=SHUFFLED)
    calibrate(c, "source", file)
    entries = read_json(file)["entries"]
    assert sorted((entry["eps"], entry["n"]) for entry in entries) == [(e, n) for e in (1.0, 8.0) for n in (4, 10, 32)]
    assert {entry["mechanism"] for entry in entries} == {"shuffled_laplace"}
    first, second = certified_noise(c, file)
    assert list(first) == list(second) == ["batch_1", "batch_2", "batch_3"]
    assert all(first[name] > second[name] > 0 for name in first)
    columns = run_seeds(c, 1, range(2), [first, second])
    assert set(columns["noise_scale"][columns["point"] == 0]) <= {0.0, *first.values()}


def super_arms(**changes: Any) -> Curve:
    """A curve of an algorithm that is told decision set and noise, and nothing else of its instance."""
    parameters = dict.fromkeys(("width", "fallback", "cucb_root", "over_rounds", "base_two"), 0.0) | {"width": 0.1}
    environment = {"family": "disjoint_sets", "bad": 2, "size": 2, "gap": 0.25, "reward": "bottleneck"}
    points = ({"eps": 5.0, "T": 100.0}, {"eps": 50.0, "T": 1000.0}, {"eps": 50.0, "T": 1000.0, "size": 4.0})
    c = curve(CENTRAL, "certified", parameters=parameters, points=points, environment=environment)
    return replace(c, algorithm="cucb_dp", **changes)


def test_super_arms_are_played_in_chunks(tmp_path: Path):
    """Noise for D = 7 and 10 layers is asked for once each, for whatever size of super arms; words reach the draw."""
    c, file = super_arms(), tmp_path / "noise.json"
    calibrate(c, "source", file)
    assert sorted(entry["noise"] for entry in read_json(file)["entries"]) == pytest.approx([10 / 50, 7 / 5])
    noise = certified_noise(c, file)
    whole = run_seeds(c, 1, range(4), noise)
    assert list(whole) == [*KEYS, *cucb_dp.OUTPUTS]
    for part in (range(3, 4), range(1, 3), range(1)):
        columns = run_seeds(c, 1, part, noise)
        for seed in part:
            assert rows(columns, seed=seed) == rows(whole, seed=seed)
    assert len(set(whole["regret"].tolist())) > 5
    largest = [whole["regret"][(whole["point"] == p) & (whole["t"] == c.horizon_at(c.points[p]))].max() for p in (1, 2)]
    assert max(largest) <= 0.25 * 1000, "the least mean, not the sum"


def test_curves_that_share_points_share_answers(tmp_path: Path):
    c, file = curve(CENTRAL, "certified"), tmp_path / "noise.json"
    calibrate(c, "source", file)
    fewer = replace(c, points=c.points[1:])
    assert certified_noise(fewer, file) == certified_noise(c, file)[1:]


def test_noise_that_is_not_in_the_file_is_named(tmp_path: Path):
    c, file = curve(CENTRAL, "certified"), tmp_path / "noise.json"
    calibrate(replace(c, points=c.points[:1]), "source", file)
    with pytest.raises(DamagedFile) as fault:
        certified_noise(c, file)
    request = '{"delta":0.0,"eps":10.0,"mechanism":"laplace","n":1,"sensitivity":2.0}'
    assert str(fault.value) == f"{file}: holds no noise for {request}; delete it and run again"
    with pytest.raises(DamagedFile, match=r"gone\.json: cannot be read"):
        certified_noise(c, tmp_path / "gone.json")


def test_a_chunk_keeps_where_it_comes_from(tmp_path: Path):
    c, noise, out = curve(CENTRAL, "certified"), tmp_path / "noise.json", tmp_path / "chunk.parquet"
    calibrate(c, "source", noise)
    assert simulate(c, 5, 2, 3, noise, "source digest", out)
    columns, provenance = read_table(out)
    assert set(columns["seed"]) == {2, 3}
    assert provenance["curve"] == json.loads(json.dumps(c.identity()))
    assert provenance["id"] == json_digest(c.identity())
    assert provenance["seeds"] == [2, 3]
    assert (provenance["source"], provenance["root_seed"], provenance["bit_generator"]) == ("source digest", 5, "PCG64")
    answers = sorted(entry["noise"] for entry in read_json(noise)["entries"])
    assert sorted(entry["noise_scale"] for entry in provenance["noise"]) == answers
    assert set(provenance["versions"]) == {"python", "numpy", "numba", "scipy", "pyarrow"}
    again = tmp_path / "again.parquet"
    simulate(c, 5, 2, 3, noise, "source digest", again)
    assert again.read_bytes() == out.read_bytes()


def test_runs_that_are_there_are_not_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    c, noise, out = curve(CENTRAL, "certified"), tmp_path / "noise.json", tmp_path / "chunk.parquet"
    calibrate(c, "source", noise)
    assert simulate(c, 5, 0, 1, noise, "source", out)
    before = out.read_bytes()

    def refuse(*_: Any) -> None:
        raise AssertionError("ran again")

    monkeypatch.setattr(stage, "run_seeds", refuse)
    assert not simulate(c, 5, 0, 1, noise, "source", out)
    renamed = replace(c, paper="two2021", experiment="other", variant="wide", seeds=60, milliseconds=9.0)
    assert not simulate(renamed, 5, 0, 1, noise, "source", out)
    assert out.read_bytes() == before


def other_noise(file: Path) -> None:
    record = read_json(file)
    entries = [{**entry, "noise": 2 * entry["noise"]} for entry in record["entries"]]
    write_json(file, {**record, "entries": entries})


def cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-1])


@pytest.mark.parametrize(
    ("change", "arguments"),
    [
        (lambda noise, out: None, {"source": "other source"}),
        (lambda noise, out: None, {"root_seed": 6}),
        (lambda noise, out: None, {"first": 2, "last": 3}),
        (lambda noise, out: None, {"curve": {"horizon": 1001}}),
        (lambda noise, out: None, {"curve": {"parameters": {**CONSTANTS[CENTRAL], "width": 0.5}}}),
        (lambda noise, out: other_noise(noise), {}),
        (lambda noise, out: cut(out), {}),
        (lambda noise, out: out.unlink(), {}),
        (lambda noise, out: checksum_file(out).unlink(), {}),
    ],
    ids=["source", "root seed", "seeds", "horizon", "width", "noise", "damaged", "gone", "no checksum"],
)
def test_runs_are_made_again_where_anything_differs(tmp_path: Path, change, arguments: dict[str, Any]):
    noise, out = tmp_path / "noise.json", tmp_path / "chunk.parquet"
    c = replace(curve(CENTRAL, "certified"), **arguments.get("curve", {}))
    usual = {"root_seed": 5, "first": 0, "last": 1, "source": "source"}
    calibrate(c, "source", noise)
    assert simulate(curve(CENTRAL, "certified"), noise_file=noise, out=out, **usual)
    change(noise, out)
    wanted = usual | {name: value for name, value in arguments.items() if name != "curve"}
    assert simulate(c, noise_file=noise, out=out, **wanted)
    assert not simulate(c, noise_file=noise, out=out, **wanted)
    columns, provenance = read_table(out)
    assert (provenance["source"], provenance["root_seed"]) == (wanted["source"], wanted["root_seed"])
    assert np.unique(columns["seed"]).tolist() == [wanted["first"], wanted["last"]]
    assert provenance["curve"] == json.loads(json.dumps(c.identity()))


def test_the_fields_of_params_come_in_the_order_of_the_kernel():
    """A request has the fields of a frozen dataclass too; a reading stays what it is, one argument."""
    request = NoiseRequest("laplace", 2.0, 1.0, 0.0, 1)
    assert arguments_of(request) == ("laplace", 2.0, 1.0, 0.0, 1)
    reading, *rest = arguments_of(phased_elimination_central.params("printed", {**CONSTANTS[CENTRAL], "eps": 4.0}, {}))
    assert reading == Reading(1.0, 0, 0.001, False, 0.0)
    assert type(reading) is Reading
    assert rest == [1.5, 0.25]


def test_a_first_run_says_what_it_compiled_and_not_on_standard_output(tmp_path: Path, monkeypatch, capsys):
    monkeypatch.setattr(stage.jit, "cache_folder", lambda _: str(tmp_path / "kernels"))
    cold = runs(curve(PLAIN))
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("compiled or loaded dpbandits.algorithms.phased_elimination.phased_elimination in ")
    assert len(list((tmp_path / "kernels").glob(stage.COMPILED.format(kind="*")))) == 1
    assert rows(cold, point=0) == rows(runs(curve(PLAIN)), point=0)
    assert capsys.readouterr().err == ""


def test_each_kernel_of_an_algorithm_is_compiled_under_the_lock(tmp_path: Path, monkeypatch, capsys):
    """Released LDP-OLS plays a kernel of its own, certified LDP-OLS the printed one."""
    monkeypatch.setattr(stage.jit, "cache_folder", lambda _: str(tmp_path / "kernels"))
    algorithm, instance = by_arms.module(by_arms.LEAST_SQUARES), by_arms.drawn()
    for chosen, said in (("printed", 1), ("released", 1), ("certified", 0), ("released", 0)):
        constants = tuple(by_arms.params(by_arms.LEAST_SQUARES, chosen, instance, 8))
        stage.warm(algorithm, (instance,), constants, np.array([8]))
        assert capsys.readouterr().err.count("compiled or loaded") == said


def test_kernels_of_different_packages_are_compiled_at_the_same_time(tmp_path: Path, monkeypatch):
    """Those of one package wait for each other, because the first compiles what they share."""
    locks = []
    monkeypatch.setattr(stage.jit.fcntl, "flock", lambda file, _: locks.append(Path(file.name).name))
    monkeypatch.setattr(stage.jit, "cache_folder", lambda name: str(tmp_path / name))
    for algorithm in (ucb1, kl_ucb, linucb_ldp):
        monkeypatch.setattr(algorithm, "run", lambda *_: None)
        stage.warm(algorithm, (), (), np.array([8]))
    assert locks == ["algorithms.bernoulli.lock", "algorithms.bernoulli.lock", "algorithms.linucb.lock"]


@pytest.mark.parametrize(
    ("request_", "exact"),
    [
        (NoiseRequest("gaussian", 1.0, 1.0, 1e-5, 1), gaussian_sd(1.0, 1.0, 1e-5)),
        (NoiseRequest("shuffled_laplace", 2.0, 0.5, 1e-6, 10_000), shuffled_laplace_scale(2.0, 0.5, 1e-6, 10_000)),
    ],
)
def test_noise_that_is_searched_for_is_rounded_up_to_six_digits(request_, exact):
    found = calibration.certified(request_)
    assert exact <= found <= exact * (1 + 1e-5)
    assert float(f"{found:.6g}") == found != exact


def test_noise_in_closed_form_is_not_rounded():
    request_ = NoiseRequest("laplace", 2.0, 0.3, 0.0, 1)
    assert calibration.certified(request_) == least_noise(request_) == 2.0 / 0.3
