"""Arrays that a job fills piece by piece and reads back one at a time, on disk where memory should not hold them."""

from collections.abc import Hashable, Mapping
from itertools import accumulate
from pathlib import Path
from tempfile import SpooledTemporaryFile

import numpy as np

HELD = 2**22
"""Bytes that stay in memory."""
SIZE = np.dtype(float).itemsize


class Scratch:
    """Arrays of floats, (rows, width), by key.

    They are in memory while they are small. Larger ones are in a file without a name, which on a local disk is gone
    when the process ends, even if it was killed.
    """

    def __init__(self, rows: int, widths: Mapping[Hashable, int], folder: Path) -> None:
        self.rows, self.widths, self.folder = rows, widths, folder
        starts = accumulate((SIZE * rows * width for width in widths.values()), initial=0)
        self.starts = dict(zip(widths, starts, strict=False))
        folder.mkdir(parents=True, exist_ok=True)
        self.file = SpooledTemporaryFile(max_size=HELD, dir=str(folder))  # noqa: SIM115 - by `close`

    def write(self, key: Hashable, first: int, values: np.ndarray) -> None:
        """Fill the rows of an array from `first` on."""
        self.file.seek(self.starts[key] + SIZE * first * self.widths[key])
        try:
            self.file.write(np.ascontiguousarray(values, dtype=float).data)
        except OSError as fault:  # which names no file, since this one has no name
            raise OSError(fault.errno, fault.strerror, str(self.folder)) from None

    def read(self, key: Hashable, first: int = 0, last: int | None = None) -> np.ndarray:
        """Return the rows of an array from `first` to before `last`, to the end by default."""
        width, stop = self.widths[key], self.rows if last is None else last
        found = np.empty((stop - first, width))
        self.file.seek(self.starts[key] + SIZE * first * width)
        if self.file.readinto(found.data) != found.nbytes:
            raise OSError(f"{self.folder}: a temporary file is shorter than what was written to it; run again")
        return found

    def close(self) -> None:
        """Give memory and disk back."""
        self.file.close()
