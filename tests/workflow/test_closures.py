"""The predicted stale set of every module equals the set found by tracing imports at run time."""

import json
import subprocess
import sys

import pytest

from dpbandits.digests import closure
from dpbandits.experiments import dependencies
from dpbandits.experiments.config import load_project
from dpbandits.experiments.grid import curves

from .project import ROOT

TRACE = """
import json, sys, tempfile
from dataclasses import replace
from importlib import import_module
from pathlib import Path
roots, arguments = json.loads(sys.argv[1])
for name in roots:
    import_module(name)
if "curve" in arguments:
    from dpbandits.experiments.curves import Curve
    from dpbandits.stages.simulate import simulate
    curve = Curve(**arguments["curve"])
    with tempfile.TemporaryDirectory() as folder:
        noise = Path(folder) / "noise.json"
        if curve.calibration == "certified":
            noise.write_text(json.dumps({"entries": [
                {"mechanism": "laplace", "sensitivity": 2.0, "delta": 0.0, "noise": 2.0 / point["eps"], **point}
                for point in curve.points]}))
        simulate(curve, 1, 0, 1, noise, "", Path(folder) / "runs.parquet")
print(json.dumps(sorted(name for name, module in sys.modules.items()
                        if name.startswith("dpbandits") and getattr(module, "__file__", None)
                        and not module.__file__.endswith("__init__.py"))))
"""


def targets():
    """Kind of result -> (roots of its digest, what to run)."""
    project = load_project(ROOT, {"scale": "smoke"})
    found = {}
    for curve in curves(project, project.papers["hanna2022"], "figure2"):
        record = {**vars(curve), "seeds": 2, "chunk": 2, "horizon": 1000, "points": curve.points[:2]}
        found[curve.folder] = (("dpbandits.stages.simulate",), {"curve": record}, dependencies.simulate(curve))
        if curve.calibration == "certified":
            roots = dependencies.calibrate(curve)
            found[curve.noise_name] = (roots, {}, roots)
    for name in ("aggregate", "judge", "render", "report"):
        arguments = [project.papers["hanna2022"]] if name == "judge" else []
        roots = getattr(dependencies, name)(*arguments)
        found[name] = (roots, {}, roots)
    return found


@pytest.fixture(scope="module")
def predicted_and_traced():
    """Kind of result -> modules predicted from the syntax trees, and modules that were loaded."""
    result = {}
    for name, (roots, arguments, digest_roots) in targets().items():
        process = subprocess.run(
            [sys.executable, "-c", TRACE, json.dumps([roots, arguments])],
            capture_output=True,
            text=True,
            check=False,
            cwd=ROOT,
        )
        assert process.returncode == 0, process.stderr
        traced = set(json.loads(process.stdout.splitlines()[-1]))
        result[name] = (set(closure(digest_roots, ROOT / "src")), traced)
    return result


def modules():
    """Every module of the package that holds code."""
    files = (ROOT / "src/dpbandits").rglob("*.py")
    return sorted(
        ".".join(path.relative_to(ROOT / "src").with_suffix("").parts) for path in files if path.name != "__init__.py"
    )


@pytest.mark.parametrize("module", modules())
def test_predicted_stale_set_equals_the_traced_one(predicted_and_traced, module):
    predicted = {name for name, (closure_, _) in predicted_and_traced.items() if module in closure_}
    traced = {name for name, (_, loaded) in predicted_and_traced.items() if module in loaded}
    assert predicted == traced


def test_every_module_is_used():
    """No module serves neither a result nor the command."""
    reached = set(closure(["dpbandits.cli"], ROOT / "src"))
    for _, _, roots in targets().values():
        reached |= set(closure(roots, ROOT / "src"))
    assert set(modules()) == reached
