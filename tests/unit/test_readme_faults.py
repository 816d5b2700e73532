"""The README's table of faults names tests that are there, and every test of a fault stands in it."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
OF_FAULTS = ("tests/workflow/test_interrupted.py", "tests/workflow/test_disks.py")


def functions(file: str) -> set[str]:
    return set(re.findall(r"^def (test_\w+)", (ROOT / file).read_text(encoding="utf-8"), re.M))


def test_the_table_of_faults_names_tests():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    section = text.partition("\n## When something goes wrong\n")[2].partition("\n## ")[0]
    named = re.findall(r"`(tests/\w+/test_\w+\.py)(?:::(test_\w+))?`", section)
    assert len(named) > 15
    for file, test in named:
        assert functions(file)
        assert not test or test in functions(file), test
    for file in OF_FAULTS:
        assert functions(file) == {test for each, test in named if each == file}
