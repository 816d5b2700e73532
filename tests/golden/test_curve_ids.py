"""The identities of all curves, frozen: results on disk are found by them, so equal content must keep its identity.

After a change that is meant to rename results: `python -m tests.golden.test_curve_ids --write`.
"""

import json
import sys
from pathlib import Path

import pytest

from dpbandits.config.grid import every_curve
from dpbandits.config.loading import SCALES
from tests.shipped import COMMITTED, shipped

FROZEN = Path(__file__).with_name("curve_ids.json")


def identities(key: str) -> dict[str, dict[str, list[str]]]:
    """By experiment and scale the folders of its curves, in the order of the YAML."""
    found: dict[str, dict[str, list[str]]] = {}
    for scale in SCALES:
        project = shipped(scale)
        for curve in every_curve(project, project.papers[key]):
            found.setdefault(curve.experiment, {}).setdefault(scale, []).append(curve.folder)
    return found


@pytest.mark.parametrize("key", COMMITTED)
def test_curves_of_a_paper_keep_their_identities(key: str) -> None:
    assert identities(key) == json.loads(FROZEN.read_text(encoding="utf-8"))[key]


def test_the_papers_with_committed_results_are_recorded_and_no_other() -> None:
    assert set(json.loads(FROZEN.read_text(encoding="utf-8"))) == set(COMMITTED)


if __name__ == "__main__" and sys.argv[1:] == ["--write"]:
    record = {key: identities(key) for key in COMMITTED}
    FROZEN.write_text(json.dumps(record, indent=0) + "\n", encoding="utf-8")
