"""Compare the cost of kernels with other implementations, and measure how it grows: `python -m benchmarks`.

The thread count (one) and the cache for compiled kernels are set before NumPy and numba are imported.
"""

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
os.environ.setdefault("NUMBA_CACHE_DIR", str(ROOT / ".cache/numba"))
for _threads in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ.setdefault(_threads, "1")
