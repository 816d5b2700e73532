"""Digests: what must change them and what must not. The packages are written by the tests."""

import ast
import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

from dpbandits.base import digests

# With what Pythons 3.11 to 3.13 parse into different trees: f-strings, empty fields, type parameters.
SAMPLE = r'''
"""Module."""
import a.b as c

@decorate(1, key="é🛝")
class Point(Base, flag=True):
    """Class."""
    size: int = 3
    "text below an attribute"

async def run(x, /, y=1.0, *rest: int, key=None, **more) -> None:
    """Function."""
    text = u"a" f"{x}{y:{size}}{x!r:>{size}.{y}}" f"{x=}" f"{x:}" f"{{}}" "", f""
    match x:
        case {"k": None, **others} | [Point(size=1), *_]:
            return {**more, 1: ..., "j": 2j, "e": 1e-300, "inf": 1e999}
    try:
        x[1:, ::2, *rest] = lambda: (yield)
    except* ValueError:
        global z
    finally:
        with open(x) as f, g:
            del f
'''
SAMPLE_SHA256 = "7649095b605b74f8d48e26792a607a034c0b0448811adb4b04f0f7fbf9e4fc1e"

PACKAGE = {
    "top.py": "from pkg.low import middle\n\ndef run():\n    return middle.value()\n",
    "low/__init__.py": "",
    "low/middle.py": "from .helper import add\n\ndef value():\n    return add(1, b=2)\n",
    "low/helper.py": "SCALE = 3\n\ndef add(a, b=1):\n    return SCALE * (a + b)\n",
    "other.py": "X = 1\n",
}


def write(root: Path, files: dict[str, str]) -> Path:
    """A package `pkg` below `root`, with an empty __init__ at the top unless given."""
    for name, text in {"__init__.py": "", **files}.items():
        path = root / "pkg" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


def digest_of(root: Path, files: dict[str, str]) -> str:
    return digests.source_digest(["pkg.top"], write(root, files))


def run_python(python: str, code: str, **environment: str) -> str:
    source = Path(digests.__file__).parents[2]
    code = f"import sys; sys.path.insert(0, {str(source)!r}); from dpbandits.base import digests\n{code}"
    done = subprocess.run(
        [python, "-c", code],
        env={**os.environ, **environment},
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    return done.stdout.strip()


# --- values and files


def test_canonical_json_is_fixed():
    value = {"b": [1, 1.0, 0.1, 1e-300, -0.0], "a": {"ε": None, "d": (True, "x")}}
    text = r'{"a":{"d":[true,"x"],"\u03b5":null},"b":[1,1.0,0.1,1e-300,-0.0]}'
    assert digests.canonical_json(value) == text
    assert digests.json_digest(value) == hashlib.sha256(text.encode()).hexdigest()


def test_json_digest_of_an_empty_object_is_known():
    # printf '{}' | sha256sum
    known = "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"
    assert digests.json_digest({}) == known
    assert digests.short(known) == "44136fa3"


def test_json_digest_ignores_the_order_of_keys():
    assert digests.json_digest({"a": 1, "b": {"c": 2, "d": 3}}) == digests.json_digest({"b": {"d": 3, "c": 2}, "a": 1})


@pytest.mark.parametrize(("one", "two"), [(1, 1.0), (0.0, -0.0), (1, True), (1, "1"), ([], {}), (None, "null")])
def test_json_digest_tells_types_apart(one, two):
    assert digests.json_digest([one]) != digests.json_digest([two])


@pytest.mark.parametrize("number", [float("nan"), float("inf"), -float("inf")])
def test_canonical_json_refuses_nan_and_infinity(number):
    with pytest.raises(ValueError, match="JSON compliant"):
        digests.canonical_json({"a": [number]})


@pytest.mark.parametrize("value", [{1, 2}, b"x", Path("x"), 1j, {1: "a"}, {"a": [{None: 1}]}, {"a": ({2.0: 1},)}])
def test_canonical_json_refuses_other_types_and_keys(value):
    with pytest.raises(TypeError):
        digests.canonical_json(value)


def test_file_digest_is_that_of_the_bytes(tmp_path):
    data = os.urandom(3_000_001)
    (tmp_path / "data").write_bytes(data)
    assert digests.file_digest(tmp_path / "data") == hashlib.sha256(data).hexdigest()


# --- closures


def names(root: Path, *modules: str) -> str:
    return " ".join(name.removeprefix("pkg.") for name in digests.closure(modules, root))


def test_closure_follows_chains_and_leaves_out_the_rest(tmp_path):
    root = write(tmp_path, {**PACKAGE, "top.py": PACKAGE["top.py"] + "import os, numpy.linalg\nimport pkg2\n"})
    assert digests.closure(["pkg.top"], root) == ("pkg.low.helper", "pkg.low.middle", "pkg.top")
    assert names(root, "pkg.low.helper") == "low.helper"
    assert names(root, "pkg.other", "pkg.low.helper", "pkg.other") == "low.helper other"
    assert digests.closure([], root) == ()


def test_closure_ends_in_cycles(tmp_path):
    root = write(tmp_path, {"a.py": "import pkg.b", "b.py": "from pkg import c", "c.py": "from pkg.a import x"})
    assert names(root, "pkg.b") == names(root, "pkg.a") == "a b c"


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("from . import b", "p.q.b"),
        ("from .b import x", "p.q.b"),
        ("from .. import q", "p.q"),
        ("from ..c import x, y", "p.c"),
        ("from ..r import d, e", "p.r.d p.r.e"),
        ("from ... import f", "f"),
        ("from ...f import *", "f"),
    ],
)
def test_closure_resolves_relative_imports(tmp_path, statement, expected):
    files = ["p/q/b.py", "p/c.py", "p/r/d.py", "p/r/e.py", "f.py", "p/r/not_imported.py"]
    root = write(tmp_path, {"p/q/a.py": statement, **dict.fromkeys(files, "x = y = 1"), "p/q/__init__.py": "q = 1"})
    assert set(names(root, "pkg.p.q.a").split()) == {"p.q.a", "p.q", *expected.split()}


def test_relative_imports_of_a_package_start_at_itself(tmp_path):
    root = write(tmp_path, {"p/__init__.py": "from .a import x\nfrom . import b", "p/a.py": "x = 1", "p/b.py": ""})
    assert names(root, "pkg.p") == "p p.a p.b"


def test_closure_refuses_relative_imports_beyond_the_package(tmp_path):
    with pytest.raises(ImportError, match="beyond top-level"):
        digests.closure(["pkg.a"], write(tmp_path, {"a.py": "from .. import b"}))


def test_closure_tells_modules_from_names(tmp_path):
    source = "from pkg.p import a, VALUE\nfrom pkg.b import a as other\nimport pkg.p.c as short\n"
    files = dict.fromkeys(["p/a.py", "p/c.py", "p/unused.py", "b.py", "a.py"], "a = 1")
    root = write(tmp_path, {"x.py": source, "p/__init__.py": "VALUE = 1", **files})
    assert names(root, "pkg.x") == "b p p.a p.c x"


@pytest.mark.parametrize("initial", [None, "", "\n\n", "# only a comment\n", '"""Only a docstring."""\n'])
def test_packages_without_code_are_left_out_and_cannot_be_asked_for(tmp_path, initial):
    files = {"p/a.py": "from pkg import p", "p/__init__.py": initial}
    root = write(tmp_path, {name: text for name, text in files.items() if text is not None})
    assert names(root, "pkg.p.a") == "p.a"
    with pytest.raises(ValueError, match=r"'pkg\.p' has no code"):
        digests.closure(["pkg.p.a", "pkg.p"], root)


def test_packages_with_code_are_run_by_imports_of_their_modules(tmp_path):
    files = {"__init__.py": "import pkg.setup", "setup.py": "", "p/__init__.py": "from pkg import b"}
    root = write(tmp_path, {**files, "p/q/a.py": "", "b.py": ""})
    assert digests.closure(["pkg.p.q.a"], root) == ("pkg", "pkg.b", "pkg.p", "pkg.p.q.a", "pkg.setup")


@pytest.mark.parametrize(
    "source",
    [
        "def f():\n    import pkg.b\n",
        "class A:\n    def f(self):\n        if self:\n            from pkg.b import x\n",
        "try:\n    import pkg.b\nexcept ImportError:\n    pass\n",
        "if TYPE_CHECKING:\n    import pkg.c\nelse:\n    import pkg.b\n",
        "if TYPE_CHECKING:\n    import pkg.c\nelif typing.TYPE_CHECKING:\n    import pkg.c\nimport pkg.b\n",
        "if not TYPE_CHECKING:\n    import pkg.b\n",
        "if FLAG:\n    import pkg.b\nif typing.TYPE_CHECKING:\n    from . import c\n",
    ],
)
def test_closure_counts_lazy_imports_and_not_those_for_type_checkers(tmp_path, source):
    assert names(write(tmp_path, {"a.py": source, "b.py": "", "c.py": ""}), "pkg.a") == "a b"


@pytest.mark.parametrize(
    ("source", "missing"),
    [
        ("import pkg.gone", "pkg.gone"),
        ("from pkg.gone import x", "pkg.gone"),
        ("from pkg import gone", "pkg.gone"),
        ("from . import a, gone", "pkg.gone"),
        ("import pkg.a.gone", "pkg.a.gone"),
    ],
)
def test_missing_modules_are_named_with_their_importer(tmp_path, source, missing):
    root = write(tmp_path, {"a.py": source})
    with pytest.raises(ValueError, match=rf"no module '{missing}' .* needed by pkg\.a"):
        digests.closure(["pkg.a"], root)
    with pytest.raises(ValueError, match=rf"no module '{missing}' .* the caller"):
        digests.closure([missing], root)


# --- source digests


def test_digest_ignores_comments_docstrings_layout_location_and_time(tmp_path):
    edited = {
        **PACKAGE,
        "top.py": '"""Doc."""\n# why\nfrom pkg.low import (middle,)\ndef run(): return (middle.value())\n',
        "low/__init__.py": '"""Low."""\n',
        "low/helper.py": 'SCALE = 3\n"unit"\n\ndef add(a, b=1):\n    """Doc."""\n    return SCALE*(a+b) #\n',
        "other.py": "X = 2\n",
        "new.py": "import pkg.top\n",
    }
    before = digest_of(tmp_path / "one", PACKAGE)
    assert digest_of(tmp_path / "elsewhere" / "two", edited) == before
    os.utime(tmp_path / "one" / "pkg" / "top.py", ns=(1, 1))
    assert digests.source_digest(["pkg.top", "pkg.low.middle"], tmp_path / "one") == before


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("low/helper.py", "SCALE = 3", "SCALE = 4"),
        ("low/helper.py", "SCALE = 3", "SCALE = 3.0"),
        ("low/helper.py", "SCALE = 3", "SCALE = '3'"),
        ("low/helper.py", "a + b", "a - b"),
        ("low/helper.py", "b=1", "b=2"),
        ("low/helper.py", "b=1", "b"),
        ("low/helper.py", "b=1", "*, b=1"),
        ("low/helper.py", "def add", "@cache\ndef add"),
        ("low/helper.py", "    return SCALE", "    SCALE"),
        ("low/middle.py", "b=2", "2"),
        ("low/middle.py", "def value", "async def value"),
        ("low/__init__.py", "", "x = 1"),
        ("top.py", "def run", "import pkg.other\n\ndef run"),
    ],
)
def test_digest_changes_with_the_meaning(tmp_path, name, old, new):
    before = digest_of(tmp_path, PACKAGE)
    assert digest_of(tmp_path, {**PACKAGE, name: PACKAGE[name].replace(old, new, 1)}) != before
    assert digest_of(tmp_path, PACKAGE) == before


def test_digest_changes_when_code_moves_between_modules(tmp_path):
    two = {"a.py": "x = 1", "b.py": "x = 2"}
    swapped = {"a.py": "x = 2", "b.py": "x = 1"}
    roots = write(tmp_path / "two", two), write(tmp_path / "swapped", swapped)
    assert digests.source_digest(["pkg.a", "pkg.b"], roots[0]) != digests.source_digest(["pkg.a", "pkg.b"], roots[1])


def test_digest_does_not_read_modules_outside_the_closure(tmp_path):
    before = digest_of(tmp_path, PACKAGE)
    assert digest_of(tmp_path, {**PACKAGE, "broken.py": "def (", "low/broken.py": "import pkg.gone"}) == before


def test_extra_files_count_by_place_and_bytes(tmp_path, monkeypatch):
    root = write(tmp_path / "one", {**PACKAGE, "data/a.json": "{}", "data/b.json": "{}"})
    data = root / "pkg" / "data"
    both = [data / "a.json", data / "b.json"]
    seen = {digests.source_digest(["pkg.top"], root, extra) for extra in [[], both[:1], both[1:], both]}
    assert len(seen) == 4
    monkeypatch.chdir(root)
    relative = [Path("pkg/data/b.json"), Path("pkg/data/../data/a.json")]
    assert digests.source_digest(["pkg.top"], Path("."), relative) in seen
    both[0].write_text("{ }")
    assert digests.source_digest(["pkg.top"], root, both) not in seen
    with pytest.raises(ValueError, match="subpath"):
        digests.source_digest(["pkg.top"], root, [tmp_path / "outside.json"])


# --- normalized sources


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ('def f():\n    """Doc."""', "def f():\n    pass"),
        ('class A:\n    """Doc."""', "class A:\n    pass"),
        ('class A:\n    """Doc."""\n    x: int\n    """Doc."""', "class A:\n    x: int"),
        ('async def f():\n    "a"\n    await x', "async def f():\n    await x"),
        ('"""Doc."""', ""),
        ("x = u'a' 'b'", 'x = "ab"'),
        ("x = 0x10", "x = 16"),
        ("x = f''", "x = f'' ''"),
    ],
)
def test_normalized_is_equal(one, two):
    assert digests.normalized(one) == digests.normalized(two)


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("x = ['']", "x = []"),
        ("x = ''", "x = None"),
        ("def f():\n    return 'a'", "def f():\n    'a'"),
        ("def f(): return None", "def f(): return"),
        ("f('a')", "f()"),
        ("x = {None: a}", "x = {**a}"),
        ("x = 'a'", "x = b'a'"),
        ("x = 'é'", "x = 'e\u0301'"),
        ("x = 1", "x = True"),
        ("x = 0.1", "x = 0.1000000000000001"),
        ("for x in y:\n    a\nelse:\n    b", "for x in y:\n    a\n    b"),
        ("from a import b", "from .a import b"),
        ("def f(a, /, b): pass", "def f(a, b): pass"),
        ("def f(*, a, b=1): pass", "def f(*, a=1, b): pass"),
        ("x = f'{a}'", "x = f'{a!s}'"),
    ],
)
def test_normalized_differs(one, two):
    assert digests.normalized(one) != digests.normalized(two)


def test_normalized_is_the_same_in_every_python():
    """The constant holds under whatever Python runs the tests, and under the others that pyenv has."""
    assert hashlib.sha256(digests.normalized(SAMPLE).encode()).hexdigest() == SAMPLE_SHA256
    code = f"import hashlib; print(hashlib.sha256(digests.normalized({SAMPLE!a}).encode()).hexdigest())"
    for python in Path.home().glob(".pyenv/versions/3.1[123].*/bin/python"):
        assert run_python(str(python), code) == SAMPLE_SHA256, python


def test_digests_do_not_depend_on_the_hash_seed(tmp_path):
    root = write(tmp_path, PACKAGE)
    here = digests.source_digest(["pkg.top", "pkg.other"], root)
    modules = "{'pkg.top', 'pkg.other'}"
    code = f"import pathlib\nprint(digests.source_digest({modules}, pathlib.Path({str(root)!r})))"
    assert {run_python(sys.executable, code, PYTHONHASHSEED=seed) for seed in ("0", "1", "2")} == {here}


def test_many_closures_read_each_module_once(tmp_path, monkeypatch):
    """100 closures over 60 modules with 6 imports each: the Snakefile asks for as many."""
    files = {
        f"m{i}.py": "".join(f"from pkg.m{(7 * i + j) % 60} import f\n" for j in range(6)) + "def f(): return 1\n"
        for i in range(60)
    }
    root = write(tmp_path, files)
    parsed = []
    monkeypatch.setattr(digests.ast, "parse", lambda *args, parse=ast.parse: parsed.append(args[-1]) or parse(*args))
    assert len({digests.source_digest([f"pkg.m{i % 60}"], root) for i in range(100)}) == 1
    read = sorted(path for path in parsed if path.startswith(str(root)))
    assert read == sorted(str(root / "pkg" / name) for name in ("__init__.py", *files))


ENTRY = """
from pkg.entry import Entry, POSITIVE
from pkg.helper import step

ALGORITHM = Entry("label", POSITIVE)


def run(x):
    return step(x)
"""
PARTS = {"entry.py": "POSITIVE = 1\nEntry = tuple\n", "helper.py": "def step(x):\n    return x + 1\n"}


def test_an_entry_and_what_only_it_uses_do_not_count(tmp_path):
    """Its label and its imports; what `run` calls does."""
    before = digest_of(tmp_path / "a", {"top.py": ENTRY, **PARTS})
    assert digest_of(tmp_path / "b", {"top.py": ENTRY.replace('"label"', '"name"'), **PARTS}) == before
    assert digest_of(tmp_path / "c", {"top.py": ENTRY, **PARTS, "entry.py": "Entry = POSITIVE = 2\n"}) == before
    assert digest_of(tmp_path / "d", {"top.py": ENTRY, **PARTS, "helper.py": "step = abs\n"}) != before
    assert digest_of(tmp_path / "e", {"top.py": ENTRY.replace("step(x)", "POSITIVE"), **PARTS}) != before


def test_the_noise_of_an_entry_counts(tmp_path):
    """Audits draw with it: which one it is, and its code."""
    text = "from pkg.noises import LAPLACE\n" + ENTRY.replace("POSITIVE)", "POSITIVE, noise=(LAPLACE,))")
    files = {"top.py": text, **PARTS, "noises.py": "BITS = LAPLACE = 1\n"}
    before = digest_of(tmp_path / "a", files)
    assert digest_of(tmp_path / "b", {**files, "top.py": text.replace("LAPLACE", "BITS")}) != before
    assert digest_of(tmp_path / "c", {**files, "noises.py": "BITS = LAPLACE = 2\n"}) != before
    assert digest_of(tmp_path / "d", {**files, "top.py": text.replace('"label"', '"name"')}) == before


def test_the_digest_of_entries_counts_them_and_what_only_they_use(tmp_path):
    def found(folder, text, **parts):
        files = {"top.py": text, **PARTS, **{f"{name}.py": source for name, source in parts.items()}}
        return digests.entries_digest(["pkg.top"], write(tmp_path / folder, files))

    before = found("a", ENTRY)
    assert found("b", ENTRY.replace("return step(x)", "return step(x + 1)")) == before
    assert found("c", ENTRY, helper="step = abs\n") == before
    assert found("d", ENTRY.replace('"label"', '"name"')) != before
    assert found("e", ENTRY, entry="POSITIVE = 2\nEntry = tuple\n") != before
    assert digests.entry_helpers("pkg.top", tmp_path / "a") == ("pkg.entry",)
