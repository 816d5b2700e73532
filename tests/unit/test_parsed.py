"""Values of YAML files are kept, and are those of the text that is there."""

import json

import pytest

from dpbandits.config import parsed
from dpbandits.config.parsed import PARSED, read_yaml
from dpbandits.config.plain_yaml import ConfigError, load_yaml
from tests.shipped import ROOT

NAME = "config/a.yaml"
TEXT = "whole: 1e6\npart: 0.1\nmissing: null\nyes: 'no'\nlist: [1, 2.5, true, .inf]\n"


@pytest.fixture
def root(tmp_path):
    (tmp_path / ".snakemake").mkdir()
    (tmp_path / "config").mkdir()
    (tmp_path / NAME).write_text(TEXT, encoding="utf-8")
    return tmp_path


def kept(root):
    return root / PARSED / "config-a.yaml.json"


def test_a_value_is_parsed_once_and_is_the_same_afterwards(root, monkeypatch):
    first = read_yaml(root, NAME)
    assert first == load_yaml(root / NAME, NAME)
    monkeypatch.setattr(parsed, "load_yaml", lambda *_: pytest.fail("parsed again"))
    second = read_yaml(root, NAME)
    assert second == first
    assert list(map(type, second.values())) == list(map(type, first.values()))


def test_a_changed_file_is_parsed_again_whatever_its_time_and_size(root):
    """Would catch: a file that is known by its time and size alone."""
    read_yaml(root, NAME)
    before = (root / NAME).stat()
    (root / NAME).write_text(TEXT.replace("0.1", "0.2"), encoding="utf-8")
    assert (root / NAME).stat().st_size == before.st_size
    assert read_yaml(root, NAME)["part"] == 0.2
    assert json.loads(kept(root).read_text(encoding="utf-8"))["value"]["part"] == 0.2


def test_another_reader_parses_again(root, monkeypatch):
    """Would catch: values of an older rule for what a scalar is."""
    read_yaml(root, NAME)
    before = parsed.digest_of(root / NAME)
    monkeypatch.setattr(parsed.yaml, "__version__", "0.1")
    assert parsed.digest_of(root / NAME) != before


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"digest": 1}', "\x00"])
def test_what_is_damaged_is_parsed_again(root, text):
    first = read_yaml(root, NAME)
    kept(root).write_text(text, encoding="utf-8")
    assert read_yaml(root, NAME) == first


def test_faults_are_those_of_the_file_and_are_not_kept(root):
    (root / NAME).write_text("a: 1\na: 2\n", encoding="utf-8")
    for _ in range(2):
        with pytest.raises(ConfigError, match=r"config/a.yaml:2: the key 'a' occurs twice"):
            read_yaml(root, NAME)
    assert not kept(root).exists()
    with pytest.raises(ConfigError, match="cannot be read"):
        read_yaml(root, "config/b.yaml")


def test_nothing_is_written_where_nothing_was_run(root):
    (root / ".snakemake").rmdir()
    read_yaml(root, NAME)
    assert not (root / ".snakemake").exists()


@pytest.mark.parametrize("path", sorted(ROOT.glob("config/papers/*.yaml")), ids=lambda path: path.stem)
def test_the_papers_survive(path, tmp_path):
    (tmp_path / ".snakemake").mkdir()
    (tmp_path / path.name).write_bytes(path.read_bytes())
    assert repr(read_yaml(tmp_path, path.name)) == repr(read_yaml(tmp_path, path.name)) == repr(load_yaml(path, ""))
