"""Whatever is changed in the project's own configuration, it is refused in one line, or can be simulated and judged."""

from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpbandits.algorithms.table import TABLE
from dpbandits.claims.predicates import PREDICATES
from dpbandits.experiments.config import Project, load_yaml
from dpbandits.experiments.grid import curves

from .small import DELETE, ROOT, attempt, changed, fault, write_project

CONFIG = load_yaml(ROOT / "config/config.yaml", "config.yaml")
PAPERS = {key: load_yaml(ROOT / f"config/papers/{key}.yaml", key) for key in CONFIG["papers"]}
VALUES = (
    *(None, True, False, "", "no such name", "../../etc/passwd", "C99", "a\nb", "1e400", "\u2028"),
    *(0, -1, 1, 2, 3, 0.5, -0.5, 1e-320, 1e6, 1e300, 10**400, float("nan"), float("inf"), float("-inf")),
    *([], {}, [[]], [[[1]]], {"eps": [1]}, {"value": 1, "source": "assumed", "note": "n"}, [None], ["x", "x"]),
)


def paths(value: Any, above: str = "") -> Iterator[str]:
    """Every place in a record, as `a.b.0`."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in inner:
        here = f"{above}.{key}" if above else str(key)
        yield here
        yield from paths(each, here)


def at(value: Any, path: str) -> Any:
    for part in path.split("."):
        value = value[int(part) if part.isdigit() else part]
    return value


@st.composite
def mutants(draw: st.DrawFn, record: Any) -> Any:
    """The record with one to three changes."""
    mutant = deepcopy(record)
    for _ in range(draw(st.integers(1, 3))):
        path = draw(st.sampled_from(sorted(paths(mutant))))
        here = at(mutant, path)
        kind = draw(st.sampled_from(("delete", "replace", "copy", "add", "repeat", "move")))
        if kind == "delete":
            mutant = changed(mutant, path, DELETE)
        elif kind == "replace":
            mutant = changed(mutant, path, draw(st.sampled_from(VALUES)))
        elif kind == "copy":  # what stands elsewhere in the file is likely of a nearly right kind
            mutant = changed(mutant, path, at(mutant, draw(st.sampled_from(sorted(paths(mutant))))))
        elif kind == "add" and isinstance(here, dict):
            mutant = changed(mutant, path, {**here, draw(st.sampled_from(("extra", "a b", "C7", "x", "eps"))): 1})
        elif kind == "repeat" and isinstance(here, list):
            mutant = changed(mutant, path, [*here, *here])
        elif kind == "move" and isinstance(here, int | float):
            mutant = changed(mutant, path, here * draw(st.sampled_from((-1, 0, 1.5, 3, 1e9))))
        if not isinstance(mutant, dict) or not mutant:
            break
    return mutant


def compare(project: Project) -> None:
    """Every claim finds something to compare, in a table with the curves that the project would run."""
    for paper in project.papers.values():
        for section in (section for section in paper.claims.values() if "tests" in section):
            have = {(c.algorithm, c.calibration) for c in curves(project, paper, section["experiment"])}
            for calibration in section["calibrations"]:

                def sample(algorithm: str, setting: Any, have=have, calibration=calibration) -> np.ndarray:
                    assert (algorithm, TABLE[algorithm].calibrations[calibration]) in have
                    return np.random.default_rng(len(algorithm)).random(5)

                assert all(PREDICATES[test["predicate"]](test, sample) for test in section["tests"])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("mutants")


@pytest.mark.parametrize("key", PAPERS)
def test_a_mutant_of_a_paper_is_valid_or_refused_in_one_line(key: str, folder: Path):
    refused = []

    @settings(max_examples=320 // len(PAPERS))
    @given(mutants(PAPERS[key]))
    def run(mutant: Any) -> None:
        project, line = attempt(write_project(folder, mutant, {**CONFIG, "papers": [key]}, key))
        refused.append(bool(line))
        if project:
            compare(project)

    run()
    assert 0.5 < sum(refused) / len(refused) < 0.98  # both outcomes were seen


@settings(max_examples=100)
@given(mutants(CONFIG))
def test_a_mutant_of_the_project_is_valid_or_refused_in_one_line(folder: Path, mutant: Any):
    for key, paper in PAPERS.items():
        write_project(folder, paper, mutant, key)
    fault(folder)


@settings(max_examples=150)
@given(
    st.binary(max_size=60) | st.text(max_size=60).map(str.encode) | st.text("[]{}:,-?&*!|>'\"%@` \n#a1.~", max_size=40)
)
def test_any_text_is_refused_in_one_line(folder: Path, text: Any):
    assert fault(write_project(folder, text))
