"""Which modules each kind of result depends on: the roots of its source digest.

`digests.source_digest` follows the imports from these roots. What turns the configuration into curves is not among
them: its outcome is hashed in the identity of the curve.
"""

from collections.abc import Callable, Iterable
from pathlib import Path

from dpbandits.digests import closure, source_digest
from dpbandits.experiments.config import Paper
from dpbandits.experiments.curves import Curve

SOURCE_ROOT = Path(__file__).resolve().parents[2]
TEXTS = {
    "dpbandits.report.notebook_page": ("templates/notebook.html", "static/site.css"),
    "dpbandits.report.site": ("templates", "static"),
    "dpbandits.report.findings": ("findings",),
}
"""Files and folders of `report/` that a module of it reads."""
FOUND: dict[str, str] = {}
"""Digests by the modules that were asked for: those found here, and those that `remembered` takes over."""


def _stage(name: str) -> str:
    return f"dpbandits.stages.{name}"


def calibrate(curve: Curve) -> tuple[str, ...]:
    """Modules behind the certified noise of a curve."""
    return (_stage("calibrate"), f"dpbandits.algorithms.{curve.algorithm}")


def simulate(curve: Curve) -> tuple[str, ...]:
    """Modules behind the runs of a curve; what changes its certified noise comes as a newer input."""
    algorithm, environment = f"algorithms.{curve.algorithm}", f"environments.{curve.environment['family']}"
    return (_stage("simulate"), f"dpbandits.{algorithm}", f"dpbandits.{environment}")


def audit(paper: Paper, name: str) -> tuple[str, ...]:
    """Modules behind the records of an audit: the releases of the paper, and the algorithms that they look at."""
    algorithms = (f"dpbandits.algorithms.{algorithm}" for algorithm in paper.audits[name]["algorithms"])
    return (_stage("audit"), f"dpbandits.audits.{paper.key}", *algorithms)


def audit_bind() -> tuple[str, ...]:
    """Modules behind the bound records of all audits."""
    return (_stage("audit_bind"),)


def aggregate() -> tuple[str, ...]:
    """Modules behind the tables."""
    return (_stage("aggregate"),)


def judge(paper: Paper) -> tuple[str, ...]:
    """Modules behind the verdicts on a paper; its closed forms where some claim needs them."""
    closed = any(section["kind"] != "statistical" for section in paper.claims.values())
    return (_stage("judge"), f"dpbandits.claims.analytic.{paper.key}") if closed else (_stage("judge"),)


def render(paper: Paper) -> tuple[str, ...]:
    """Modules behind the notebook and figures of a paper: the stage, what all notebooks call, and the paper's own."""
    own = f"dpbandits.figures.{paper.key}"
    there = (SOURCE_ROOT / own.replace(".", "/")).with_suffix(".py").is_file()
    return (_stage("render"), "dpbandits.figures.notebook", *([own] if there else []))


def report() -> tuple[str, ...]:
    """Modules behind the report."""
    return (_stage("report"),)


def certificate() -> tuple[str, ...]:
    """Modules behind the certificate."""
    return (_stage("certificate"),)


def everything() -> str:
    """Source digest of the whole package, its data files included: what a certificate names."""
    return _found("everything", _everything)


def _everything() -> str:
    files = [
        path for path in (SOURCE_ROOT / "dpbandits").rglob("*") if path.is_file() and "__pycache__" not in path.parts
    ]
    modules = [path for path in files if path.suffix == ".py"]
    names = [".".join(path.relative_to(SOURCE_ROOT).with_suffix("").parts) for path in modules]
    code = [name for name in names if not name.endswith(".__init__")]
    return source_digest(code, SOURCE_ROOT, sorted(set(files) - set(modules)))


def digest(modules: Iterable[str]) -> str:
    """Source digest of some modules; templates and texts count with the module that reads them."""
    names = tuple(modules)
    return _found(" ".join(names), lambda: _digest(names))


def _found(key: str, find: Callable[[], str]) -> str:
    """A digest, found once."""
    if key not in FOUND:
        FOUND[key] = find()
    return FOUND[key]


def _digest(names: tuple[str, ...]) -> str:
    reached = set(closure(names, SOURCE_ROOT))
    folder = SOURCE_ROOT / "dpbandits/report"
    texts = {folder / name for module, read in TEXTS.items() if module in reached for name in read}
    found = {path for each in texts for path in (each.iterdir() if each.is_dir() else [each])}
    return source_digest(names, SOURCE_ROOT, sorted(found))
