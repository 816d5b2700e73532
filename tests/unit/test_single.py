"""Runs of one curve in numbers: mean, standard error and 95 % interval."""

from types import SimpleNamespace

import numpy as np
import pytest

from dpbandits.stages.single import courses, rows_of

FOUND = [np.array([[0.5, 1.0], [0.5, 2.0], [0.5, 3.0], [0.5, 4.0]])]
"""Regret of four runs at two checkpoints: sd 1.2910, t quantile 3.1824."""


def test_the_final_regret_in_numbers():
    (row,) = rows_of(SimpleNamespace(points=[{"eps": 1.0}]), FOUND)
    assert (row["setting"], row["mean"]) == ({"eps": 1.0}, 2.5)
    assert row["standard_error"] == pytest.approx(0.6454972, rel=1e-6)
    assert row["interval"] == pytest.approx([0.445740, 4.554260], rel=1e-5)


def test_regret_along_the_checkpoints():
    (course,) = courses(FOUND)
    assert course[:, 0].tolist() == [0.5, 0.5, 0.5]
    assert course[:, 1] == pytest.approx([2.5, 0.445740, 4.554260], rel=1e-5)
