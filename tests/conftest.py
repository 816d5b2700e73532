"""Set-up of all tests: one thread each, kernels cached in the repository, no screen, and hypothesis repeats itself.

What a test has to say, as its table of mutants, is printed after the last test, whichever process ran it.
"""

import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from hypothesis import settings

from dpbandits.base import jit
from dpbandits.base.project_folder import TOLD
from dpbandits.base.registry import DECLARED

for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):  # before numpy: workers share cores
    os.environ.setdefault(_variable, "1")
os.environ.setdefault("NUMBA_CACHE_DIR", str(Path(__file__).resolve().parents[1] / ".cache/numba"))  # before numba
os.environ["MPLBACKEND"] = "Agg"

settings.register_profile("deterministic", derandomize=True, deadline=None)
settings.load_profile("deterministic")

jit.stay_plain = lambda: None  # a command that a test calls in its own process leaves compiling to the next test

SAID = "said"
LONGEST = (
    "test_the_smoke_scale_survives_nodes_that_die_or_are_cut_off",
    "test_kills_at_random_moments",
    "test_no_verdict_rests_on_a_horizon_that_was_not_played",
    "test_predicted_stale_sets_equal_the_traced_ones",
    "test_mutants_turn_every_holds_and_every_fails_as_listed",
    "test_equal_digests",
    "test_an_interrupt_ends_a_run_at_once",
)
"""Tests that take minutes. They come before all others, so that none is left to one process in the end."""


@pytest.fixture(autouse=True)
def _no_folder_told():
    """A command that a test calls in its own process leaves the folder of its project to no other test."""
    os.environ.pop(TOLD, None)
    yield
    os.environ.pop(TOLD, None)


@pytest.fixture
def say(record_property):
    """A function that takes a text for the end of the run."""
    return partial(record_property, SAID)


def pytest_collection_modifyitems(items):
    items.sort(key=lambda item: next((k for k, name in enumerate(LONGEST) if name in item.nodeid), len(LONGEST)))


def pytest_terminal_summary(terminalreporter):
    for report in (*terminalreporter.getreports("passed"), *terminalreporter.getreports("failed")):
        for name, text in report.user_properties:
            if name == SAID:
                terminalreporter.write_line(text)


@pytest.fixture(autouse=True)
def declared_as_before() -> Iterator[None]:
    """Own code that a test declares is not known to the next one."""
    before = {kind: dict(names) for kind, names in DECLARED.items()}
    yield
    for kind, names in DECLARED.items():
        names.clear()
        names.update(before.get(kind, {}))
