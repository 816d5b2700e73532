"""The one decorator of every compiled kernel.

Kernels release the interpreter lock, divide as NumPy does and never reassociate floating-point operations, so that
chunking, threads and numba's choice of instructions leave every bit of a result as it is. Compiled code is kept on
disk. numba looks only at the file of a cached kernel, not at those of the kernels that it calls, and would go on using
old machine code after a change in a helper; so the kernels of each module have a cache folder of their own, named by
the module's source digest, which covers all that it imports.

Where DPBANDITS_COMPILE is 0, or after `stay_plain`, nothing is compiled and numba is not loaded: a kernel is then a
plain function. Notebooks run like this, and so do commands that play nothing but read the entries of algorithms.
"""

import fcntl
import functools
import os
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from types import FunctionType
from typing import Any

from dpbandits.base.digests import SOURCE_ROOT, json_digest, own_sources, short, source_digest

COMPILE = os.environ.get("DPBANDITS_COMPILE") != "0"


def stay_plain() -> None:
    """Compile no kernel that is imported from now on."""
    global COMPILE
    COMPILE = False


def cache_base() -> Path:
    """Where compiled kernels live: NUMBA_CACHE_DIR where it was set at start, else the user's cache folder."""
    return Path(_BASE or Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "dpbandits")


_BASE = os.environ.get("NUMBA_CACHE_DIR", "")
PROBE = 2**20  # bytes written to see whether the cache has room for the machine code of a kernel


def demand_cache() -> None:
    """Create the folder of compiled kernels and write into it.

    Raises
    ------
    OSError
        It cannot be written; says what to do.
    """
    folder = cache_base()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as probe:
            probe.write(bytes(PROBE))
    except OSError as fault:
        raise _unwritable(folder, fault) from None


def _unwritable(folder: Path, fault: OSError) -> OSError:
    """The same fault with the place and what to do."""
    says = f"{fault.strerror}. Compiled kernels are kept there: make room, or set NUMBA_CACHE_DIR to another folder"
    return OSError(fault.errno, says, str(folder))


@functools.cache
def cache_folder(module: str) -> str:
    """Folder of the compiled kernels of a module; those of own code are named by its file."""
    if not module.startswith("dpbandits."):
        file = getattr(sys.modules[module], "__file__", None)
        sources = own_sources(Path(file).parent, Path(file).stem, neighbors=True) if file else {}
        return str(cache_base() / f"own-{Path(file or 'none').stem}-{short(json_digest(sources))}")
    return str(cache_base() / f"{module.removeprefix('dpbandits.')}-{short(source_digest([module], SOURCE_ROOT))}")


def kernel(function: Callable[..., Any]) -> Any:
    """Compile `function` with the options that all kernels share; `function.py_func` stays the plain Python oracle."""
    return _compiled(function, inline=False)


def inlined(function: Callable[..., Any]) -> Any:
    """As `kernel`, copied into the kernels that call it.

    For what every round calls with many arrays: to pass them costs as much as the work.
    """
    return _compiled(function, inline=True)


def round_step(function: Callable[..., Any]) -> Any:
    """Compile a step of a round into the kernels that call it, without counting references to arrays.

    Counting costs more than a short function does. A step may read and write the arrays of its caller; numba refuses to
    compile one that creates an array.
    """
    return _compiled(function, inline=True, counted=False)


def fused_step(function: Callable[..., Any]) -> Any:
    """As `round_step`, but that a product and a sum may be rounded once where the processor does both at once.

    Its bits depend on the processor: for bounds that decide what needs no exact calculation, never for a result. The
    name is its own, since one function may also be a `round_step`, whose machine code is kept by its name.
    """
    own = FunctionType(function.__code__, function.__globals__, f"fused_{function.__name__}")
    own.__qualname__, own.__module__, own.__doc__ = own.__name__, function.__module__, function.__doc__
    return _compiled(own, inline=True, counted=False, fused=True)


def formula(function: Callable[..., Any]) -> Any:
    """A plain function that kernels may call: compiled with them, but not for callers in Python, who need not wait."""
    if not COMPILE:
        return function
    from numba.extending import register_jitable

    return register_jitable(error_model="numpy")(function)


def _compiled(function: Any, inline: bool, counted: bool = True, fused: bool = False) -> Any:
    if not COMPILE:
        function.py_func = function
        return function
    import numba

    vars(numba.config)["CACHE_DIR"] = cache_folder(function.__module__)
    # `_nrt` is set for all kernels, because one that a step calls would else be compiled without counting, as the step.
    # Nothing calls a kernel from C: without the wrapper for it compiling takes a fifteenth less.
    options: dict[str, Any] = {"forceinline": inline, "_nrt": counted, "no_cfunc_wrapper": True}
    if fused:
        options["fastmath"] = {"contract"}
    compiled = numba.njit(cache=True, nogil=True, error_model="numpy", **options)(function)
    _save_one_at_a_time(compiled._cache)
    if function.__module__.startswith("dpbandits.") and "<locals>" not in function.__qualname__:
        # The name of this kernel where another one takes it as an argument, in the cache of that one. numba's own is
        # random, so that every process would compile the other one again.
        compiled._set_uuid(_identity(function, options))
    return compiled


def _save_one_at_a_time(cache: Any) -> None:
    """Let one process at a time save machine code in the folder of a module.

    Processes that save one kernel for different types of arguments at once could else give both files the same name,
    and the kernel could not be loaded any more.
    """
    save, path = cache._cache_file.save, Path(cache._cache_path)

    def locked(key: Any, data: Any) -> None:
        with open(path / "saving.lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            try:
                save(key, data)
            except OSError as fault:
                raise _unwritable(path, fault) from None

    cache._cache_file.save = locked


def _identity(function: Any, options: Mapping[str, Any]) -> str:
    """A name that only a kernel of the same sources and options has; the folder's has the digest of the sources."""
    told = {name: sorted(value) if isinstance(value, set) else value for name, value in options.items()}
    return f"{Path(cache_folder(function.__module__)).name}/{function.__qualname__} {json_digest(told)}"
