"""Receipts: what stands for files of runs in the workflow."""

import json
import os
from pathlib import Path

import pytest

from dpbandits.base.storage import checksum_file
from dpbandits.planning.bundles import chunks_of
from dpbandits.planning.receipts import receipts_of, withdraw, write_receipts

from .small import CENTRAL, PLAIN, curve


def chunks(**changes):
    """Two chunks of one experiment, then two of another."""
    one = curve(CENTRAL, seeds=10, chunk=5, experiment="figure1", **changes)
    return chunks_of([one, curve(PLAIN, seeds=4, chunk=2, experiment="figure2")])


def made(chunks, folder: Path):
    """Files of runs with their checksums, a second ago."""
    for k, chunk in enumerate(chunks):
        path = folder / chunk.file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(str(k), encoding="utf-8")
        checksum_file(path).write_text(f"{k:064d}  {path.name}\n", encoding="utf-8")
        now = path.stat().st_mtime_ns
        os.utime(path, ns=(now, now - 10**9))
    return [folder / chunk.file for chunk in chunks]


def test_there_is_a_receipt_for_every_experiment_of_a_job():
    every = chunks()
    found = receipts_of(every)
    assert list(found.values()) == [every[:2], every[2:]]
    assert [name.partition("-")[0] for name in found] == ["figure1", "figure2"]


def test_a_receipt_is_named_by_its_runs_alone():
    """Would catch: names that depend on what else the job does, and so change with every new curve."""
    first, second = receipts_of(chunks())
    assert list(receipts_of(chunks()[2:])) == [second]
    other, same = receipts_of(chunks(points=({"eps": 7.0},)))
    assert same == second
    assert other != first
    assert list(receipts_of(chunks()[:1])) != [first]


def test_a_receipt_lists_files_with_their_checksums(tmp_path):
    every = chunks()
    made(every, tmp_path / "curves")
    write_receipts(every, tmp_path / "curves", tmp_path / "runs")
    found = {path.name: json.loads(path.read_text(encoding="utf-8")) for path in (tmp_path / "runs").iterdir()}
    assert set(found) == set(receipts_of(every))
    listed = {file: checksum for receipt in found.values() for file, checksum in receipt.items()}
    assert listed == {chunk.file: f"{k:064d}" for k, chunk in enumerate(every)}


def remove(path: Path):
    path.unlink()


def remove_checksum(path: Path):
    checksum_file(path).unlink()


def write_again(path: Path):
    path.write_text("other", encoding="utf-8")
    now = path.stat().st_mtime_ns
    os.utime(path, ns=(now, now + 10**9))


@pytest.mark.parametrize("change", [remove, remove_checksum, write_again])
def test_a_receipt_is_withdrawn_where_it_is_not_true_any_more(tmp_path, change):
    every = chunks()
    files = made(every, tmp_path / "curves")
    write_receipts(every, tmp_path / "curves", tmp_path / "runs")
    receipts = {tmp_path / "runs" / name: own for name, own in receipts_of(every).items()}
    for look in ("before", "after", "again"):
        if look == "after":
            change(files[1])
        for receipt, own in receipts.items():
            withdraw(receipt, own, tmp_path / "curves")
        assert [path.exists() for path in receipts] == [look == "before", True]


@pytest.mark.parametrize("text", ["", "{}", "[]", "1", '{"figure1/x/seeds_0000-0004.parquet": "0"}'])
def test_a_receipt_that_lists_something_else_is_withdrawn(tmp_path, text):
    own = chunks()[:2]
    made(own, tmp_path)
    receipt = tmp_path / "receipt.json"
    receipt.write_text(text, encoding="utf-8")
    withdraw(receipt, own, tmp_path)
    assert not receipt.exists()


def test_a_receipt_that_cannot_be_deleted_stays(tmp_path, monkeypatch):
    receipt = tmp_path / "receipt.json"
    receipt.write_text("{}", encoding="utf-8")

    def refuse(self, missing_ok=False):
        raise PermissionError

    monkeypatch.setattr(Path, "unlink", refuse)
    withdraw(receipt, chunks(), tmp_path)
    assert receipt.exists()
