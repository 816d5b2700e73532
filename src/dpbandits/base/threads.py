"""One job computes in one thread, so that its bits do not depend on the number of cores. Two may read large tables."""

import os

THREADS = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")
"""Environment variables that numerical libraries read when they are loaded."""
NUMBA = "NUMBA_NUM_THREADS"


def numba_fault() -> str:
    """What is wrong with the number of threads for numba, which would end with a traceback; nothing if it is right."""
    given = os.environ.get(NUMBA, "1")
    right = given.isascii() and given.isdigit() and int(given) > 0
    return "" if right else f"{NUMBA}={given}: must be a whole number >= 1. Leave it out for one thread."
