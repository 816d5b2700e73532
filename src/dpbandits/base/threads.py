"""One job is one thread, so that its bits do not depend on the number of cores."""

THREADS = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")
"""Environment variables that numerical libraries read when they are loaded."""
