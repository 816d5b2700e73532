"""What jobs cost: Snakemake's files as they are read, sums against budgets, and the longest chain."""

from dataclasses import replace

import networkx
import numpy as np
import pytest

from dpbandits.base.storage import DamagedFile
from dpbandits.config.loading import SCALES
from dpbandits.planning.benchmarks import COLLECT, plan
from dpbandits.planning.budgets import AUDIT, PAGES, budgets, part_of
from dpbandits.report.costs import Job, Part, costs, longest_chain
from dpbandits.stages.benchmarks import compiling, measured
from tests.shipped import COMMITTED, shipped

HEAD = "s\th:m:s\tmax_rss\tmax_vms\tmax_uss\tmax_pss\tio_in\tio_out\tmean_load\tcpu_time\n"
SMOKE = shipped("smoke")


def job(name="simulate/p/0", wall=10.0, sampled=9.0, megabytes=100.0):
    return Job(f"{name}.tsv", wall, sampled, megabytes)


def test_files_are_read_as_snakemake_writes_them(tmp_path):
    rows = {
        "simulate/p/0": "16.40\t0:00:16\t298.63\t718.47\t173.39\t226.48\t1.13\t0.32\t89.15\t15.11\n",
        "judge/p": "0.21\t0:00:00\tNA\tNA\tNA\tNA\tNA\tNA\tNA\tNA\n",
        "render/p": "0.64\t0:00:00\t75.89\t297.08\t34.69\t54.07\t-\t-\t0.00\t0\n",
    }
    for name, row in rows.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / f"{name}.tsv").write_text(HEAD + row, encoding="utf-8")
    names = [*(f"{name}.tsv" for name in rows), "judge/of_another_scale.tsv"]
    assert list(measured(tmp_path, names)) == [
        Job("simulate/p/0.tsv", 16.40, 15.11, pytest.approx(237.5, abs=0.05)),
        Job("judge/p.tsv", 0.21, None, None),
        Job("render/p.tsv", 0.64, 0.0, pytest.approx(56.7, abs=0.05)),
    ]


@pytest.mark.parametrize("text", ["s\tcpu_time\n1\t2\n", HEAD + "1.0\n", HEAD.replace("\ts", "") + "x" + "\t1" * 9])
def test_a_damaged_file_is_named(tmp_path, text):
    (tmp_path / "x.tsv").write_text(text, encoding="utf-8")
    with pytest.raises(DamagedFile, match=r"x\.tsv: is not a benchmark file\. Delete it and run again\."):
        list(measured(tmp_path, ["x.tsv"]))


def test_a_file_that_is_not_text_is_named(tmp_path):
    (tmp_path / "x.tsv").write_bytes(HEAD.encode() + b"\xff\n")
    with pytest.raises(DamagedFile, match=r"x\.tsv: is not a benchmark file\. Delete it and run again\."):
        list(measured(tmp_path, ["x.tsv"]))


@pytest.mark.parametrize(
    ("wall", "sampled", "most"),
    [
        (10.0, 9.7, 10.0),  # a second can be missing, and no more than the job took
        (10.0, 4.0, 5.0),
        (44.0, 15.1, 44.0),  # the last reading was in second 15
        (80.0, 44.9, 75.9),
        (80.0, 79.0, 80.0),
        (80.0, 90.0, 90.0),  # several threads
        (3.0, None, 3.0),
    ],
)
def test_what_was_not_read_is_bounded(wall, sampled, most):
    found = job(wall=wall, sampled=sampled)
    assert found.least == (sampled or 0.0)
    assert found.most == pytest.approx(most)


def test_what_compiled_is_read_from_the_log_of_the_job(tmp_path):
    log = tmp_path / "simulate/smoke/p/3.log"
    log.parent.mkdir(parents=True)
    said = "compiled or loaded dpbandits.algorithms.{} in {} s\n"
    log.write_text(
        said.format("ucb1", 0.6) + "x/y/0000-0001: simulated\n" + said.format("cucb", 17.5), encoding="utf-8"
    )
    assert compiling(tmp_path, "smoke", "simulate/p/3.tsv") == pytest.approx(18.1)
    assert compiling(tmp_path, "full", "simulate/p/3.tsv") == 0.0


def test_that_is_what_the_stage_says(capsys, tmp_path, monkeypatch):
    """A kernel of the package, with a cache folder that has no note of it."""
    from dpbandits.algorithms.bernoulli import ucb1
    from dpbandits.stages import simulate
    from dpbandits.stages.benchmarks import COMPILED

    monkeypatch.setattr(simulate.jit, "cache_folder", lambda _: str(tmp_path / "kernels"))
    monkeypatch.setattr(ucb1, "run", lambda *_: None)
    simulate.warm(ucb1, (), (), np.array([8]))
    assert len(COMPILED.findall(capsys.readouterr().err)) == 1


def test_stages_have_sums_and_the_largest_job_of_either_kind():
    jobs = [job("simulate/p/0", 10, 9, 300), job("simulate/p/1", 90, 80, 200), job("simulate/p/2", 1, None, None),
            job("judge/p", 2, None, None)]  # fmt: skip
    names = {each.name: () for each in jobs}
    found = costs(names, jobs, {}, {}).stages
    assert list(found) == ["simulate", "judge"]
    assert (found["simulate"].jobs, found["simulate"].least) == (3, 89)
    assert found["simulate"].most == pytest.approx(10 + 90 + 1)
    assert (found["simulate"].longest.title, found["simulate"].largest.title) == ("simulate/p/1", "simulate/p/0")
    assert found["judge"].largest is None


@pytest.mark.parametrize(
    ("least", "most", "missing", "verdict"),
    [
        (590, 600, 0, "met"),
        (590, 600.1, 0, "open"),
        (600, 700, 0, "open"),
        (600.1, 700, 0, "over"),
        (10, 20, 1, "open"),
        (601, 700, 1, "over"),
    ],
)
def test_budgets_are_kept_or_over_where_that_is_certain(least, most, missing, verdict):
    assert Part("p", least, most, 9, missing, 600.0).verdict == verdict
    assert Part("p", least, most, 9, missing, None).verdict == ""


def test_parts_are_without_compiling_and_know_what_is_missing():
    jobs = [job("simulate/hanna2022/0", 14, 13), job("judge/hanna2022", 1, 0.5), job("render/hanna2022", 9, 9)]
    names = {each.name: () for each in jobs} | {"aggregate/hanna2022/0.tsv": (), COLLECT: ()}
    found = {part.name: part for part in costs(names, jobs, {"simulate/hanna2022/0.tsv": 4.0}, budgets(SMOKE)).parts}
    assert found["hanna2022"] == Part("hanna2022", 9.5, 11.0, 3, 1, 10.0)
    assert found[PAGES] == Part(PAGES, 9, 9, 1, 0, 30.0)
    assert found["audit"].missing == 1


def test_every_part_has_a_budget_at_every_scale():
    for scale in SCALES:
        every = shipped(scale)
        project = replace(every, papers={key: every.papers[key] for key in COMMITTED})
        assert {part_of(name) for name in plan(project)} == set(budgets(project))
    assert budgets(shipped("full"))["han2021"] == 8025.0


def test_a_paper_without_a_budget_has_none():
    papers = {key: replace(paper, cpu_budget=None) for key, paper in SMOKE.papers.items()}
    assert set(budgets(replace(SMOKE, papers=papers))) == {AUDIT, PAGES}


DIAMOND = {"a": (), "b": ("a",), "c": ("a",), "d": ("b", "c"), "alone": ()}


@pytest.mark.parametrize(
    ("seconds", "chain"),
    [
        ({"a": 1, "b": 5, "c": 4, "d": 2, "alone": 7}, ["a", "b", "d"]),
        ({"a": 1, "b": 5, "c": 6, "d": 2, "alone": 7}, ["a", "c", "d"]),
        ({"a": 1, "b": 5, "c": 4, "d": 2, "alone": 9}, ["alone"]),
        ({"a": 1, "d": 2, "alone": 1}, ["a", "b", "d"]),  # what is not measured takes no time and still orders the rest
    ],
)
def test_the_longest_chain_of_a_hand_made_graph(seconds, chain):
    assert longest_chain(DIAMOND, seconds) == chain


def test_nothing_has_no_chain():
    assert longest_chain({}, {}) == []


@pytest.mark.parametrize("seconds_per_job", [50.0, 0.5])
def test_the_longest_chain_of_the_smoke_plan_is_that_of_networkx(seconds_per_job):
    names = plan(replace(SMOKE, seconds_per_job=seconds_per_job))
    drawn = np.random.default_rng(5).exponential(size=len(names))
    walls = dict(zip(names, map(float, drawn), strict=True))
    graph = networkx.DiGraph()
    for name, before in names.items():
        graph.add_edges_from(((other, name) for other in before), weight=walls[name])
        if not before:
            graph.add_edge("start", name, weight=walls[name])
    chain = longest_chain(names, walls)
    assert chain == networkx.dag_longest_path(graph)[1:]
    assert chain[-1].startswith(("draw/", "render/"))
    found = costs(names, [job(name.removesuffix(".tsv"), wall) for name, wall in walls.items()], {}, {})
    assert found.chained == pytest.approx(networkx.dag_longest_path_length(graph))
    assert found.wall == pytest.approx(sum(drawn))


def test_the_plan_of_smoke_has_every_stage_of_every_paper():
    names = plan(SMOKE)
    assert set().union(*names.values()) <= set(names)
    for key in SMOKE.papers:
        assert names[f"judge/{key}.tsv"][-1] == COLLECT
        simulated = {name for name in names if name.startswith(f"simulate/{key}/")}
        calibrated = {name for name in names if name.startswith(f"calibrate/{key}/")}
        aggregated = [name for name in names if name.startswith(f"aggregate/{key}/")]
        before = set().union(*(names[name] for name in aggregated))
        assert before == simulated | calibrated, "tables are made of chunks, and checked against their noise"
        assert calibrated == set().union(*(names[name] for name in simulated)), "none where no curve is certified"
