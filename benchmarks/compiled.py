"""The compiler of rivals and limits written for numba: the options of `dpbandits.base.jit`, without its cache."""

from collections.abc import Callable
from typing import Any

import numba


def compiled(function: Callable[..., Any]) -> Any:
    """As `dpbandits.base.jit.kernel`."""
    return numba.njit(error_model="numpy", nogil=True)(function)
