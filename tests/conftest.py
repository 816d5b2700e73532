"""Set-up of all tests: kernels are cached in the repository, figures need no screen, hypothesis repeats itself."""

import os
from pathlib import Path

from hypothesis import settings

os.environ.setdefault("NUMBA_CACHE_DIR", str(Path(__file__).resolve().parents[1] / ".cache/numba"))  # before numba
os.environ["MPLBACKEND"] = "Agg"

settings.register_profile("deterministic", derandomize=True, deadline=None)
settings.load_profile("deterministic")
