"""Kernels that are not compiled: the same bits without numba, as notebooks run them."""

import os
import subprocess
import sys
from pathlib import Path

import nbformat
import numpy as np
import pytest

from dpbandits.algorithms.bernoulli import anytime_lazy_ucb
from dpbandits.stages.render import execute
from tests.shipped import COMMITTED

ROOT = Path(__file__).resolve().parents[2]


MEANS = np.array([0.75, 0.5, 0.25])
PLAY = """
import sys
import numpy as np
from dpbandits.algorithms.bernoulli import anytime_lazy_ucb
trace = anytime_lazy_ucb.run(np.random.default_rng(5), np.array([0.75, 0.5, 0.25]), 0.25, 2.0, 3.0, np.array([10, 300]))
print(trace.tobytes().hex(), "numba" in sys.modules)
"""


def plainly(code):
    """What a program prints in whose environment nothing is compiled."""
    told = {**os.environ, "DPBANDITS_COMPILE": "0"}
    done = subprocess.run([sys.executable, "-c", code], env=told, capture_output=True, text=True, check=True)
    return done.stdout.split()


def test_they_play_the_same_bits_without_numba():
    compiled = anytime_lazy_ucb.run(np.random.default_rng(5), MEANS, 0.25, 2.0, 3.0, np.array([10, 300]))
    assert plainly(PLAY) == [compiled.tobytes().hex(), "False"]


@pytest.mark.parametrize("paper", COMMITTED)
def test_pictures_need_no_numba(paper):
    names = f"import sys, dpbandits.figures.papers.{paper}, dpbandits.api.results, dpbandits.api.figures"
    assert plainly(f"{names}; print('numba' in sys.modules)") == ["False"]


def test_notebooks_compile_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "environ", os.environ.copy())
    cells = [nbformat.v4.new_code_cell("from dpbandits.base import jit\njit.COMPILE")]
    notebook = nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": {"name": "python3", "display_name": "x"}})
    nbformat.write(notebook, tmp_path / "one.ipynb")
    (shown,) = nbformat.reads(execute(tmp_path / "one.ipynb", {}), as_version=4).cells[-1].outputs
    assert shown["data"]["text/plain"] == "False"
