"""The text of a configuration file: what is not plain YAML is refused in one line, plain values are as in YAML 1.2."""

from pathlib import Path

import pytest

from dpbandits.config.plain_yaml import load_yaml

from .small import FILE, said, write_project

DEEP = "nested too deeply; at most 20 collections are allowed"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "(top): got null; must be a mapping"),
        ("- 1", "(top): got [1]; must be a mapping"),
        ("title: 'x", "found unexpected end of stream"),
        ("title: a\n\tb: 1", "found a tab character that violates indentation"),
        ("title: a\n---\ntitle: b", "but found another document"),
        ("title: a\nauthors: []\ntitle: b", "the key 'title' occurs twice. Delete one of the two."),
        ("title: a\nclaims: {C1: 1, C1: 1}", "the key 'C1' occurs twice. Delete one of the two."),
        ("1: a", "the key 1 is not text. Put it in quotes."),
        ("[a, b]: c", "the key ['a', 'b'] is not text. Put it in quotes."),
        (b"title: \xff", "is not UTF-8 text"),
        ("title: a".encode("utf-16"), "is not UTF-8 text"),
        ("title: \0", "unacceptable character #x0000: control characters are not allowed in"),
        ("title: &a x\nreference: *a", "the alias *a is not allowed. Write its value out."),
        ("&a [*a]", "the alias *a is not allowed. Write its value out."),
        ("title: &a {b: *a}", "the alias *a is not allowed. Write its value out."),
        ("<<: {title: a}", "'<<': unknown key"),
        ("title: !!int ''", "the tag 'tag:yaml.org,2002:int' is not allowed. Write a plain value."),
        ("title: !!python/name:os.system", "the tag 'tag:yaml.org,2002:python/name:os.system' is not"),
        ("[" * 100_000, f"{DEEP}"),
        ("{a: " * 100_000, f"{DEEP}"),
        ("".join(" " * depth + "a:\n" for depth in range(300)), f"{DEEP}"),
        ("\n".join(f"a{k}: &a{k} [{f'*a{k - 1}, ' * 10}]" for k in range(1, 30)), "the alias *a0 is not"),
    ],
)
def test_text_that_is_not_plain_yaml_is_refused_with_its_line(tmp_path: Path, text, says):
    assert said(write_project(tmp_path, text), f"{FILE}: {says}...")


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
