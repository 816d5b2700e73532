"""`make lab`: a notebook opens in JupyterLab and runs completely, with the committed results."""

import json
import os
import re
import shutil
import subprocess
import sys
import time

import pytest

from dpbandits.base.storage import CHECKSUMS

from ..patience import LONGEST
from ..shipped import ROOT
from .test_site_in_browser import BROWSER, HANGS

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(BROWSER is None, reason="no chromium or google-chrome on the path"),
]
ENDED = """text => {
    const prompts = [...document.querySelectorAll(".jp-CodeCell .jp-InputPrompt")];
    const failed = document.querySelector('[data-mime-type="application/vnd.jupyter.stderr"]');
    return failed ? failed.textContent : prompts.length > 0 && prompts.at(-1).innerText.trim() === text;
}"""
"""Expression for whether the last code cell has run: true, false, or the error that ended the run before."""
COPIED = ("config", "figures/hu2021", "notebooks")


@pytest.fixture
def folder(tmp_path):
    """A copy of the files that one paper's notebook reads."""
    for name in COPIED:
        shutil.copytree(ROOT / name, tmp_path / name)
    shutil.copy(ROOT / "figures" / CHECKSUMS, tmp_path / "figures")
    return tmp_path


@pytest.fixture
def address(folder, tmp_path_factory):
    """Address of JupyterLab in the folder, including its token."""
    recipe = (ROOT / "Makefile").read_text(encoding="utf-8")
    (command,) = re.findall(r"^lab: .*\n\t@.*\$\(BIN\)/jupyter (.*) \$\(LAB\)$", recipe, re.M)
    options = ["--no-browser", "--allow-root", "--ip=127.0.0.1", "--port=0"]
    own = tmp_path_factory.mktemp("lab")
    log = own / "log"
    apart = {f"JUPYTER_{name}_DIR": str(own / name) for name in ("CONFIG", "DATA", "RUNTIME")}  # locks of other servers
    with log.open("w") as written:
        server = subprocess.Popen(
            [sys.executable, "-m", "jupyter", *command.split(), *options],
            cwd=folder,
            stdout=written,
            stderr=written,
            env={name: value for name, value in os.environ.items() if name != "MPLBACKEND"}
            | {**apart, "IPYTHONDIR": str(own / "ipython")},
        )
    try:
        until = time.monotonic() + LONGEST
        while not (found := re.findall(r"http://127\.0\.0\.1:\d+/lab\?token=\w+", log.read_text())):
            assert server.poll() is None, log.read_text()
            assert time.monotonic() < until, log.read_text()
            time.sleep(0.2)
        yield found[-1]
    finally:
        server.terminate()
        try:
            server.wait(20)
        except subprocess.TimeoutExpired:
            server.kill()


def code(notebook):
    """The code cells of a notebook."""
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    return [cell for cell in cells if cell["cell_type"] == "code"]


def saved(notebook):
    """Whether the file contains the run; while it is being written it is not valid JSON."""
    try:
        return all(cell["execution_count"] for cell in code(notebook))
    except json.JSONDecodeError:
        return False


def test_a_notebook_runs_from_top_to_bottom(address, folder):
    notebook = folder / "notebooks/hu2021.ipynb"
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"], timeout=HANGS)
        page = browser.new_page(viewport={"width": 1400, "height": 1000})
        page.set_default_timeout(HANGS)
        page.goto(address.replace("/lab?", "/lab/tree/hu2021.ipynb?"))
        page.get_by_text("Python 3 (ipykernel) | Idle").wait_for()
        page.get_by_role("menuitem", name="Run", exact=True).click()
        page.get_by_text("Run All Cells", exact=True).click()
        ended = page.wait_for_function(ENDED, arg=f"[{len(code(notebook))}]:").json_value()
        assert ended is True, ended
        page.keyboard.press("Control+s")
        until = time.monotonic() + LONGEST
        while not saved(notebook):
            assert time.monotonic() < until
            time.sleep(0.2)
        browser.close()
    outputs = [output for cell in code(notebook) for output in cell["outputs"]]
    assert [output for output in outputs if output["output_type"] == "error" or output.get("name") == "stderr"] == []
    assert outputs[0]["data"]["text/plain"][0].startswith("<Results of hu2021 at the scale full: ")
    assert sum("image/png" in output.get("data", {}) for output in outputs) >= 6
