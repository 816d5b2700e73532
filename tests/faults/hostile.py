"""Generate hostile input: configurations with faults of every kind, and arguments of every command."""

import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from typing import Any

import click

from dpbandits.cli.main import main
from tests.unit.bad_input import walk
from tests.unit.small import CENTRAL, CONFIG, DELETE, FILE, KEY, LOCAL, PAPER, PLAIN, text_of

PROJECT = "config/config.yaml"
CONTROLS = ("\x1b[2J", "a\x1b]0;x\x07b", "\x00", "\x7f", "\x9b31m", "a\rb", "a\nb", "a\tb", "\x08", "\u2028", "\u0085")
DIRECTIONS = ("\u202etxet", "\u2066x\u2069", "\u200b", "\ufeff", "\u200f")
SHELL = ("$(touch x)", "`touch x`", "; touch x", "| tee x", "> x", "&& touch x", "*", "~", "$HOME", "%s%n", "{0}")
LONG = ("x" * 300, "x" * 5000, "9" * 400, "a." * 1000, "ä" * 2000)
TEXTS = ("", " ", "no such name", "../x", "/etc/passwd", "-x", "--", "null", "printed", *SHELL, *DIRECTIONS, *LONG)
NUMBERS = (0, -1, 1, 2, 0.5, -0.5, 1e-320, 1e300, -1e300, 10**13, 10**30, 10**400, float("nan"), float("inf"))


def deep(levels: int) -> Any:
    """Nested lists."""
    found: Any = 1
    for _ in range(levels):
        found = [found]
    return found


VALUES = (
    *(None, True, False, *NUMBERS, float("-inf"), *TEXTS, *CONTROLS),
    *([], {}, [[]], [None], [{}], ["x", "x"], {"x": 1}, {"": 1}, {"a\x1b[2Jb": 1}, {"x" * 5000: 1}),
    *([1] * 2000, {f"k{k}": k for k in range(500)}, deep(15), deep(60), {"value": 1, "source": "assumed", "note": "n"}),
)
"""Values for a configuration, most of which are wrong in most places."""
NAMES = ("", "x", "extra", "a b", "<<", "__class__", "value", "eps", "T", "x" * 5000, "../x", *SHELL, *CONTROLS)
TAGS = (
    *('!!python/object/apply:os.system ["touch x"]', "!!python/name:os.system", "!!python/object:os.PathLike {}"),
    *("!!binary aGVsbG8=", "!!set {a, b}", "!!timestamp 2020-01-01", "!!omap []", "!x y", "!<tag:x> 1", "! 1"),
    *("!!int x", "!!float x", "!!bool 3", "!!null x", "!!map 1", "!!seq 1", "!!str {}", "!!merge 1"),
    *("&a x", "*a", "*missing", "&a [*a]", "{<<: *a}", "{<<: {x: 1}}", "&a &b x", "? x", "|", ">", "|9", "%YAML 1.2"),
    *(
        "'",
        '"',
        '"\\x1b[2J"',
        '"\\ud800"',
        '"\\U00110000"',
        "[",
        "{",
        "]",
        "}",
        "{a: b: c}",
        "- x",
        "x: y",
        "@x",
        "`x`",
    ),
    *("1_000", "0x10", "0o7", "1:30", "yes", ".inf", "-.inf", ".nan", "1e400", "-0", "+.5e-400", "2020-01-01"),
)
"""Values in YAML notations that ordinary files do not need."""
WHOLE = (
    *(
        b"",
        b"\n",
        b"\x00",
        b"\xff\xfe",
        b"\xef\xbb\xbf",
        b"---\n",
        b"...\n",
        b"--- 1\n--- 2\n",
        b"null",
        b"[]",
        b"{}",
        b"3",
    ),
    *(
        b"\x89PNG\r\n\x1a\n\x00\x00",
        b"PK\x03\x04",
        b"\x7fELF",
        b"%PDF-1.5",
        b"\t",
        b"a:\tb",
        b"\ta: b",
        b"? ",
        b"a: *a",
    ),
    *(b"[" * 10_000, b"{a: " * 10_000, b"- " * 10_000, b"a: " * 1000, b"? " * 5000, b"&a " * 1000, b"!" * 1000),
    *(
        b"a: " + b"x" * 200_000,
        b"x" * 200_000,
        b"#" * 200_000,
        b"a: 1\n" * 20_000,
        b"'" + b"\n" * 50_000,
        b"\x85" * 100,
    ),
    *(
        b"%TAG ! tag:x,2000:\n--- !a b",
        b"%YAML 9.9\n---\na: 1",
        b"<<: {a: 1}",
        b"<<: [{a: 1}, {a: 2}]",
        b"\xed\xa0\x80",
    ),
    b"a: &a [x, x, x]\n" + b"".join(b"%c: &%c [*%c, *%c, *%c]\n" % (k + 1, k + 1, k, k, k) for k in range(97, 120)),
    *(f"{key}: 1\n".encode("utf-8", "surrogatepass") for key in (*CONTROLS, *DIRECTIONS)),
)
"""Files that are not configurations."""
BYTES = (
    *(b"\xff", b"\xc3", b"\xed\xa0\x80", b"\x00", b"\x1b[2J", b"\x9b", b"\xc2\x9b", b"\t", b"\r", b"\xe2\x80\xa8"),
    *(
        b"\xe2\x80\xae",
        b"\xef\xbb\xbf",
        b"'",
        b'"',
        b"[",
        b"}",
        b": ",
        b"- ",
        b"#",
        b"&a ",
        b"*a",
        b"!!x ",
        b"|",
        b"\n---\n",
    ),
    *(b"\n...\n", b"\n\tx: 1\n", b"x" * 20_000, b"[" * 2000, b"<<: ", b"? ", b"%", b"@", b"\\", b"\xf0\x9f\x92\xa9"),
)
"""Bytes inserted somewhere in a file."""
ENCODINGS = ("utf-16", "utf-16-le", "utf-32", "utf-7", "cp500", "utf-8-sig")


def configuration(rng: random.Random) -> tuple[str, bytes]:
    """One of the two sample files, with faults in its values, in its text, or in both."""
    name, record = rng.choice(((FILE, PAPER), (FILE, PAPER), (PROJECT, CONFIG)))
    kind = rng.choice(("values", "values", "text", "text", "both", "whole"))
    if kind == "whole":
        return name, rng.choice((*WHOLE, rng.randbytes(60)))
    record = deepcopy(record)
    if kind != "text":
        for _ in range(rng.randint(1, 4)):
            record = _changed(rng, record)
    text = text_of(record).encode("utf-8", "surrogatepass")
    if kind != "values":
        for _ in range(rng.randint(1, 3)):
            text = rng.choice(WAYS)(rng, text)
    return name, text


def put(record: Any, path: Sequence[str | int], value: Any) -> Any:
    """last: what most jobs wait for"""
    if not path:
        return value
    copy = record.copy()
    if len(path) > 1 or value is not DELETE:
        copy[path[0]] = put(record[path[0]], path[1:], value)
    else:
        del copy[path[0]]
    return copy


def _changed(rng: random.Random, record: Any) -> Any:
    """The record with one value, key or entry changed."""
    every = [(path, value) for path, value in walk(record) if path] if isinstance(record, dict | list) else []
    if not every:
        return record
    path, value = rng.choice(every)
    kind = rng.choice(("delete", "replace", "replace", "rename", "wrap", "repeat", "copy", "number", "letter"))
    if kind == "delete":
        return put(record, path, DELETE)
    if kind == "rename" and isinstance(path[-1], str):
        above = path[:-1]
        inner = record
        for part in above:
            inner = inner[part]
        new = rng.choice(NAMES)
        return put(record, above, {new if key == path[-1] else key: each for key, each in inner.items()})
    if kind == "wrap":
        return put(record, path, rng.choice(([value], {"value": value}, [value, value], {"x": [value]})))
    if kind == "repeat" and isinstance(value, list):
        return put(record, path, value * rng.choice((2, 50)))
    if kind == "copy":
        return put(record, path, rng.choice(every)[1])
    if kind == "number" and isinstance(value, int | float):
        return put(record, path, value * rng.choice((-1, 0, 1.5, 1e9, 1e300, 10**40)))
    if kind == "letter" and isinstance(value, str):
        return put(record, path, value + rng.choice((*CONTROLS, *DIRECTIONS, *SHELL)))
    return put(record, path, rng.choice(VALUES))


def _place(rng: random.Random, text: bytes) -> int:
    return rng.randint(0, len(text))


def _cut(rng: random.Random, text: bytes) -> bytes:
    return text[: _place(rng, text)]


def _insert(rng: random.Random, text: bytes) -> bytes:
    place = _place(rng, text)
    return text[:place] + rng.choice((*BYTES, rng.randbytes(1), rng.randbytes(8))) + text[place:]


def _drop(rng: random.Random, text: bytes) -> bytes:
    place = _place(rng, text)
    return text[:place] + text[place + rng.randint(1, 80) :]


def _line(rng: random.Random, text: bytes) -> bytes:
    """Duplicate, move, indent or dedent a line."""
    lines = text.split(b"\n")
    index = rng.randint(0, len(lines) - 1)
    kind = rng.choice(("twice", "move", "tab", "in", "out"))
    line = lines[index]
    if kind == "twice":
        lines.insert(index, line)
    elif kind == "move":
        lines.insert(rng.randint(0, len(lines)), lines.pop(index))
    else:
        lines[index] = {"tab": b"\t" + line, "in": b"  " + line, "out": line[2:]}[kind]
    return b"\n".join(lines)


def _written(rng: random.Random, text: bytes) -> bytes:
    """A value in a YAML notation that ordinary files do not need."""
    lines = text.split(b"\n")
    index = rng.randint(0, len(lines) - 1)
    head, colon, _ = lines[index].partition(b": ")
    new = rng.choice(TAGS).encode()
    lines[index] = head + b": " + new if colon else re.sub(rb"(?<=[-:]).*", b"", lines[index]) + b" " + new
    return b"\n".join(lines)


def _encoded(rng: random.Random, text: bytes) -> bytes:
    return text.decode("utf-8", "replace").encode(rng.choice(ENCODINGS), "replace")


def _ends(rng: random.Random, text: bytes) -> bytes:
    return text.replace(b"\n", rng.choice((b"\r\n", b"\r", b"\x00", b"\xe2\x80\xa8", b"\xc2\x85")))


WAYS: Sequence[Callable[[random.Random, bytes], bytes]] = (
    *(_cut, _insert, _insert, _drop, _line, _line, _written, _written, _encoded, _ends),
)
READING = (
    *(("list", "experiments"), ("list", "papers", "--json"), ("list", "claims"), ("claims",), ("claims", KEY, "-v")),
    *(("explain", f"{KEY}/C1"), ("audit",), ("digest",), ("summary",), ("figure", f"{KEY}/regret"), ("allocate",)),
    *(
        ("--scale", "full", "list", "experiments"),
        ("--papers", KEY, "list", "papers"),
        ("run", f"{KEY}/x", "--algorithm"),
    ),
    *(("calibrate", KEY, "x.json", "--out", "o"), ("verify", "."), ("collect", "x", "--cells", "c", "--out", "o")),
)
"""Commands that read a configuration. None of them writes a file."""


# Arguments. None contains a zero byte, which no system passes to a command, and none is an absolute path at which a
# command could write, whichever option it follows.
HOSTILE = (
    *("", " ", "-", "--", "---", "-h", "--help", "--no-such-option", "-x", "--out", "--json=1", "=", ",", ":", "."),
    *(
        "0",
        "-1",
        "1",
        "2",
        "nan",
        "inf",
        "-inf",
        "1e400",
        "1e-400",
        "-0",
        "9" * 400,
        "0x10",
        "1_000",
        "١٢",
        "1.5",
        "+3",
    ),
    *("null", "true", "[]", "{}", "[" * 2000, "x" * 300, "x" * 5000, "a/" * 600, KEY.upper(), f"{KEY}/"),
    *(
        f"{KEY}\n",
        f"{KEY},{KEY}",
        f"{KEY}//study",
        f"../{KEY}",
        "two2021",
        "no such name",
        "é",
        "e\u0301",
        "\udcff\udcfe",
    ),
    *SHELL,
    *DIRECTIONS,
    *(text for text in CONTROLS if "\x00" not in text),
)
PLACES = (
    *("notes.txt", "folder", "missing", "missing/deep/x", "record.json", "damaged.json", "deep.json", "table.parquet"),
    *("loop", "link", "gone", "folder/x.json", "notes.txt/x", "../project/config/config.yaml", "../project/results"),
    *("/dev/null", "/dev/null/x", "/dev/full", "/dev/zero", "/proc/self/status", "/proc/self/x"),
    *("x\x1b[2Jy.json", "\u202ex.pdf", "x" * 300, "a b.csv", "a;b.svg", "-x.png", "\udcff.json", "x\ny.json"),
)
"""Paths of files and folders, inside the working folder and outside. Nothing hostile is written outside the sandbox."""
STUDY = "../project/results/smoke"
TABLES, CLAIMS, AUDITS = f"{STUDY}/tables/{KEY}", f"{STUDY}/claims/{KEY}.json", f"{STUDY}/audit/{KEY}.json"
NOISE, CURVES = "../project/noise", "../project/curves"
ALGORITHMS = (
    *(
        PLAIN,
        CENTRAL,
        LOCAL,
        f"{PLAIN},{LOCAL}",
        f"{CENTRAL}:wide",
        f"{CENTRAL}:",
        "own.py:Own",
        "own.py",
        "own.py:draw",
    ),
    *(
        "missing.py:Own",
        "broken.py:Own",
        "math:sqrt",
        ":",
        "own.py:",
        f"{PLAIN},",
        f"{PLAIN}," * 100,
        "bound",
        "leader",
    ),
)
LIKELY: Mapping[tuple[str, str], Sequence[str]] = {
    ("", "root"): ("../project", "../project/", "../project/config/..", "../project/config", ".", "notes.txt"),
    ("", "papers"): (KEY, f"{KEY},{KEY}", f" {KEY}", f"{KEY},", ",", "two2021"),
    ("aggregate", "names"): ("study", "scaling"),
    ("aggregate", "folder"): (CURVES,),
    ("aggregate", "threads"): ("1", "2", "1000000000"),
    ("allocate", "papers"): (KEY, "two2021"),
    ("allocate", "folder"): (STUDY, "folder"),
    ("audit", "names"): (KEY, f"{KEY}/sums", "two2021/x", f"{KEY}/"),
    ("audit", "mechanism"): (
        *("own.py:draw", "own.py:Own", "own.py:PAIR", "own:draw", "broken.py:draw", "missing.py:draw", "missing:draw"),
        *("math:sqrt", "math", "a:b:c", "own.py", "..:x", ".x:y", "own.py:rng.x", "os.path:join", "this.py:"),
    ),
    ("audit", "neighbors"): ("own.py:PAIR", "[0.0]", "[1.0]", "own.py:draw", "1", "(", "__import__('os')", "[" * 500),
    ("audit", "eps"): ("1", "0.5", "1e-300", "1e308"),
    ("audit", "delta"): ("0", "1e-6", "1", "0.5"),
    ("audit", "trials"): ("100", "1000", "2000.0", "1e3"),
    ("audit", "seed"): ("0", "7", "1e3", "18446744073709551616"),
    ("audit", "timeout"): ("2", "0.5", "1e-9", "0"),
    ("calibrate", "names"): ("NOISE",),
    ("claims", "paper"): (KEY,),
    ("collect", "names"): (KEY, f"{KEY}/sums"),
    ("collect", "folder"): (STUDY, "folder"),
    ("draw", "names"): ("regret", "growth", "slopes"),
    ("explain", "name"): (f"{KEY}/C1", f"{KEY}/C2", f"{KEY}/C2/grows", f"{KEY}/sums"),
    ("figure", "name"): (f"{KEY}/regret", f"{KEY}/1", f"{KEY}/growth", f"{KEY}/Figure 1", f"{KEY}/"),
    ("figure", "calibration"): ("printed", "certified", "tuned"),
    ("new algorithm", "name"): ("my_ucb", PLAIN),
    ("new algorithm", "family"): ("bernoulli", "linucb", "base"),
    ("new paper", "key"): (KEY, "two2021"),
    ("new paper", "played"): (PLAIN, "anytime_lazy_ucb"),
    ("render", "figures"): ("folder",),
    ("render", "ipynb"): ("x.ipynb",),
    ("render", "html"): ("x.html",),
    ("render", "tables"): ("folder",),  # executing a notebook takes longer than a case may
    ("run", "experiment"): (f"{KEY}/study", f"{KEY}/scaling"),
    ("run", "algorithms"): ALGORITHMS,
    ("run", "calibrations"): ("printed", "certified", "tuned", "printed,certified", "printed,"),
    ("run", "variant"): ("wide", "x"),
    ("run", "changes"): (
        *("eps=1", "eps=0.1,1", "T=8", "T=16,64", "arms=6", "dimension=3", "width=0.5", "eps", "eps=", "=1", "eps=1=2"),
        *("eps=nan", "T=nan", "T=7", "T=1e13", "arms=100001", "arms=1", "arms=1.5", "width=-1", "width=1e300", "K=2"),
        *("eps=[1]", "eps={a: 1}", "eps=*a", "eps=!!python/name:os.system", "eps=\x1b[2J", "eps=" + "1," * 500),
        *("reward_sd=null", "whole_maximum=true", "whole_maximum=3", "extra_batches=9", "core_factor=1e-300"),
    ),
    ("run", "seeds"): ("2", "3", "10", "1000001"),
    ("run", "jobs"): ("1", "2", "1025"),
    ("run", "table"): ("t.csv",),
    ("run", "plot"): ("p.svg", "p.png", "p.txt"),
    ("simulate", "names"): ("CHUNK", "CHUNK/x", "study/x/0000-0001"),
    ("simulate", "receipts"): ("receipts",),
    ("verify", "folder"): (STUDY, "../project/results", "folder"),
    ("verify", "recompute"): (f"{KEY}/C1", f"{KEY}/C1/wide", f"{KEY}/sums", "no/C1", KEY, "C1"),
    ("verify", "seeds"): ("1", "2"),
    ("verify", "certificate_"): ("folder", f"{STUDY}/certificate"),
    ("", "paper"): (KEY,),
    ("", "tables"): (TABLES,),
    ("", "claims"): (CLAIMS,),
    ("", "audits"): (AUDITS,),
    ("", "noise"): (NOISE,),
    ("", "out"): ("out", "out/deep"),
}
"""Likely accepted values by command and parameter, with numbers so small that every case is short.

What several commands have is at the command "".
"""


def commands(group: click.Group = main, above: str = "") -> Iterator[tuple[str, click.Command]]:
    """Every command by name, including subcommands: `new paper`."""
    for name, command in group.commands.items():
        whole = f"{above} {name}".strip()
        if isinstance(command, click.Group):
            yield from commands(command, whole)
        else:
            yield whole, command


COMMANDS = dict(commands())


def likely(command: str, parameter: click.Parameter) -> Sequence[str]:
    """A value that a parameter is likely to accept."""
    if isinstance(parameter.type, click.Choice):
        return tuple(parameter.type.choices)
    name = str(parameter.name)
    found = LIKELY.get((command, name)) or LIKELY.get(("", name))
    assert found, f"tests/faults/hostile.py: LIKELY lacks {(command, name)}. Add values that it is likely to accept."
    return found


def any_call(rng: random.Random, names: Mapping[str, Sequence[str]]) -> tuple[str, list[str]]:
    """A command and a call of it.

    Parameters
    ----------
    names : values for NOISE and CHUNK.
    """
    whole = rng.choice(sorted(COMMANDS))
    command = COMMANDS[whole]
    honest = rng.randint(0, 3)  # 0: most values are hostile; 3: almost none
    found = _parameters(rng, "", main, honest)
    if "--project" not in found and rng.randint(0, 9):
        found = ["--project", "../project", *found]
    found += [*whole.split(), *_parameters(rng, whole, command, honest)]
    if rng.randint(0, 9) == 0:
        found.insert(rng.randint(0, len(found)), rng.choice(HOSTILE))
    return whole, [_named(rng, each, names) for each in found]


def _named(rng: random.Random, word: str, names: Mapping[str, Sequence[str]]) -> str:
    kind, slash, rest = word.partition("/")
    return rng.choice(names[kind]) + slash + rest if kind in names else word


def _parameters(rng: random.Random, whole: str, command: click.Command, honest: int) -> list[str]:
    """Options in any order, then arguments; each may be omitted or repeated."""
    options: list[list[str]] = []
    arguments: list[str] = []
    for parameter in command.params:
        often = 15 if parameter.required else 5 if whole else 2
        times = 0 if rng.randint(0, 16) > often else 1
        if times and (parameter.multiple or parameter.nargs == -1 or rng.randint(0, 20) == 0):
            times = rng.randint(1, 3)
        for _ in range(times):
            if isinstance(parameter, click.Argument):
                arguments.append(_value(rng, whole, parameter, honest))
            elif isinstance(parameter, click.Option) and parameter.is_flag:
                options.append([parameter.opts[-1]])
            else:
                value = _value(rng, whole, parameter, honest)
                joined = rng.randint(0, 5) == 0
                options.append([f"{parameter.opts[-1]}={value}"] if joined else [parameter.opts[-1], value])
    words = [word for option in rng.sample(options, len(options)) for word in option]
    between = ["--"] if arguments and rng.randint(0, 5) == 0 else []
    return [*words, *between, *arguments]


def _value(rng: random.Random, whole: str, parameter: click.Parameter, honest: int) -> str:
    own = likely(whole, parameter)
    if rng.randint(0, 9) < (2, 6, 8, 9)[honest]:
        return rng.choice(own)
    if isinstance(parameter.type, click.Path) and rng.randint(0, 2):
        return rng.choice(PLACES)
    if rng.randint(0, 4) == 0:
        near = rng.choice(own)
        return rng.choice((near.upper(), near[:-1], near + near, f"{near} ", f"{near}\n", f"{near}x"))
    return rng.choice(HOSTILE)
