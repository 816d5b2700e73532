"""Modules that each kind of result depends on: the roots of its source digest.

`digests.source_digest` follows imports from these roots. The code that turns the configuration into curves is not among
them, because its output is hashed in the identity of the curve.
"""

from collections.abc import Callable, Collection, Iterable

from dpbandits.audits.release import DECLARED
from dpbandits.base import digests
from dpbandits.base.digests import SOURCE_ROOT as SOURCE_ROOT
from dpbandits.base.digests import closure, entries_digest, file_digest, json_digest, source_digest
from dpbandits.base.own_code import home
from dpbandits.base.registry import ALGORITHMS, BOUNDS, ENVIRONMENTS, Kind
from dpbandits.config.curves import Curve
from dpbandits.config.loading import Paper
from dpbandits.config.models.figures import Drawn

TEXTS = {
    "dpbandits.report.notebook_page": ("templates/notebook.html", "static/site.css", "static/notebook.js"),
    "dpbandits.report.site": ("templates", "static"),
    "dpbandits.report.findings": ("findings",),
}
"""Files and folders of `report/` that each of its modules reads."""
REGISTRIES = {
    "dpbandits.algorithms.registry": ALGORITHMS,
    "dpbandits.environments.registry": ENVIRONMENTS,
    "dpbandits.theory.registry": BOUNDS,
}
"""Modules through which other modules read the entries of algorithms, environments and bounds."""
OWN: dict[str, dict[str, str]] = {}
"""For the user's own code whose digest was requested in this process, SHA-256 of its files when it was first read."""
FOUND: dict[str, str] = {}
"""Digests by root modules: those computed here, and those taken over from the planning cache."""


Modules = tuple[str, ...]
"""Dotted names of package modules; user code is `file.py:name`, `module:name`, or either ending in a colon."""


def of_code(kind: Kind, name: str) -> Modules:
    """Modules behind a named entry: its own module, or the adapter for the user's own code plus that code."""
    own = kind.own_code(name)
    if own is None:
        return (kind.place(name),)
    assert isinstance(own, str), "results on disk are of code that has a name"
    player = [_stage("own")] if kind is ALGORITHMS and ":" in own else []
    return (kind.adapter, *player, own if ":" in own else f"{own}:")


def own_files() -> dict[str, str]:
    """Files of the user's own code whose digests were requested, with their SHA-256 when they were first read."""
    return {file: read for name in reversed(OWN) for file, read in OWN[name].items()}


def _note(own: Iterable[str]) -> None:
    """Note the files of the user's own code before they are read."""
    for name in own:
        if name not in OWN:
            OWN[name] = {str(file): file_digest(file) for file in digests.own_files(*home(name))}


def _stage(name: str) -> str:
    return f"dpbandits.stages.{name}"


def _exists(module: str) -> bool:
    return (SOURCE_ROOT / module.replace(".", "/")).with_suffix(".py").is_file()


def calibrate(curve: Curve) -> Modules:
    """Modules behind the certified noise of a curve."""
    return (_stage("calibrate"), *of_code(ALGORITHMS, curve.algorithm))


def simulate(curve: Curve) -> Modules:
    """Modules behind the runs of a curve. Changes of its certified noise arrive as a newer input file."""
    family = str(curve.environment["family"])
    return (_stage("simulate"), *of_code(ALGORITHMS, curve.algorithm), *of_code(ENVIRONMENTS, family))


def audit(paper: Paper, name: str) -> Modules:
    """Modules behind the records of an audit: the paper's releases and the audited algorithms."""
    section = paper.audits[name]
    algorithms = (module for algorithm in section.algorithms for module in of_code(ALGORITHMS, algorithm))
    own = section.release == DECLARED
    releases = "dpbandits.audits.custom.of_class" if own else f"dpbandits.audits.papers.{paper.key}"
    return (_stage("audit"), releases, *algorithms)


def collect() -> Modules:
    """Modules behind the collected audit records."""
    return (_stage("collect"),)


def aggregate(curves: Iterable[Curve]) -> Modules:
    """Modules behind the tables of these curves, including bounds and the environments on which they are evaluated."""
    bounds = [curve for curve in curves if curve.bound]
    families = dict.fromkeys(str(curve.environment["family"]) for curve in bounds)
    around = [module for family in families for module in of_code(ENVIRONMENTS, family)]
    own = (*(BOUNDS.place(curve.algorithm) for curve in bounds), *around)
    return (_stage("aggregate"), *dict.fromkeys(own))


def judge(paper: Paper) -> Modules:
    """Modules behind the verdicts on a paper, including its closed forms if a claim may use them."""
    closed = any(section.kind != "statistical" for section in paper.claims.values())
    own = f"dpbandits.claims.closed_forms.{paper.key}.functions"
    return (_stage("judge"), *([own] if closed and _exists(own) else []))


def pilot() -> Modules:
    """Modules behind the forecasts of a pilot."""
    return (_stage("pilot"),)


def draw(paper: Paper) -> Modules:
    """Modules behind the figures of a paper."""
    return (_stage("draw"), *_closed_forms(paper))


def render(paper: Paper, generated: bool = False) -> Modules:
    """Modules behind the notebook of a paper: the render stage, the notebook API, and the paper's own drawings.

    For a generated notebook, also the modules that generate it.
    """
    generator = ("dpbandits.figures.default_notebook",) if generated else ()
    called = ("dpbandits.api.results", "dpbandits.api.figures")
    return (_stage("render"), *called, *generator, *_drawings(paper))


def _closed_forms(paper: Paper) -> Modules:
    """Module with a paper's own drawings, if a figure is one of them."""
    return _drawings(paper) if any(isinstance(figure, Drawn) for figure in paper.figures.values()) else ()


def _drawings(paper: Paper) -> Modules:
    """Module with a paper's closed-form drawings and rows, if it exists."""
    own = f"dpbandits.figures.papers.{paper.key}"
    return (own,) if _exists(own) else ()


def report(papers: Iterable[Paper]) -> Modules:
    """Modules behind the report of some papers, which has the numbers of their figures."""
    return (_stage("report"), *(name for paper in papers for name in _closed_forms(paper)))


def certificate() -> Modules:
    """Modules behind the certificate."""
    return (_stage("certificate"),)


def everything() -> str:
    """Source digest of the whole package including its data files, as named in a certificate."""
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
    """Source digest of these modules. Templates and texts count with the module that reads them."""
    names = tuple(modules)
    return _found(" ".join(names), lambda: _digest(names))


def _found(key: str, find: Callable[[], str]) -> str:
    """Digest of these modules, computed once per process."""
    if key not in FOUND:
        FOUND[key] = find()
    return FOUND[key]


def _digest(names: Modules) -> str:
    own = [name for name in names if ":" in name]
    if own:
        _note(own)
        sources = [digests.own_sources(*home(name)) for name in own]
        return json_digest([_digest(tuple(name for name in names if name not in own)), sources])
    reached = set(closure(names, SOURCE_ROOT))
    folder = SOURCE_ROOT / "dpbandits/report"
    texts = {folder / name for module, read in TEXTS.items() if module in reached for name in read}
    found = {path for each in texts for path in (each.iterdir() if each.is_dir() else [each])}
    return _with_entries(source_digest(names, SOURCE_ROOT, sorted(found)), reached)


def _with_entries(digest: str, reached: Collection[str]) -> str:
    """Digest combined with that of the registry entries that the reached modules can read."""
    kinds = [kind for registry, kind in REGISTRIES.items() if registry in reached]
    read = [entries_digest(kind.places().values(), SOURCE_ROOT) for kind in kinds]
    own = [code for kind in kinds for code in kind.own().values() if isinstance(code, str)]
    _note(own)
    sources = [[digests.own_sources(*home(code)) for code in own]] if own else []
    return json_digest([digest, *read, *sources]) if read else digest
