"""Which modules each kind of result depends on: the roots of its source digest.

`digests.source_digest` follows the imports from these roots. What turns the configuration into curves is not among
them: its outcome is hashed in the identity of the curve.
"""

from collections.abc import Callable, Collection, Iterable

from dpbandits.base.digests import SOURCE_ROOT as SOURCE_ROOT
from dpbandits.base.digests import closure, entries_digest, json_digest, source_digest
from dpbandits.base.registry import ALGORITHMS, BOUNDS, ENVIRONMENTS
from dpbandits.config.curves import Curve
from dpbandits.config.loading import Paper

TEXTS = {
    "dpbandits.report.notebook_page": ("templates/notebook.html", "static/site.css"),
    "dpbandits.report.site": ("templates", "static"),
    "dpbandits.report.findings": ("findings",),
}
"""Files and folders of `report/` that a module of it reads."""
REGISTRIES = {
    "dpbandits.algorithms.registry": ALGORITHMS,
    "dpbandits.environments.registry": ENVIRONMENTS,
    "dpbandits.theory.registry": BOUNDS,
}
"""Modules through which others read the entries of algorithms, environments and bounds."""
FOUND: dict[str, str] = {}
"""Digests by the modules that were asked for: those found here, and those that `remembered` takes over."""


def _stage(name: str) -> str:
    return f"dpbandits.stages.{name}"


def _exists(module: str) -> bool:
    return (SOURCE_ROOT / module.replace(".", "/")).with_suffix(".py").is_file()


def calibrate(curve: Curve) -> tuple[str, ...]:
    """Modules behind the certified noise of a curve."""
    return (_stage("calibrate"), ALGORITHMS.place(curve.algorithm))


def simulate(curve: Curve) -> tuple[str, ...]:
    """Modules behind the runs of a curve; what changes its certified noise comes as a newer input."""
    family = str(curve.environment["family"])
    return (_stage("simulate"), ALGORITHMS.place(curve.algorithm), ENVIRONMENTS.place(family))


def audit(paper: Paper, name: str) -> tuple[str, ...]:
    """Modules behind the records of an audit: the releases of the paper, and the algorithms that they look at."""
    algorithms = (ALGORITHMS.place(algorithm) for algorithm in paper.audits[name].algorithms)
    return (_stage("audit"), f"dpbandits.audits.papers.{paper.key}", *algorithms)


def collect() -> tuple[str, ...]:
    """Modules behind the collected records of all audits."""
    return (_stage("collect"),)


def aggregate(curves: Iterable[Curve]) -> tuple[str, ...]:
    """Modules behind the table of some curves: bounds, and the environments on which they are evaluated, count too."""
    bounds = [curve for curve in curves if curve.bound]
    families = dict.fromkeys(str(curve.environment["family"]) for curve in bounds)
    own = (*(BOUNDS.place(curve.algorithm) for curve in bounds), *map(ENVIRONMENTS.place, families))
    return (_stage("aggregate"), *dict.fromkeys(own))


def judge(paper: Paper) -> tuple[str, ...]:
    """Modules behind the verdicts on a paper; its closed forms where it has any and a claim may use them."""
    closed = any(section.kind != "statistical" for section in paper.claims.values())
    own = f"dpbandits.claims.closed_forms.{paper.key}.functions"
    return (_stage("judge"), *([own] if closed and _exists(own) else []))


def pilot() -> tuple[str, ...]:
    """Modules behind the forecasts of a pilot."""
    return (_stage("pilot"),)


def render(paper: Paper, generated: bool = False) -> tuple[str, ...]:
    """Modules behind the figures and the notebook of a paper: the stage, what all notebooks call, and the paper's own.

    And, where the notebook is generated, what generates it.
    """
    generator = ("dpbandits.figures.default_notebook",) if generated else ()
    own = f"dpbandits.figures.papers.{paper.key}"
    called = ("dpbandits.api.results", "dpbandits.api.figures")
    return (_stage("render"), *called, *generator, *([own] if _exists(own) else []))


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
    return _with_entries(source_digest(code, SOURCE_ROOT, sorted(set(files) - set(modules))), code)


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
    return _with_entries(source_digest(names, SOURCE_ROOT, sorted(found)), reached)


def _with_entries(digest: str, reached: Collection[str]) -> str:
    """The digest, and that of the entries which the reached modules can read."""
    read = [kind.places().values() for registry, kind in REGISTRIES.items() if registry in reached]
    return json_digest([digest, *(entries_digest(places, SOURCE_ROOT) for places in read)]) if read else digest
