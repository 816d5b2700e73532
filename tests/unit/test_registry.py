"""Algorithms and environments are found by their entries, and imported one at a time."""

import subprocess
import sys

import pytest

from dpbandits.base import registry
from dpbandits.base.registry import ALGORITHMS, ENVIRONMENTS, Entries, Kind

SMALL = Kind(("algorithms/*", "theory"), "ALGORITHM")


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A function that writes modules of a package `dpbandits` and looks there."""

    def written(**modules):
        for place, text in modules.items():
            path = tmp_path / "dpbandits" / (place.replace("__", "/") + ".py")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        registry._places.cache_clear()
        return SMALL.places()

    monkeypatch.setattr(registry, "SOURCE_ROOT", tmp_path)
    yield written
    registry._places.cache_clear()


def test_modules_with_an_entry_are_found_by_family_and_name(package):
    found = package(
        algorithms__b__two="ALGORITHM = 2\n",
        algorithms__b__one="x = 0\nALGORITHM = 1\n",
        algorithms__a__three="ALGORITHM: int = 3\n",
        algorithms__a__helper="text = 'ALGORITHM = 4'\n",
        algorithms__base="ALGORITHM = 5\n",
        theory__rate="ALGORITHM = 6\n",
    )
    assert list(found.items()) == [
        ("three", "dpbandits.algorithms.a.three"),
        ("one", "dpbandits.algorithms.b.one"),
        ("two", "dpbandits.algorithms.b.two"),
        ("rate", "dpbandits.theory.rate"),
    ]


def test_one_name_in_two_families_is_a_fault(package):
    with pytest.raises(ValueError, match=r"one is in two families: dpbandits\.algorithms\.a\.one and .*Rename one"):
        package(algorithms__a__one="ALGORITHM = 1\n", algorithms__b__one="ALGORITHM = 2\n")


def test_unknown_names_are_no_entries():
    entries = Entries(ALGORITHMS)
    assert "no_such" not in entries
    with pytest.raises(KeyError):
        entries["no_such"]
    assert len(entries) == len(list(entries)) == len(ALGORITHMS.places())


def test_an_entry_imports_its_own_module_alone():
    code = "import sys; from dpbandits.algorithms.registry import TABLE; len(TABLE); TABLE['ucb1']; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert {name for name in ALGORITHMS.places().values() if name in loaded} == {ALGORITHMS.place("ucb1")}
    assert not {name for name in ENVIRONMENTS.places().values() if name in loaded}
