"""Own code under a name: of a paper's YAML, of an installed package, or of a call."""

import json
import sys

import numpy as np
import pandas as pd
import pytest

import dpbandits.api as dpb
from dpbandits.algorithms.registry import TABLE
from dpbandits.base import registry
from dpbandits.base.own_code import NAMED
from dpbandits.base.registry import ALGORITHMS, ENVIRONMENTS
from dpbandits.base.storage import read_json
from dpbandits.config.faults.check import load_and_check
from dpbandits.config.grid import curves
from dpbandits.config.loading import load_project
from dpbandits.config.plain_yaml import ConfigError
from dpbandits.figures.kinds import audit
from dpbandits.planning import audits, dependencies
from dpbandits.planning.planning_cache import keep, recall
from dpbandits.skeletons.families import new_look
from dpbandits.stages.audit import heading, record_of_own
from dpbandits.stages.simulate import run_seeds
from dpbandits.text import audits as audit_text
from dpbandits.text import refutations
from dpbandits.text.audit_tables import audit_rows, ledger

from .small import BARE, KEY, LINE, faults_of, load, write_project
from .test_cli import call

RULE = """
from helper import first

class Mine:
    trust_model, guarantee = "local", "every report is eps-DP"
    neighbors = ([0.0], [1.0])

    def __init__(self, arms, rng, eps, start=0):
        self.arms, self.rng, self.eps, self.start = arms, rng, eps, start

    def act(self, t):
        return first(self.arms, self.start) if t < 5 else self.rng.integers(self.arms)

    def update(self, t, arm, reward):
        pass

    @staticmethod
    def release(rng, data, n, eps):
        return data[0] + rng.laplace(scale=1 / eps, size=n)
"""
HELPER = "def first(arms, start):\n    return int(start) % arms\n"
GROUPS = "def groups(rng, arms, low, high):\n    return rng.permutation([high] + [low] * (int(arms) - 1))\n"
KERNEL = """
from dataclasses import dataclass

import numpy as np

from dpbandits.algorithms.base import NO_PRIVACY, Algorithm
from dpbandits.base.entries import Look
from dpbandits.base.jit import kernel
from dpbandits.environments.base import MEANS

OUTPUTS = ("regret",)
ALGORITHM = Algorithm(
    label="last arm", short="last arm", reference="own", trust_model="none", guarantee=NO_PRIVACY, parameters={},
    arms=MEANS, grid=(), outputs=OUTPUTS, calibrations={"printed": "printed"}, examples=(), look=Look("o", "-"),
)

@dataclass(frozen=True)
class Params:
    pass

def params(calibration, setting, noise):
    return Params()

@kernel
def run(rng, means, rounds):
    gap = means.max() - means[-1]
    trace = np.empty((rounds.size, 1))
    for i in range(rounds.size):
        trace[i, 0] = gap * rounds[i]
    return trace
"""
MEANS = {"family": "bernoulli_means", "means": [0.4, 0.5, 0.6]}


@pytest.fixture(autouse=True)
def forgotten(monkeypatch):
    """No name of own code, and no digest, outlives a test."""
    monkeypatch.setattr(registry, "DECLARED", {})
    monkeypatch.setattr(dependencies, "FOUND", {})
    monkeypatch.setattr(dependencies, "OWN", {})
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        if name in ("helper", "beside") or name.startswith("own code"):
            del sys.modules[name]


@pytest.fixture
def root(tmp_path):
    """A project whose paper plays an own algorithm in an own environment."""
    for name, text in {"rule.py": RULE, "helper.py": HELPER, "groups.py": GROUPS}.items():
        (tmp_path / name).write_text(text)
    return write_project(tmp_path, paper())


def paper(**changes):
    """The record of a paper that plays `mine` in `groups`, and `ucb1` beside it."""
    study = {
        **BARE["experiments"]["study"],
        "environment": {"family": "groups", "arms": 3, "low": 0.25, "high": 0.75},
        "grid": {"eps": [0.5, 1]},
        "curves": [
            {"algorithm": "mine", "calibrations": ["printed"], "milliseconds": 1, "parameters": {"start": 2}},
            {"algorithm": "ucb1", "calibrations": ["printed"], "milliseconds": 1},
        ],
    }
    own = {"algorithms": {"mine": "rule.py:Mine"}, "environments": {"groups": "groups.py:groups"}}
    return BARE | own | {"experiments": {"study": study}} | changes


def test_a_paper_plays_its_own_code_beside_that_of_the_package(root):
    project = load(root)
    mine, other = curves(project, project.papers[KEY], "study")
    assert (mine.algorithm, other.algorithm) == ("mine", "ucb1")
    assert mine.parameters == {"start": 2.0}
    found = run_seeds(mine, project.root_seed, range(2), [])
    assert set(found) == {"point", "seed", "replicate", "t", "regret", "best_pulls"}
    early = found["t"] == 1
    assert set(found["regret"][early]) <= {0.0, 0.5}  # the gaps of the arms that it may begin with
    ucb = run_seeds(other, project.root_seed, range(2), [{}])
    assert len(ucb["regret"]) == len(found["regret"]) / 2


def test_a_class_may_import_what_is_beside_its_file_while_it_plays(root):
    (root / "own").mkdir()
    (root / "own/beside.py").write_text("FIRST = 1\n")
    (root / "own/rule.py").write_text(
        "class Mine:\n"
        "    def __init__(self, eps):\n"
        "        pass\n"
        "    def act(self, t):\n"
        "        from beside import FIRST\n"
        "        return FIRST\n"
        "    def update(self, t, arm, reward):\n"
        "        pass\n"
    )
    study = paper()["experiments"]["study"]
    alone = study | {"curves": [{"algorithm": "mine", "calibrations": ["printed"], "milliseconds": 1}]}
    changes = {"algorithms": {"mine": "own/rule.py:Mine"}, "experiments": {"study": alone}}
    project = load(write_project(root, paper(**changes)))
    (mine,) = curves(project, project.papers[KEY], "study")
    found = run_seeds(mine, project.root_seed, range(1), [])
    first = np.unique(found["regret"] / found["t"])
    assert len(first) == 1, "arm 1 in all rounds"
    assert str(root / "own") not in sys.path


def test_its_runs_are_those_of_the_python_api(root, monkeypatch):
    monkeypatch.chdir(root)
    project = load(root)
    (mine, _) = curves(project, project.papers[KEY], "study")
    found = run_seeds(mine, project.root_seed, range(2), [])
    played = dpb.play("mine", f"{KEY}/study", seeds=2, project=root)
    assert played["regret"].tolist() == found["regret"].tolist()
    assert TABLE["mine"].guarantee.statement == "every report is eps-DP"
    result = call(root, "run", f"{KEY}/study", "--algorithm", "mine,ucb1", "--seeds", "2", "--set", "start=1")
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith("mine, printed: regret after")


def test_an_argument_with_a_default_is_not_needed(root):
    study = paper()["experiments"]["study"]
    curve = {"algorithm": "mine", "calibrations": ["printed"], "milliseconds": 1}
    write_project(root, paper(experiments={"study": study | {"curves": [curve]}}))
    options = {"seeds": 2, "project": root}
    assert len(dpb.play("mine", f"{KEY}/study", **options))
    listed = dpb.list_algorithms().set_index("algorithm")
    assert listed.loc["mine", "settings"] == "eps"
    (root / "rule.py").write_text(RULE.replace("eps, start=0", "eps=1.0, start=0"))
    (root / "config/papers" / f"{KEY}.yaml").unlink()
    write_project(root, paper(experiments={"study": study | {"curves": [curve], "grid": {"T": [100]}}}))
    assert len(dpb.play("mine", f"{KEY}/study", **options))


def test_a_grid_varies_a_constant_of_a_class_whose_default_is_written(root):
    """Otherwise every setting would play the default of the class."""
    record = paper()
    study = record["experiments"]["study"]
    study["grid"] = {"eps": [1], "start": [0, 2]}
    del study["curves"][0]["parameters"]
    (line,) = faults_of(write_project(root, record))
    says = "curves[0].parameters.start: required key is missing, as `grid` varies it. Add its default here or to `const"
    assert says in line
    study["curves"][0]["parameters"] = {"start": 1}
    project = load(write_project(root, record))
    mine, _ = curves(project, project.papers[KEY], "study")
    assert [point["start"] for point in mine.points] == [0.0, 2.0]


def test_a_class_takes_numbers_of_its_environment(root):
    (root / "rule.py").write_text(RULE.replace("eps, start=0", "eps, high, start=0"))
    record = paper()
    study = record["experiments"]["study"]
    study["grid"] = {"eps": [1], "high": [0.5, 0.75]}
    project = load(write_project(root, record))
    mine, _ = curves(project, project.papers[KEY], "study")
    assert [setting["high"] for setting in mine.settings()] == [0.5, 0.75]
    study["curves"][0]["parameters"]["high"] = 0.6
    (line,) = faults_of(write_project(root, record))
    assert "parameters.high: the environment has this number, and the class takes it from there. Delete" in line


def test_a_session_plays_what_the_file_of_a_paper_says_now(root):
    """Whatever was registered under its names since."""

    def groups(rng, arms, low, high):
        return rng.permutation([high] + [low] * (int(arms) - 1)) / 2

    def played():
        return dpb.play("mine", f"{KEY}/study", seeds=2, project=root)["regret"].tolist()

    before = played()
    dpb.play("ucb1", {"family": groups, "arms": 3, "low": 0.25, "high": 0.75}, T=20, seeds=1)
    assert played() == before
    with pytest.raises(ConfigError):
        dpb.play("ucb1", {"family": f"{root}/groups.py:nothing"}, T=20, seeds=1)
    assert played() == before
    (root / "rule.py").write_text(RULE.replace("self.rng.integers(self.arms)", "0"))
    assert played() != before
    (root / "rule.py").write_text("class Mine:\n")
    with pytest.raises(ConfigError, match=r"algorithms\.mine: got 'rule\.py:Mine'; its import failed with"):
        played()


def test_two_papers_may_not_give_one_name_to_different_code(root):
    place = root / "config/papers/two2020.yaml"
    text = (root / f"config/papers/{KEY}.yaml").read_text()
    place.write_text(text)
    both = {"papers": [KEY, "two2020"]}
    load_project(root, both)
    (root / "second.py").write_text(RULE)
    place.write_text(text.replace("rule.py:Mine", "second.py:Mine"))
    with pytest.raises(ConfigError) as fault:
        load_project(root, both)
    says = "algorithms.mine: got 'second.py:Mine'; `one2020` has 'rule.py:Mine' under this name. Rename one of them."
    (line,) = fault.value.faults
    assert LINE.sub("", line) == f"config/papers/two2020.yaml: {says}"


def test_an_own_algorithm_changes_no_constant_of_another_paper(root):
    """The class takes `beta`, which is a constant of an algorithm of the package with other values."""
    (root / "rule.py").write_text(RULE.replace("start=0", "start=0, beta=0.1"))
    curve = {"algorithm": "dp_se", "calibrations": ["printed"], "milliseconds": 1}
    study = paper()["experiments"]["study"] | {"environment": {"family": "bernoulli_means", "means": [0.25, 0.75]}}
    constants = {"beta": None, "restarts": "none"}
    other = BARE | {"constants": constants, "experiments": {"study": study | {"curves": [curve]}}}
    place = root / "config/papers/two2020.yaml"
    both = {"papers": [KEY, "two2020"]}
    place.write_text(json.dumps(other))
    load_and_check(root, both)
    place.write_text(json.dumps(other | {"constants": constants | {"beta": 7}}))
    with pytest.raises(ConfigError, match=r"constants\.beta: got 7; must be >= 0 and <= 0\.5, or null"):
        load_and_check(root, both)


def test_a_stage_writes_the_runs_of_own_code_and_plays_them_again_when_it_changes(root):
    project = load(root)
    (mine, _) = curves(project, project.papers[KEY], "study")
    name = f"study/{mine.folder}/0000-000{mine.chunk - 1}"
    told = ("simulate", KEY, name, "--noise", f"{root}/noise", "--out", f"{root}/out", "--receipts", f"{root}/runs")
    assert [call(root, *told).stdout.rpartition(": ")[2] for _ in range(2)] == ["simulated\n", "up to date\n"]
    (root / "helper.py").write_text(HELPER.replace("% arms", "* 0"))
    dependencies.FOUND.clear()
    assert call(root, *told).stdout.endswith("simulated\n")


def digest(root):
    dependencies.FOUND.clear()
    project = load(root)
    return dependencies.digest(dependencies.simulate(curves(project, project.papers[KEY], "study")[0]))


@pytest.mark.parametrize(
    ("file", "old", "new", "counts"),
    [
        ("rule.py", "if t < 5", "if t < 6", True),
        ("helper.py", "% arms", "* 0", True),
        ("groups.py", "[high] +", "[low, high] +", True),
        ("rule.py", "class Mine:", "class Mine:  # mine", False),
        ("other.py", "", "x = 1", False),
    ],
)
def test_digests_cover_the_file_and_the_modules_beside_it_that_it_imports(root, file, old, new, counts):
    before = digest(root)
    path = root / file
    path.write_text(path.read_text().replace(old, new) if path.exists() else new)
    assert (digest(root) != before) == counts


def test_digests_do_not_depend_on_the_place_of_the_project(root, tmp_path_factory):
    other = tmp_path_factory.mktemp("elsewhere")
    for name, text in {"rule.py": RULE, "helper.py": HELPER, "groups.py": GROUPS}.items():
        (other / name).write_text(text)
    assert digest(root) == digest(write_project(other, paper()))


def test_planning_is_done_again_when_own_code_changes(root):
    planning = recall(root)
    digest(root)
    keep(planning, [KEY])
    assert recall(root).known == {KEY}
    assert read_json(planning.file)["own"] == sorted(map(str, root.resolve().glob("*.py")))
    (root / "helper.py").write_text(HELPER + "\n\nx = 1\n")
    assert not recall(root).known


def test_own_code_counts_after_a_plan_that_does_not_use_it(root):
    planned(root)
    planning = recall(root)  # of other papers
    dependencies.digest(["dpbandits.base.streams"])
    keep(planning, ["two2021"])
    forget()
    assert recall(root).known == {KEY, "two2021"}
    forget()
    (root / "helper.py").write_text(HELPER + "\n\nx = 1\n")
    assert not recall(root).known
    assert dependencies.FOUND == {}


def test_own_code_that_changes_during_a_run_is_planned_with_again(root):
    planning = recall(root)
    digest(root)
    (root / "helper.py").write_text(HELPER + "\n\nx = 1\n")
    keep(planning, [KEY])
    assert not recall(root).known


def planned(root):
    planning = recall(root)
    digest(root)
    keep(planning, [KEY])
    forget()


def forget():
    """As a new process."""
    dependencies.FOUND.clear()
    dependencies.OWN.clear()


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        (
            {"algorithms": {"mine": "rules.py:Mine"}},
            "algorithms.mine: got 'rules.py:Mine'; the file '{root}/rules.py' does not exist. Correct the path",
        ),
        (
            {"algorithms": {"mine": "rule.py:Min"}},
            "algorithms.mine: got 'rule.py:Min'; {root}/rule.py does not define 'Min'. Use one of: first, Mine",
        ),
        ({"algorithms": {"mine": "helper.py:first"}}, "algorithms.mine: got 'helper.py:first', which is not a class."),
        ({"algorithms": {"mine": "helper.py"}}, "algorithms.mine: got 'helper.py'; this module has no `ALGORITHM`."),
        (
            {"algorithms": {"mine": "rule.py:Mine", "dp_se": "rule.py:Mine"}},
            "algorithms.dp_se: got the name 'dp_se', which is the name of one of the algorithms of this package.",
        ),
        ({"algorithms": {"mine": "my rule"}}, "algorithms.mine: got 'my rule'; must be code, such as my_bandit.py:My"),
        (
            {"environments": {"groups": "rule.py:Mine"}},
            "environments.groups: got 'rule.py:Mine'; must be a function draw(rng, ...) that returns means",
        ),
        ({"environments": {"groups": "helper.py:first"}}, "environments.groups: `first` does not take `rng`. Add it"),
        ({"environments": {"groups": "groups.py"}}, "environments.groups: got 'groups.py'; this module has no `FAMIL"),
    ],
)
def test_a_fault_of_own_code_is_one_line(root, changes, says):
    (line,) = faults_of(write_project(root, paper(**changes)))
    assert line.partition(": ")[2].startswith(says.format(root=root.resolve())), line


def test_arguments_and_constants_of_own_code_are_checked(root):
    record = paper()
    record["experiments"]["study"]["curves"][0]["parameters"] = {"begin": 1}
    record["experiments"]["study"]["environment"] = {"family": "groups", "arms": 3, "low": 0.25}
    lines = [line.partition(": ")[2] for line in faults_of(write_project(root, record))]
    assert len(lines) == 2
    assert lines[0].startswith("experiments.study.environment.high: required key is missing; `groups` needs it")
    assert lines[1].startswith("experiments.study.curves[0].parameters.begin: unknown constant `begin`")
    record = paper()
    record["experiments"]["study"]["environment"]["high"] = 1.5
    (line,) = faults_of(write_project(root, record))
    assert line.endswith("must be an array of at least two means from 0 to 1; `groups` returned [0.25 1.5 0.25]")


def test_a_function_is_an_environment(tmp_path):
    def groups(rng, arms, low, high):
        return rng.permutation([high] + [low] * (int(arms) - 1))

    options = {"T": 40, "seeds": 3, "checkpoints": 0}
    here = {"family": groups, "arms": 3, "low": 0.25, "high": 0.75}
    (tmp_path / "arms.py").write_text(GROUPS)
    there = {**here, "family": f"{tmp_path / 'arms.py'}:groups"}
    found = [dpb.play("ucb1", environment, **options) for environment in (here, there)]
    found.append(dpb.play("ucb1", there, n_jobs=2, **options))
    assert found[0]["regret"].gt(0).all()
    for each in found[1:]:
        pd.testing.assert_frame_equal(each, found[0], check_exact=True)
    with pytest.raises(dpb.ConfigError, match="n_jobs: other processes cannot import the function `groups`"):
        dpb.play("ucb1", here, n_jobs=2, **options)
    with pytest.raises(dpb.ConfigError, match="environment: got 'linear'; is a name of this package"):
        dpb.play("ucb1", {"family": f"{tmp_path / 'arms.py'}:linear"}, **options)


def test_numbers_of_an_own_environment_have_no_range_of_others():
    """Some environments of the package have a whole number of this name."""

    def clusters(rng, arms, left):
        return rng.permutation([0.9] + [left] * (int(arms) - 1))

    here = {"family": clusters, "arms": 3, "left": 0.5}
    found = dpb.play("ucb1", here, T=40, seeds=2, checkpoints=0, settings={"left": [0.25, 0.75]})
    assert found["left"].unique().tolist() == [0.25, 0.75]


def test_a_kernel_of_its_own_plays_in_one_process_or_two(tmp_path):
    file = tmp_path / "last_arm.py"
    file.write_text(KERNEL)
    options = {"T": 100, "seeds": 4, "checkpoints": 0}
    found = dpb.play(str(file), MEANS, **options)
    assert set(found["algorithm"]) == {"last_arm"}
    assert set(np.round(found["regret"], 9)) <= {0.0, 10.0, 20.0}
    pd.testing.assert_frame_equal(dpb.play(str(file), MEANS, n_jobs=2, **options), found, check_exact=True)
    file.write_text(KERNEL.replace("means[-1]", "means.min()"))
    assert set(np.round(dpb.play(str(file), MEANS, **options)["regret"], 9)) == {20.0}
    (tmp_path / "ucb1.py").write_text(KERNEL)
    with pytest.raises(dpb.ConfigError, match="algorithm: got 'ucb1'; is a name of this package"):
        dpb.play(str(tmp_path / "ucb1.py"), MEANS, **options)
    file.write_text(KERNEL.replace('("regret",)', '("regret", "pulls")'))
    with pytest.raises(dpb.ConfigError, match=r"last_arm: `run` must return an array .*; got the shape \[1, 1\]"):
        dpb.play(str(file), MEANS, **options)
    file.write_text(KERNEL.replace("def run", "def ran"))
    with pytest.raises(dpb.ConfigError, match="this module has no `run`"):
        dpb.play(str(file), MEANS, **options)
    assert not ALGORITHMS.knows("last_arm")


@pytest.fixture
def package(tmp_path, monkeypatch):
    """An installed package that gives names to an algorithm, an environment and a mechanism."""
    site = tmp_path / "site"
    (site / "mine").mkdir(parents=True)
    (site / "mine/__init__.py").write_text("")
    (site / "mine/rule.py").write_text(RULE.replace("from helper", "from mine.helper"))
    (site / "mine/helper.py").write_text(HELPER)
    (site / "mine/groups.py").write_text(GROUPS)
    (site / "mine-1.0.dist-info").mkdir()
    (site / "mine-1.0.dist-info/METADATA").write_text("Metadata-Version: 2.1\nName: mine\nVersion: 1.0\n")
    (site / "mine-1.0.dist-info/entry_points.txt").write_text(
        "[dpbandits.algorithms]\ntheirs = mine.rule:Mine\nucb1 = mine.rule:Mine\n"
        "[dpbandits.environments]\ntheir_groups = mine.groups:groups\n"
        "[dpbandits.mechanisms]\ntheir_mechanism = mine.rule:Mine\n"
    )
    monkeypatch.syspath_prepend(str(site))
    registry._installed.cache_clear()
    yield site / "mine"
    registry._installed.cache_clear()
    for name in [name for name in sys.modules if name.partition(".")[0] == "mine"]:
        del sys.modules[name]


def test_the_command_plays_an_algorithm_that_the_experiment_does_not_list(package, root):
    """With a setting that the other algorithm alone has."""
    asked = ("run", f"{KEY}/study", "--algorithm", "theirs,ucb1", "--seeds", "2", "--set", "eps=1")
    result = call(root, *asked)
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith("theirs, printed: regret after")


def test_a_new_algorithm_may_be_written_beside_an_installed_one(package):
    assert new_look("bernoulli").marker


def test_an_installed_package_that_cannot_be_imported_is_one_line(package, root):
    (package / "rule.py").write_text("import nowhere\n")
    assert call(root, "list", "papers").exit_code == 0, "no paper uses it"
    result = call(root, "list", "algorithms")
    assert result.exit_code == 2
    (line,) = result.stderr.splitlines()
    assert "mine.rule:Mine" in line
    with pytest.raises(dpb.ConfigError, match=r"mine\.rule:Mine"):
        dpb.list_algorithms()
    with pytest.raises(dpb.ConfigError, match=r"mine\.rule:Mine"):
        dpb.play("theirs", MEANS, eps=1, T=20, seeds=1)
    with pytest.raises(dpb.ConfigError, match=r"mine\.rule:Mine"):
        dpb.audit("their_mechanism", eps=1)


def test_names_of_an_installed_package_work_like_those_of_this_one(package, root):
    around = {"family": "their_groups", "arms": 3, "low": 0.25, "high": 0.75}
    found = dpb.play("theirs", around, eps=1, T=30, seeds=2, checkpoints=0, settings={"start": 1})
    assert set(found["algorithm"]) == {"theirs"}
    listed = dpb.list_algorithms().set_index("algorithm")
    assert listed.loc["theirs", "guarantee"] == "every report is eps-DP"
    assert "their_groups" in set(dpb.list_environments()["family"])
    assert ALGORITHMS.module("ucb1").__name__ == "dpbandits.algorithms.bernoulli.ucb1"  # names of this package win
    assert dpb.audit("their_mechanism", eps=1, trials=2000).verdict == "consistent"
    record = paper()
    record["experiments"]["study"]["curves"][0]["algorithm"] = "theirs"
    (root / "config/papers" / f"{KEY}.yaml").unlink()
    before = digest(write_project(root, record))
    (package / "helper.py").write_text(HELPER.replace("% arms", "* 0"))
    assert digest(root) != before


def test_an_algorithm_is_audited_by_what_it_declares(root, monkeypatch):
    monkeypatch.chdir(root)
    assert dpb.audit("rule.py:Mine", eps=1, trials=5000).verdict == "consistent"
    (root / "half.py").write_text(RULE.replace("scale=1 / eps", "scale=0.5 / eps"))
    assert dpb.audit("half.py:Mine", eps=1, trials=20_000).verdict == "violated"
    result = call(root, "audit", "--mechanism", "half.py:Mine", "--eps", "1", "--trials", "20000")
    assert result.exit_code == 1
    assert result.stdout.startswith("VIOLATED")


AUDIT = {
    **{"title": "reports", "says": "A noisy reward.", "where": "nowhere", "release": "declared", "target": "mechanism"},
    **{"domain": "rewards in [0, 1]", "neighbors": "another reward", "view": "the report", "inputs": "0 or 1"},
    **{"algorithms": ["mine"], "calibrations": ["printed"], "delta": 0},
    "grid": {"smoke": {"eps": [1]}, "quick": {"eps": [1]}, "full": {"eps": [0.5, 1]}},
    "trials": {"smoke": 20000, "quick": 20000, "full": 20000},
    "milliseconds": {"smoke": 10, "quick": 10, "full": 10},
}


@pytest.mark.parametrize(("scale", "verdict"), [("1 / eps", "consistent"), ("0.5 / eps", "violated")])
def test_a_paper_audits_what_a_class_declares(root, scale, verdict):
    (root / "rule.py").write_text(RULE.replace("1 / eps", scale))
    project = load(write_project(root, paper(audits={"reports": AUDIT})))
    (cell,) = audits.cells(project, project.papers[KEY], "reports")
    found = record_of_own(cell, project.root_seed)
    assert (found["verdict"], found["epsilons"], found["noise"]) == (verdict, [0.0, None], None)
    assert 0.7 < found["lower"] * (1 if verdict == "consistent" else 0.5) <= 1
    record = heading(cell, "smoke") | audits.described(project.papers[KEY], "reports") | found
    assert audit_text.sentence(record).startswith("ε = 1 is claimed; no calculation bounds the actual ε; 20000 runs on")
    (row,) = audit_rows([record])
    assert (row["actual / claimed"], row["verdict"]) == ("not calculated", verdict)
    assert audit_text.noises([record]) == "not known"


def test_records_of_a_declared_release_depend_on_its_file(root):
    project = load(write_project(root, paper(audits={"reports": AUDIT})))

    def digest():
        dependencies.FOUND.clear()
        return dependencies.digest(dependencies.audit(project.papers[KEY], "reports"))

    before = digest()
    (root / "helper.py").write_text(HELPER + "# a comment\n")
    assert digest() == before
    (root / "helper.py").write_text(HELPER.replace("% arms", "* 0"))
    assert digest() != before


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"release": "declaim"}, "release: unknown function `declaim`. Use `declared`"),
        ({"calibrations": ["tuned"]}, "calibrations: got 'tuned'; must be printed, released or certified"),
        ({"trials": AUDIT["trials"] | {"smoke": 500}}, "trials.smoke: got 500; must be at least 1000"),
        ({"target": "actions"}, "target: got 'actions'; must be `mechanism` if `release` is `declared`"),
        ({"algorithms": ["ucb1"]}, "algorithms[0]: `ucb1` is not a class of your own. Use one that declares what it"),
    ],
)
def test_what_an_audit_of_own_code_may_not_ask_is_one_line(root, changes, says):
    write_project(root, paper(audits={"reports": AUDIT | changes}))
    (line,) = faults_of(root)
    assert line.partition("audits.reports.")[2].startswith(says), line


def test_a_class_that_draws_no_independent_runs_is_refused(root):
    (root / "rule.py").write_text(RULE.replace("size=n)", "size=1).repeat(n)"))
    project = load(write_project(root, paper(audits={"reports": AUDIT})))
    (cell,) = audits.cells(project, project.papers[KEY], "reports")
    with pytest.raises(ConfigError, match=r"^one2020/reports: `release` of `mine` returned 1000 copies of"):
        record_of_own(cell, project.root_seed)


def test_a_class_that_ends_its_process_is_named(root):
    """It would else end the job without a word."""
    (root / "rule.py").write_text(
        RULE.replace("        return data[0]", "        import os; os._exit(0)\n        return data[0]")
    )
    project = load(write_project(root, paper(audits={"reports": AUDIT})))
    (cell,) = audits.cells(project, project.papers[KEY], "reports")
    with pytest.raises(
        ConfigError, match=r"^one2020/reports: `release` of `mine` ended its process on the first input"
    ):
        record_of_own(cell, 1)


def test_a_release_that_needs_delta_gets_it_also_where_it_is_0(root, monkeypatch):
    monkeypatch.chdir(root)
    for given, noise in (("delta", "size=n) + delta"), ("delta=0.25", "size=n) + (delta - 0.25)")):
        (root / "rule.py").write_text(RULE.replace("n, eps)", f"n, eps, {given})").replace("size=n)", noise))
        assert dpb.audit("rule.py:Mine", eps=1, trials=20_000).verdict == "consistent"


def test_a_release_is_told_the_claim_and_the_calibration(root):
    """With the delta of the claim, and noise of its own at each calibration."""
    told = "size=n)"
    rule = RULE.replace("n, eps)", "n, eps, delta, calibration, shift)").replace(
        told, told + ' * {"printed": 1, "certified": 0.5}[calibration] + (rng.random(n) < delta) * shift'
    )
    (root / "rule.py").write_text(rule)
    section = AUDIT | {"calibrations": ["printed", "certified"], "delta": 0.01, "constants": {"shift": 50}}
    project = load(write_project(root, paper(audits={"reports": section})))
    every = audits.cells(project, project.papers[KEY], "reports")
    assert [record_of_own(cell, 1)["verdict"] for cell in every] == ["consistent", "violated"]


def test_equal_neighbors_are_one_line(root):
    (root / "rule.py").write_text(RULE.replace("([0.0], [1.0])", "([1.0], [1.0])"))
    project = load(write_project(root, paper(audits={"reports": AUDIT})))
    (cell,) = audits.cells(project, project.papers[KEY], "reports")
    with pytest.raises(ConfigError, match=r"^one2020/reports: `neighbors` of `mine`: got two equal inputs"):
        record_of_own(cell, 1)


def test_a_release_may_import_what_is_beside_its_file(root):
    """When it is called."""
    (root / "own").mkdir()
    (root / "own/beside.py").write_text("SCALE = 1.0\n")
    late = RULE.replace("from helper import first", "def first(arms, start): return 0").replace(
        "        return data[0]", "        from beside import SCALE\n        return SCALE * data[0]"
    )
    (root / "own/rule.py").write_text(late)
    changes = {"audits": {"reports": AUDIT}, "algorithms": {"mine": "own/rule.py:Mine"}}
    project = load(write_project(root, paper(**changes)))
    (cell,) = audits.cells(project, project.papers[KEY], "reports")
    assert record_of_own(cell, 1)["verdict"] == "consistent"


def test_the_audit_of_a_paper_is_that_of_the_command(root, monkeypatch):
    """Noise that is absent with probability 0.01, which a learned score alone would miss."""
    (root / "rule.py").write_text(RULE.replace("size=n)", "size=n) * (rng.random(n) > 0.01)"))
    project = load(write_project(root, paper(audits={"reports": AUDIT})))
    (cell,) = audits.cells(project, project.papers[KEY], "reports")
    assert record_of_own(cell, 1)["verdict"] == "violated"
    monkeypatch.chdir(root)
    assert dpb.audit("rule.py:Mine", eps=1, trials=20_000).verdict == "violated"


def test_figures_and_tables_say_that_nothing_is_calculated(root):
    project = load(write_project(root, paper(audits={"reports": AUDIT})))
    (cell,) = audits.cells(project, project.papers[KEY], "reports")
    record = heading(cell, "smoke") | audits.described(project.papers[KEY], "reports") | record_of_own(cell, 1)
    (axes,) = audit.audit_verdicts(audit.frame([record]), "title").axes
    assert [text.get_text().startswith("✓ – | 0.") for text in axes.texts] == [True]
    for drawn in (audit.audit_epsilons, audit.audit_power):
        assert len(drawn(audit.frame([record]), "title").axes) == 1
    assert ledger([record])[0]["status"] == "not calculated"
    failed = record | {"verdict": "violated", "factors": [], "cells": 1, "step": "", "cell": "mine: eps = 1"}
    assert refutations.repair(failed).startswith("Not computed: no calculation covers")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            RULE.replace("def release", "def other"),
            "mechanism: `Mine` declares no `release`. Add release(rng, data, n)",
        ),
        (RULE.replace("neighbors =", "pair ="), "neighbors: `Mine` declares none. Add `neighbors`, a pair of inputs"),
        ("def draw(rng, data, n): return rng.random(n)\nMine = draw", "neighbors: required option is missing; a sam"),
        ("", "mechanism: got 'wrong.py:Mine'; "),
    ],
)
def test_what_an_audit_lacks_is_one_line(root, monkeypatch, text, says):
    monkeypatch.chdir(root)
    (root / "wrong.py").write_text(text)
    with pytest.raises(dpb.ConfigError) as fault:
        dpb.audit("wrong.py:Mine", eps=1)
    assert str(fault.value).startswith(says)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('"local", "every', '"nobody", "every', "`Mine.trust_model`: got 'nobody'; must be one of: central, local, s"),
        (
            '"local", "every report is eps-DP"',
            '"local", ""',
            "`Mine` declares only one of `trust_model` and `g",
        ),
    ],
)
def test_what_a_class_promises_is_checked(root, old, new, says):
    (root / "rule.py").write_text(RULE.replace(old, new))
    (line,) = faults_of(root)
    assert line.partition("algorithms.mine: ")[2].startswith(says), line


def test_names_are_those_of_the_package_first():
    ALGORITHMS.declare("ucb1", "nowhere.py:X")
    ENVIRONMENTS.declare("mine", "nowhere.py:x")
    assert ALGORITHMS.own() == {}
    assert ALGORITHMS.own_code("ucb1") is None
    assert ENVIRONMENTS.knows("mine")
    assert not ALGORITHMS.knows("mine")
    ENVIRONMENTS.withdraw("mine")
    assert not ENVIRONMENTS.knows("mine")
    assert NAMED == "module:name or file.py:name"
