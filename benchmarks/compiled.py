"""Compile competitors and limits written for numba with the options of `dpbandits.base.jit`, without its cache."""

from collections.abc import Callable
from typing import Any

import numba


def compiled(function: Callable[..., Any]) -> Any:
    """Compile a function like `dpbandits.base.jit.kernel`."""
    return numba.njit(error_model="numpy", nogil=True)(function)
