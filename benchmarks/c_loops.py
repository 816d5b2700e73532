"""Compile loops in C for this processor, if a compiler exists, with the fastest options that keep IEEE arithmetic."""

import ctypes
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np

from benchmarks.comparison import LeftOut
from benchmarks.timing import Side

Array = np.ndarray
SOURCES = Path(__file__).parent / "c"
OPTIONS = ("-O3", "-march=native", "-fno-math-errno", "-ffp-contract=off", "-std=c11", "-shared", "-fPIC")


@cache
def compiler() -> str | None:
    """Path of a C compiler; None if there is none."""
    return shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")


@cache
def loop(name: str) -> Callable[..., None]:
    """Function of that name from `c/<name>.c`; arrays are passed by address, numbers by value.

    Raises
    ------
    OSError
        No compiler is found, or it fails.
    """
    found = compiler()
    if found is None:
        raise OSError("no C compiler is found")
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / f"{name}.so"
        command = [found, *OPTIONS, str(SOURCES / f"{name}.c"), "-o", str(library), "-lm"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - our own source
        if done.returncode:
            raise OSError(f"{name}.c: {done.stderr.strip()}")
        function = getattr(ctypes.CDLL(str(library)), name)
    function.restype = None
    return lambda *arguments: function(*map(_passed, arguments))


def side(name: str, numbers: tuple[Array | float | int, ...], seeds: int, horizon: int) -> Side | LeftOut:
    """Side "c" that plays with the loop of that name, or the reason why it is missing.

    The loop takes a seed, the numbers, checkpoints (n,) and their count, and fills in the regrets (n,).
    """
    try:
        run = loop(name)
    except OSError as error:
        return LeftOut("c", "C loop", str(error))

    def play(first_seed: int, seeds: int, checkpoints: Array) -> Array:
        marks, regrets = np.ascontiguousarray(checkpoints, np.int64), np.empty((seeds, len(checkpoints)))
        for row in range(seeds):
            run(first_seed + row, *numbers, marks, len(marks), regrets[row])
        return regrets

    return Side("c", "C loop", play, seeds, horizon)


def _passed(value: Array | float | int) -> object:
    """Argument in the form that C expects."""
    if isinstance(value, np.ndarray):
        return ctypes.c_void_p(value.ctypes.data)
    return ctypes.c_double(value) if isinstance(value, float) else ctypes.c_int64(value)
