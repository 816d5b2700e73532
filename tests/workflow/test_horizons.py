"""No verdict rests on a horizon that was not played: the scale quick with twelve seeds, enough for tests.

At quick, both papers here have experiments whose longest horizons are not played. Other experiments have two seeds
here.
"""

import re
from pathlib import Path

import numpy as np
import pytest
import yaml

from dpbandits.base.parquet import read_table
from dpbandits.base.storage import read_json

from .project import copy

SHORTER = ("han2021", "chen2020")
SEEDS = 12


@pytest.mark.slow
@pytest.mark.parametrize("paper", SHORTER)
def test_no_verdict_rests_on_a_horizon_that_was_not_played(paper: str, tmp_path: Path) -> None:
    project = copy(tmp_path / "project", source=False, papers=[paper])
    file = project.root / f"config/papers/{paper}.yaml"
    record = yaml.safe_load(file.read_text(encoding="utf-8"))
    longest = {}
    for name, section in record["experiments"].items():
        section["size"]["quick"], most = {"seeds": 2, "chunk": 2}, section["size"]["quick"].get("longest")
        if most:
            longest[name] = most
            section["size"]["quick"] = {"seeds": SEEDS, "chunk": SEEDS, "longest": most}
    file.write_text(yaml.safe_dump(record, sort_keys=False, allow_unicode=True), encoding="utf-8")
    allocation = project.root / f"config/allocations/{paper}.yaml"
    numbers = yaml.safe_load(allocation.read_text(encoding="utf-8"))
    del numbers["quick"]
    allocation.write_text(yaml.safe_dump(numbers, sort_keys=False), encoding="utf-8")
    claims = f"results/quick/claims/{paper}.json"
    project.call("snakemake", claims, "--cores", "2", "--config", "scale=quick", f"papers={paper}")
    for name, most in longest.items():
        table, _ = read_table(project.root / f"results/quick/tables/{paper}/{name}.parquet")
        summary, _ = read_table(project.root / f"results/quick/tables/{paper}/{name}.summary.parquet")
        assert np.nanmax(table.get("T", [0.0])) <= most
        assert summary["t"].max() <= most
    records = read_json(project.root / claims)["records"]
    cut = [each for each in records if each["unplayed"]]
    assert len(cut) >= 5
    for each in cut:
        experiment = Path(each["evidence"]["table"]).stem
        assert min(each["unplayed"]) > longest[experiment]
        assert each["verdict"] in ("not_tested", "fails", "unclear")
        played = [
            float(found)
            for detail in each["details"]
            for found in re.findall(r"\bT = (\S+?)[,;]?(?:\s|$)", detail["label"])
        ]
        assert max(played, default=0.0) <= longest[experiment]
        if each["verdict"] == "not_tested":
            assert each["needs"]["what"] in ("unplayed", "regime")  # the regime may begin beyond every horizon
        if each["verdict"] == "fails":
            assert any(detail["verdict"] == "fails" for detail in each["details"])
