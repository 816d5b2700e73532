"""Scratch: what was written is read, from memory and from disk, and nothing is left on disk."""

import errno
from contextlib import ExitStack, closing
from types import SimpleNamespace

import numpy as np
import pytest

from dpbandits.base import scratch
from dpbandits.base.scratch import Scratch

WIDTHS = {("a", 0): 3, ("a", 1): 1, "b": 2}
ARRAYS = {key: np.arange(7.0 * width).reshape(7, width) + k for k, (key, width) in enumerate(WIDTHS.items())}


@pytest.fixture
def stack():
    with ExitStack() as found:
        yield found


def test_a_full_disk_is_said_with_the_folder(tmp_path, stack):
    found = stack.enter_context(closing(Scratch(7, WIDTHS, tmp_path)))
    found.file.close()
    found.file = open("/dev/full", "r+b", buffering=0)  # noqa: SIM115 - closed by `found`
    with pytest.raises(OSError, match="No space left") as caught:
        found.write("b", 0, ARRAYS["b"])
    assert caught.value.filename == str(tmp_path)


@pytest.mark.parametrize("then", [lambda found: found.read("b"), lambda found: found.write("b", 0, ARRAYS["b"])])
def test_a_disk_that_is_full_at_the_next_move_is_said_with_the_folder(tmp_path, stack, then):
    """The file buffers what is written, and writes it when it moves."""
    found = stack.enter_context(closing(Scratch(7, WIDTHS, tmp_path)))

    def full(place):
        raise OSError(errno.ENOSPC, "No space left on device")

    found.file = SimpleNamespace(seek=full, close=found.file.close)
    with pytest.raises(OSError, match="No space left") as caught:
        then(found)
    assert caught.value.filename == str(tmp_path)


def test_what_was_never_written_is_not_read(tmp_path, stack):
    found = stack.enter_context(closing(Scratch(7, WIDTHS, tmp_path)))
    found.write("b", 0, ARRAYS["b"][:2])
    with pytest.raises(OSError, match="shorter than what was written"):
        found.read("b")


@pytest.mark.parametrize("held", [10**6, 40, 1])
def test_what_is_written_in_pieces_is_read(tmp_path, monkeypatch, stack, held):
    monkeypatch.setattr(scratch, "HELD", held)
    found = stack.enter_context(closing(Scratch(7, WIDTHS, tmp_path / "new")))
    for first, last in ((4, 7), (0, 4)):
        for key, values in ARRAYS.items():
            found.write(key, first, values[first:last])
    for key, values in ARRAYS.items():
        np.testing.assert_array_equal(found.read(key), values)
        np.testing.assert_array_equal(found.read(key, 2, 5), values[2:5])
    assert list((tmp_path / "new").iterdir()) == []


@pytest.mark.parametrize(("rows", "on_disk"), [(2, False), (3, True)])
def test_more_than_memory_should_hold_is_on_disk(tmp_path, monkeypatch, rows, on_disk):
    monkeypatch.setattr(scratch, "HELD", 2 * scratch.SIZE)
    found = Scratch(rows, {"x": 1}, tmp_path)
    found.write("x", 0, np.ones(rows))
    assert found.file._rolled is on_disk
    found.close()
    assert found.file.closed


def test_columns_of_another_array_and_whole_numbers_are_written(tmp_path, stack):
    found = stack.enter_context(closing(Scratch(2, {"x": 2}, tmp_path)))
    found.write("x", 0, np.arange(8).reshape(2, 4)[:, 1:3])
    np.testing.assert_array_equal(found.read("x"), [[1.0, 2.0], [5.0, 6.0]])
