"""The study of the tutorial runs in a copy of the project; a change of its class plays the class again."""

from pathlib import Path

import pytest

from dpbandits.base.storage import read_json
from tests.unit.test_tutorial import AUDITS, NAME, RULE, STUDY

from .project import Copy, copy

RUN = ("snakemake", "--cores", "2", "--config", "scale=smoke", f"papers={NAME}")


@pytest.fixture
def project(tmp_path: Path) -> Copy:
    """A copy with the class and the study."""
    found = copy(tmp_path / "project", source=False, papers=[NAME])
    (found.root / "my_bandit.py").write_text(RULE, encoding="utf-8")
    (found.root / f"config/papers/{NAME}.yaml").write_text(STUDY + AUDITS, encoding="utf-8")
    return found


@pytest.mark.slow
def test_the_study_is_judged_and_own_code_is_played_again_when_it_changes(project: Copy) -> None:
    project.call(*RUN)
    (record,) = read_json(project.root / f"results/smoke/claims/{NAME}.json")["records"]
    assert record["verdict"] in ("holds", "fails")
    assert len(record["details"]) == 3
    (audited,) = read_json(project.root / f"results/smoke/audit/{NAME}.json")["records"]
    assert audited["verdict"] == "consistent"
    assert (project.root / f"results/smoke/figures/{NAME}/budgets-printed.svg").is_file()
    assert "no calculation bounds the actual" in project.call(
        "dpbandits", "--scale", "smoke", "explain", f"{NAME}/sums"
    )
    said = project.call("dpbandits", "--scale", "smoke", "claims", NAME)
    assert "Private epsilon-greedy has less" in " ".join(said.split())
    assert "Nothing to be done" in project.call(*RUN)
    file = project.root / "my_bandit.py"
    changed = RULE.replace("explore=0.05", "explore=0.1").replace("scale=1 / eps", "scale=0.5 / eps")
    file.write_text(changed, encoding="utf-8")
    project.call(*RUN)
    (audited,) = read_json(project.root / f"results/smoke/audit/{NAME}.json")["records"]
    assert audited["verdict"] == "violated"
    played = {piece.split("/")[1].partition("-")[0]: said for piece, said in project.said("simulate").items()}
    assert played["private_greedy"] == "simulated"
    assert played.get("dp_se", "up to date") == "up to date"
