"""The code of docs/python.md runs, and its text agrees with what comes out."""

import re
from contextlib import redirect_stdout
from io import StringIO

from tests.shipped import ROOT

PAGE = (ROOT / "docs/python.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```$", PAGE, re.M | re.S)


def test_the_examples_run_in_order(monkeypatch):
    monkeypatch.chdir(ROOT)
    names: dict = {"__name__": "page"}
    with redirect_stdout(StringIO()) as printed:
        for block in BLOCKS:
            exec(compile(block, "docs/python.md", "exec"), names)  # noqa: S102 - the page is ours
    assert len(BLOCKS) == PAGE.count("```") / 2 == 6
    assert set(names["mine"]["eps"]) == {0.1, 1.0}
    assert set(names["compared"]["algorithm"]) == {"PrivateGreedy", "anytime_lazy_ucb", "dp_imed", "adap_ucb", "dp_se"}
    assert names["compared"].groupby(["algorithm", "eps"]).size().tolist() == [20] * 10
    assert names["regret"].notna().all()
    assert "violated" in printed.getvalue()


def test_the_readme_links_the_page():
    assert "(docs/python.md)" in (ROOT / "README.md").read_text(encoding="utf-8")
