"""What `verify --judge` finds: records that differ, and audit verdicts that do not follow from their numbers."""

import pytest

from dpbandits.stages.rejudge import contradictory, different

CLAIM = {"id": "p/C1", "calibration": "printed", "variant": "", "verdict": "holds", "estimate": 1.5, "interval": [1, 2]}
AUDIT = {
    **{"audit": "p/sums", "id": "0a1b2c3d", "algorithm": "x", "calibration": "printed", "point": {"eps": 1.0}},
    **{"eps": 1.0, "epsilons": [2.0, 2.0], "lower": 0.5, "cap": 5.0, "status": "proven, tight", "mutant": None},
}


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ([CLAIM], [CLAIM], 0),
        ([CLAIM], [CLAIM | {"verdict": "unclear"}], 1),
        ([CLAIM], [CLAIM | {"estimate": 1.6}], 1),
        ([CLAIM], [CLAIM | {"interval": [1, 2.1]}], 1),
        ([CLAIM], [CLAIM | {"interval": [1, None]}], 1),
        ([CLAIM], [CLAIM | {"estimate": 1.5 * (1 + 1e-12)}], 0),
        ([CLAIM], [], 1),
        ([], [CLAIM], 1),
    ],
)
def test_claims_that_differ_are_named(old, new, found):
    assert len(list(different(old, new))) == found


@pytest.mark.parametrize(
    ("changes", "right"),
    [
        ({}, "violated"),
        ({"epsilons": [0.5, 1.0]}, "consistent"),
        ({"epsilons": [0.5, 1.0], "lower": 1.5}, "violated"),
        ({"epsilons": [0.5, 2.0], "cap": 0.9}, "no power"),
        ({"epsilons": [0.5, 1.0], "cap": 0.9}, "consistent"),
        ({"epsilons": [0.5, 1.0], "cap": 0.9, "status": "searched"}, "no power"),
        ({"epsilons": [0.5, 1.0], "mutant": {"found": False}}, "no power"),
        ({"epsilons": [0.5, 1.0], "mutant": {"found": True}}, "consistent"),
        ({"epsilons": [None, None]}, "violated"),
    ],
)
def test_verdicts_of_audits_follow_from_their_numbers(changes, right):
    for verdict in ("violated", "consistent", "no power"):
        found = list(contradictory([AUDIT | changes | {"verdict": verdict}]))
        assert len(found) == (verdict != right)
        assert all(line.endswith(f"{verdict} -> {right}") for line in found)
