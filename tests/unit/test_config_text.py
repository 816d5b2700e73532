"""The text of a configuration file: what is not plain YAML is refused in one line, plain values are as in YAML 1.2."""

from pathlib import Path

import pytest

from dpbandits.experiments.plain_yaml import load_yaml

from .small import FILE, fault, write_project

DEEP = "is nested too deeply; 20 levels are allowed"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "(top): None is not allowed; allowed: a mapping"),
        ("- 1", "(top): [1] is not allowed; allowed: a mapping"),
        ("title: 'x", "line 1: found unexpected end of stream"),
        ("title: a\n\tb: 1", "line 2: found a tab character that violates indentation"),
        ("title: a\n---\ntitle: b", "line 2: but found another document"),
        ("title: a\nauthors: []\ntitle: b", "line 3: the key 'title' stands twice"),
        ("title: a\nclaims: {C1: 1, C1: 1}", "line 2: the key 'C1' stands twice"),
        ("1: a", "line 1: the key 1 is not text"),
        ("[a, b]: c", "line 1: the key ['a', 'b'] is not text"),
        (b"title: \xff", "is not UTF-8 text"),
        ("title: a".encode("utf-16"), "is not UTF-8 text"),
        ("title: \0", "unacceptable character #x0000: control characters are not allowed in"),
        ("title: &a x\nreference: *a", "line 2: the alias *a is not allowed; write its value out"),
        ("&a [*a]", "line 1: the alias *a is not allowed; write its value out"),
        ("title: &a {b: *a}", "line 1: the alias *a is not allowed; write its value out"),
        ("<<: {title: a}", "'<<': unknown key"),
        ("title: !!int ''", "line 1: the tag 'tag:yaml.org,2002:int' is not allowed; plain values are"),
        ("title: !!python/name:os.system", "line 1: the tag 'tag:yaml.org,2002:python/name:os.system' is not"),
        ("[" * 100_000, f"line 1: {DEEP}"),
        ("{a: " * 100_000, f"line 1: {DEEP}"),
        ("".join(" " * depth + "a:\n" for depth in range(300)), f"line 21: {DEEP}"),
        ("\n".join(f"a{k}: &a{k} [{f'*a{k - 1}, ' * 10}]" for k in range(1, 30)), "line 1: the alias *a0 is not"),
    ],
)
def test_text_that_is_not_plain_yaml_is_refused_with_its_line(tmp_path: Path, text, says):
    assert fault(write_project(tmp_path, text)).startswith(f"{FILE}: {says}")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1e6", 1_000_000),
        ("1.0e+6", 1_000_000),
        ("-2.", -2),
        (".5", 0.5),
        ("1e-6", 1e-6),
        ("+3", 3),
        ("1_000", "1_000"),
        ("010", "010"),
        ("0x10", "0x10"),
        ("1:30", "1:30"),
        ("2001-12-14", "2001-12-14"),
        ("yes", "yes"),
        ("off", "off"),
        ("true", True),
        ("~", None),
        ("", None),
        ("18446744073709551615", 2**64 - 1),
    ],
)
def test_plain_scalars_are_read_as_yaml_1_2_has_them(tmp_path: Path, text, value):
    (tmp_path / "a.yaml").write_text(f"a: {text}\n", encoding="utf-8")
    found = load_yaml(tmp_path / "a.yaml", "a.yaml")["a"]
    assert found == value
    assert type(found) is type(value)
