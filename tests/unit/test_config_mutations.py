"""Whatever is changed in the project's own configuration, it is refused in one line, or can be simulated and judged."""

import shutil
from collections.abc import Collection, Iterator, Mapping, Sequence
from copy import deepcopy
from importlib import import_module
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpbandits.claims.audits import findings
from dpbandits.claims.gates import left_of
from dpbandits.claims.predicates import COUNTS, PREDICATES
from dpbandits.claims.samples import Runs
from dpbandits.config.curves import Curve, names_of_points
from dpbandits.config.entries import TABLE
from dpbandits.config.grid import curves
from dpbandits.config.loading import Project
from dpbandits.config.models.claims import AuditTest, ClosedForm, Statistical
from dpbandits.config.models.comparisons import Measurement
from dpbandits.config.plain_yaml import load_yaml
from dpbandits.config.sections import judged_outputs
from dpbandits.planning.audits import cells
from dpbandits.planning.cells import Cell
from dpbandits.stages import judge as stage
from dpbandits.stages.aggregate import labels
from dpbandits.stages.runs import filled
from tests.shipped import SETTINGS
from tests.tables import stacked

from .small import CONFIG, DELETE, KEY, PAPER, ROOT, attempt, changed, fault, write_project

PAPERS = {key: load_yaml(ROOT / f"config/papers/{key}.yaml", key) for key in SETTINGS["papers"]}
NEW = ("gates", "constants", "calibrations", "measurements", "tables", "figures", "experiments.scaling", "claims.C2")
COINCIDES = {name: algorithm.calibrations for name, algorithm in TABLE.items()}
SEEDS = 5
VALUES = (
    *(None, True, False, "", "no such name", "../../etc/passwd", "C99", "a\nb", "1e400", "\u2028"),
    *(0, -1, 1, 2, 3, 0.5, -0.5, 1e-320, 1e6, 1e300, 10**400, float("nan"), float("inf"), float("-inf")),
    *(
        [],
        {},
        [[]],
        [[[1]]],
        {"eps": [1]},
        [{"eps": [1]}, {"T": [100]}],
        ["printed"],
        "tuned",
        "phased_elimination:x",
        {"value": 1, "source": "assumed", "note": "n"},
        [None],
        ["x", "x"],
    ),
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
def mutants(draw: st.DrawFn, record: Any, within: Sequence[str] = ("",)) -> Any:
    """The record with one to three changes, in the sections `within` it."""
    mutant = deepcopy(record)
    for _ in range(draw(st.integers(1, 3))):
        every = sorted(paths(mutant))
        near = [path for path in every if any(path.startswith(section) for section in within)]
        path = draw(st.sampled_from(near or every))
        here = at(mutant, path)
        kind = draw(st.sampled_from(("delete", "replace", "copy", "add", "repeat", "move")))
        if kind == "delete":
            mutant = changed(mutant, path, DELETE)
        elif kind == "replace":
            mutant = changed(mutant, path, draw(st.sampled_from(VALUES)))
        elif kind == "copy":  # what stands elsewhere in the file is likely of a nearly right kind
            mutant = changed(mutant, path, at(mutant, draw(st.sampled_from(near or every))))
        elif kind == "add" and isinstance(here, dict):
            name = draw(st.sampled_from(("extra", "a b", "C7", "x", "eps", "T", "arms", "width", "tuned", "variant")))
            mutant = changed(mutant, path, {**here, name: draw(st.sampled_from((1, [1], "wide")))})
        elif kind == "repeat" and isinstance(here, list):
            mutant = changed(mutant, path, [*here, *here])
        elif kind == "move" and isinstance(here, int | float):
            mutant = changed(mutant, path, here * draw(st.sampled_from((-1, 0, 1.5, 3, 1e9))))
        if not isinstance(mutant, dict) or not mutant:
            break
    return mutant


def table_of(every: Sequence[Curve], read: Collection[str]) -> Mapping[str, Any]:
    """A table of runs as the stage aggregate writes it, with outputs of random size, of which some are read."""
    names = names_of_points(every)
    rng = np.random.default_rng(1)
    parts = []
    for curve in every:
        rows = SEEDS * len(curve.points)
        seeds = {"seed": np.tile(np.arange(SEEDS), len(curve.points))}
        parts.append(
            labels(curve, names, [SEEDS] * len(curve.points))
            | seeds
            | {name: rng.lognormal(size=rows) for name in TABLE[curve.algorithm].outputs if name in read}
        )
    return filled(stacked(parts), read)


def record_of(cell: Cell) -> dict[str, Any]:
    """The record of a cell that is as private as it says."""
    found = {"audit": cell.audit, "algorithm": cell.algorithm, "calibration": cell.calibration, "eps": cell.eps}
    return found | {
        "point": cell.point,
        "epsilons": [cell.eps] * 2,
        "lower": 0.0,
        "verdict": "consistent",
        "status": "proven, tight",
        "in_theorem_range": cell.in_theorem_range,
    }


def compare(project: Project) -> None:
    """Every claim and measurement finds something to compare, each time the runs of exactly one point."""
    for paper in project.papers.values():
        every = {name: curves(project, paper, name) for name in paper.experiments}
        judged = judged_outputs(paper.claims, paper.measurements, paper.rules)
        runs = {name: table_of(every[name], outputs) for name, outputs in judged.items()}
        measured = ((name, "", c, s) for name, s in paper.measurements.items() for c in s.calibrations)
        audited = [record_of(cell) for name in paper.audits for cell in cells(project, paper, name)]
        for _, _, calibration, section in (*stage.cases(paper.claims), *measured):
            tests = section.tests_of(calibration)
            assert tests
            if not isinstance(section, Statistical | Measurement):
                audits = [test for test in tests if isinstance(test, AuditTest)]
                assert all(findings(test, audited, calibration, COINCIDES) for test in audits)
                closed = [test for test in tests if isinstance(test, ClosedForm)]
                forms = import_module(f"dpbandits.claims.closed_forms.{paper.key}.functions") if closed else None
                for function, given in ((getattr(forms, test.function), test.arguments) for test in closed):
                    known = {"calibration": calibration} if "calibration" in signature(function).parameters else {}
                    signature(function).bind(**given, **known)
                continue
            inner = Runs(runs[section.experiment], every[section.experiment], calibration, COINCIDES)

            longest = paper.experiments[section.experiment].size.at(project.scale).longest

            def sample(curve: str, setting: Any, column: str = "regret", inner=inner, longest=longest) -> np.ndarray:
                found = inner(curve, setting, column)
                assert len(found) == (0 if longest and setting.get("T", 0.0) > longest else SEEDS)
                return found

            played = left_of(tests, (), sample)
            assert played.used == tests or played.unplayed
            left = left_of(tests, paper.rules.gates_of(section), sample).used
            assert all((PREDICATES | COUNTS)[test.predicate](test, sample) for test in [*played.used, *left])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """With the numbers of seeds that the files of papers ask for."""
    found = tmp_path_factory.mktemp("mutants")
    for name in ("allocations", "pilots"):
        shutil.copytree(ROOT / "config" / name, found / "config" / name)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("key", PAPERS)
def test_a_mutant_of_a_paper_is_valid_or_refused_in_one_line(key: str, folder: Path):
    refused = []

    @settings(max_examples=100 // len(PAPERS))
    @given(mutants(PAPERS[key]))
    def run(mutant: Any) -> None:
        project, line = attempt(write_project(folder, mutant, {**SETTINGS, "papers": [key]}, key))
        refused.append(bool(line))
        if project:
            compare(project)

    run()
    # Both outcomes must be seen. Twenty mutants bound no share: null, true, false and words are valid in many places.
    assert any(refused)
    assert not all(refused)


def test_a_mutant_of_grids_constants_variants_and_measurements_is_valid_or_refused_in_one_line(folder: Path):
    refused = []

    @settings(max_examples=400)
    @given(mutants(PAPER, NEW))
    def run(mutant: Any) -> None:
        project, line = attempt(write_project(folder, mutant, CONFIG, KEY))
        refused.append(bool(line))
        if project:
            compare(project)

    run()
    assert 0.4 < sum(refused) / len(refused) < 0.98


@settings(max_examples=60)
@given(mutants({**SETTINGS, "papers": [KEY, "chowdhury2022"]}))
def test_a_mutant_of_the_project_is_valid_or_refused_in_one_line(folder: Path, mutant: Any):
    for key, paper in ((KEY, PAPER), ("chowdhury2022", PAPERS["chowdhury2022"])):
        write_project(folder, paper, mutant, key)
    fault(folder)


@settings(max_examples=150)
@given(
    st.binary(max_size=60) | st.text(max_size=60).map(str.encode) | st.text("[]{}:,-?&*!|>'\"%@` \n#a1.~", max_size=40)
)
def test_any_text_is_refused_in_one_line(folder: Path, text: Any):
    assert fault(write_project(folder, text))
