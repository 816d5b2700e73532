"""One thread per job, so that no bit of a result depends on the number of cores. Two threads may read large tables."""

import os

THREADS = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")
"""Environment variables that numerical libraries read when they are loaded."""
NUMBA = "NUMBA_NUM_THREADS"


def numba_fault() -> str:
    """Error message for an invalid NUMBA_NUM_THREADS, on which numba fails with a traceback; empty if it is valid."""
    given = os.environ.get(NUMBA, "1")
    right = given.isascii() and given.isdigit() and int(given) > 0
    return "" if right else f"{NUMBA}={given}: must be a whole number >= 1. Leave it out for one thread."
