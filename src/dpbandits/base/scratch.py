"""Temporary arrays that a job fills in pieces and reads back one at a time; large ones are kept on disk."""

from collections.abc import Hashable, Iterator, Mapping
from contextlib import contextmanager
from itertools import accumulate
from pathlib import Path
from tempfile import SpooledTemporaryFile

import numpy as np

HELD = 2**22
"""Bytes above which arrays move from memory to disk."""
SIZE = np.dtype(float).itemsize


class Scratch:
    """Arrays of floats, (rows, width), by key.

    Small arrays stay in memory. Larger ones are in an unnamed file, which a local disk deletes when the process ends,
    even if the process is killed.
    """

    def __init__(self, rows: int, widths: Mapping[Hashable, int], folder: Path) -> None:
        self.rows, self.widths, self.folder = rows, widths, folder
        starts = accumulate((SIZE * rows * width for width in widths.values()), initial=0)
        self.starts = dict(zip(widths, starts, strict=False))
        folder.mkdir(parents=True, exist_ok=True)
        self.file = SpooledTemporaryFile(max_size=HELD, dir=str(folder))  # noqa: SIM115 - closed by `close`

    def write(self, key: Hashable, first: int, values: np.ndarray) -> None:
        """Fill the rows of an array from `first` on."""
        with self._naming_folder():
            self.file.seek(self.starts[key] + SIZE * first * self.widths[key])
            self.file.write(np.ascontiguousarray(values, dtype=float).data)

    def read(self, key: Hashable, first: int = 0, last: int | None = None) -> np.ndarray:
        """Return the rows of an array from `first` up to but excluding `last`; to the end by default."""
        width, stop = self.widths[key], self.rows if last is None else last
        found = np.empty((stop - first, width))
        with self._naming_folder():
            self.file.seek(self.starts[key] + SIZE * first * width)
            held = self.file.readinto(found.data)
        if held != found.nbytes:
            raise OSError(f"{self.folder}: a temporary file is shorter than what was written to it; run again")
        return found

    @contextmanager
    def _naming_folder(self) -> Iterator[None]:
        """Name the folder in errors of the file, which has no name. A move in the file also writes what is buffered."""
        try:
            yield
        except OSError as fault:
            raise OSError(fault.errno, fault.strerror, str(self.folder)) from None

    def close(self) -> None:
        """Free memory and disk space."""
        with self._naming_folder():  # closing also writes what is buffered
            self.file.close()
