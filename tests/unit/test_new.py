"""`dpbandits new`: the files that it writes, and one line for everything that it refuses."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from dpbandits.algorithms.registry import TABLE
from dpbandits.base.registry import ALGORITHMS
from dpbandits.skeletons import algorithms, families, files, papers

from .small import write_project
from .test_cli import call, refusal

ALGORITHM = ("new", "algorithm", "fresh_ucb", "--family", "bernoulli")
PAPER = ("new", "paper", "fresh2099")
WRITTEN = {
    ALGORITHM: ["src/dpbandits/algorithms/bernoulli/fresh_ucb.py", "tests/unit/test_fresh_ucb.py"],
    PAPER: [
        "config/papers/fresh2099.yaml",
        "src/dpbandits/audits/papers/fresh2099.py",
        "tests/unit/test_configuration_fresh2099.py",
    ],
}
both = pytest.mark.parametrize("command", WRITTEN, ids=lambda command: command[1])


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project whose folder `src` counts as the place of the package."""
    monkeypatch.setattr(files, "SOURCE_ROOT", tmp_path / "src")
    return write_project(tmp_path)


def below(root: Path) -> list[str]:
    return sorted(path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file())


@both
def test_it_writes_its_files_and_prints_them_with_the_next_commands(root, command):
    before = below(root)
    result = call(root, *command)
    assert result.exit_code == 0, result.output
    assert sorted(set(below(root)) - set(before)) == WRITTEN[command]
    head, *lines = result.stdout.splitlines()
    written, commands = lines[: lines.index("Next")], lines[lines.index("Next") + 1 :]
    assert (head, [line.strip() for line in written]) == ("Wrote", WRITTEN[command])
    assert len(commands) == 3
    assert all(" # " in line for line in commands)


@both
def test_what_is_written_is_in_the_style_of_the_project(root, command):
    call(root, *command)
    in_style(*[root / name for name in WRITTEN[command] if name.endswith(".py")])


def in_style(*python: Path) -> None:
    for path in python:
        ast.parse(path.read_text(encoding="utf-8"))
    settings = ["--config", str(Path(__file__).parents[2] / "pyproject.toml")]
    for check in (["check"], ["format", "--check"]):
        ruff = subprocess.run(
            [sys.executable, "-m", "ruff", *check, *settings, *python], capture_output=True, text=True
        )
        assert ruff.returncode == 0, ruff.stdout + ruff.stderr


def test_the_longest_name_is_in_the_style_too(root):
    name = "x" * algorithms.LONGEST
    assert call(root, "new", "algorithm", name, "--family", "bernoulli").exit_code == 0
    assert all(len(line) <= 120 for path in root.rglob(f"*{name}.py") for line in path.read_text().splitlines())


@both
@pytest.mark.parametrize("number", [0, 1])
def test_an_existing_file_is_kept_and_nothing_is_written(root, command, number):
    name = WRITTEN[command][::-1][number]
    (root / name).parent.mkdir(parents=True, exist_ok=True)
    (root / name).write_text("mine")
    before = below(root)
    says = f"{name}: exists already; nothing was written. Choose another name, or delete the file."
    assert refusal(root, *command) == says
    assert below(root) == before
    assert (root / name).read_text() == "mine"


@both
def test_a_failure_leaves_none_of_the_files(root, command):
    """The last one cannot be written: a file is where its folder should be."""
    (root / "tests").write_text("no folder")
    before = below(root)
    refusal(root, *command)
    assert below(root) == before


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("MyUCB", "NAME: got 'MyUCB'; must be a Python identifier of at most 30 lowercase letters"),
        ("2ucb", "NAME: got '2ucb'; must be"),
        ("my-ucb", "NAME: got 'my-ucb'; must be"),
        ("../ucb", "NAME: got '../ucb'; must be"),
        ("lambda", "NAME: got 'lambda'; must be"),
        ("x" * 31, "; must be a Python identifier of at most 30"),
        (
            "anytime_lazy_ucb",
            "NAME: got 'anytime_lazy_ucb'; an algorithm has this name already "
            "(src/dpbandits/algorithms/bernoulli/anytime_lazy_ucb.py). Choose another name.",
        ),
        (
            "regret_lower_bound",
            "NAME: got 'regret_lower_bound'; a bound has this name already "
            "(src/dpbandits/theory/regret_lower_bound.py). Choose another name.",
        ),
        ("linear", "NAME: got 'linear'; an environment has this name already"),
    ],
)
def test_names_that_are_refused(root, name, says):
    before = below(root)
    assert says in refusal(root, "new", "algorithm", name, "--family", "bernoulli")
    assert below(root) == before


@pytest.mark.parametrize("family", ["gaussian", "shared", "baselines", ""])
def test_families_that_are_refused(root, family):
    before = below(root)
    says = f"--family: got '{family}'; must be one of: bernoulli, full_information, glm_multi, "
    assert refusal(root, "new", "algorithm", "fresh_ucb", "--family", family).startswith(says)
    assert below(root) == before


@pytest.mark.parametrize("family", algorithms.MODELS)
def test_in_other_families_a_copy_of_a_private_algorithm_is_written(root, family):
    """Equal but for its head, its label, its reference and its look; the docstring names the model."""
    model, entry = ALGORITHMS.place(algorithms.MODELS[family]), TABLE[algorithms.MODELS[family]]
    assert (model.split(".")[2], entry.private) == (family, True)
    assert call(root, "new", "algorithm", "my_copy", "--family", family).exit_code == 0
    copy = (root / f"src/dpbandits/algorithms/{family}/my_copy.py").read_text(encoding="utf-8").splitlines()
    original = (Path(__file__).parents[2] / "src" / f"{model.replace('.', '/')}.py").read_text(encoding="utf-8")
    assert copy[0] == f'"""My copy: a copy of `{algorithms.MODELS[family]}` to start from.'
    changed = [line for line in copy[5:] if line not in original.splitlines()]
    look = f"    look={algorithms.written(families.new_look(family))},"
    assert changed == [
        '    label="My copy",',
        '    short="My copy",',
        '    reference="Author Year, Algorithm 1",',
        look,
    ]
    in_style(root / f"src/dpbandits/algorithms/{family}/my_copy.py", root / "tests/unit/test_my_copy.py")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["Fresh2099"], "KEY: got 'Fresh2099'; must be first author and year, such as azize2022"),
        (["azize"], "KEY: got 'azize'; must be"),
        (["azize22"], "KEY: got 'azize22'; must be"),
        (["../a2022"], "KEY: got '../a2022'; must be"),
        (["fresh2099", "--algorithm", "lazy_ubc"], "--algorithm: got 'lazy_ubc'; must be one of: adap_kl_ucb, "),
        (["fresh2099", "--algorithm", "ucb1"], "--algorithm: got 'ucb1'; must be one of: adap_kl_ucb, "),
        (["fresh2099", "--algorithm", "linucb_jdp"], "--algorithm: got 'linucb_jdp'; must be one of: "),
    ],
)
def test_papers_that_are_refused(root, arguments, says):
    before = below(root)
    assert refusal(root, "new", "paper", *arguments).startswith(says)
    assert below(root) == before


def test_a_paper_of_the_project_is_refused(root):
    assert call(root, *PAPER).exit_code == 0
    says = "KEY: got 'fresh2099'; config/papers/fresh2099.yaml exists already. Choose another key or edit that file."
    assert refusal(root, *PAPER) == says


@both
def test_outside_a_project_there_is_one_line(tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    says = "config/config.yaml: not found in this folder or above it. Use --project DIR to name its folder."
    assert (
        refusal(tmp_path, *command)
        == f"--project {tmp_path}: does not contain config/config.yaml. Name the folder of a project."
    )
    result = subprocess.run([sys.executable, "-m", "dpbandits", *command], capture_output=True, text=True, cwd=tmp_path)
    assert (result.returncode, result.stderr) == (2, f"dpbandits: {says}\n")


@both
def test_a_package_that_is_not_of_the_project_is_refused(tmp_path, command):
    """As where it is installed without a checkout."""
    write_project(tmp_path)
    before = below(tmp_path)
    found = refusal(tmp_path, *command)
    assert found.startswith(f"{tmp_path}: dpbandits runs from ")
    assert found.endswith("Clone the repository, run `make setup` there, and use the dpbandits of its .venv.")
    assert below(tmp_path) == before


@pytest.mark.parametrize("name", papers.playable())
def test_constants_of_every_algorithm_are_written_as_the_configuration_has_them(root, name):
    from dpbandits.config.loading import load_paper

    assert call(root, *PAPER, "--algorithm", name).exit_code == 0
    found = load_paper(root, "fresh2099").constants
    baseline = TABLE[families.FAMILIES[families.family_of(name)].baseline]
    assert found.keys() == baseline.parameters.keys() | TABLE[name].parameters.keys()
    for entry in (baseline, TABLE[name]):  # the algorithm's own value where both have a parameter
        numbers = {key: entry.parameters[key].number(found[key]) for key in entry.parameters}
        own = {key: TABLE[name].examples[0].setting.get(key, entry.examples[0].setting[key]) for key in numbers}
        assert numbers == own


@pytest.mark.parametrize("name", papers.playable())
def test_papers_of_every_algorithm_are_in_the_style_of_the_project(root, name):
    assert call(root, *PAPER, "--algorithm", name).exit_code == 0
    in_style(*[root / each for each in WRITTEN[PAPER] if each.endswith(".py")])


def test_papers_play_what_the_skeleton_of_an_algorithm_is():
    """Also the algorithms whose noise the audit of the skeleton has, and no others."""
    assert {family.model for family in families.FAMILIES.values()} <= set(papers.playable())
    assert {"adap_ucb", "phased_elimination_local"} <= set(papers.playable())
    other_noise = {"dp_ucb", "naive_ftnl", "linucb_jdp", "linucb_sdp_amp", "cucb_ldp1", "cucb_dp", "ldp_sgd"}
    assert not {"ucb1", *other_noise} & set(papers.playable())


def test_every_family_has_a_skeleton():
    assert {families.family_of(name) for name in TABLE} == {*families.FAMILIES, families.BASELINES}
    for name, family in families.FAMILIES.items():
        assert families.family_of(family.model) == name
        assert not TABLE[family.baseline].private


@pytest.mark.parametrize("family", families.FAMILIES)
def test_a_new_algorithm_looks_like_no_other_of_its_family(family):
    """Nor like a baseline that figures draw beside it."""
    look = families.new_look(family)
    others = [name for name in TABLE if families.family_of(name) in (family, families.BASELINES)]
    assert others
    assert look.marker not in {each.marker for name in others for each in families.looks_of(TABLE[name])}


def test_new_algorithms_look_different_where_every_marker_is_taken(monkeypatch):
    """They differ in marker and dash together."""
    monkeypatch.setattr(families, "MARKERS", "os")
    look = families.new_look("semi_bandit")
    others = [name for name in TABLE if families.family_of(name) in ("semi_bandit", families.BASELINES)]
    taken = {(each.marker, each.dash) for name in others for each in families.looks_of(TABLE[name])}
    assert (look.marker, look.dash) not in taken


@pytest.mark.parametrize(
    ("name", "label"), [("my_ucb", "My UCB"), ("dp_anytime_lazy_ucb", "DP anytime lazy UCB"), ("x_", "X")]
)
def test_labels(name, label):
    assert algorithms.label_of(name) == label
