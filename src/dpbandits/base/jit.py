"""The decorators of all compiled kernels.

Kernels release the interpreter lock, divide as NumPy does and never reassociate floating-point operations. Results
are therefore identical to the last bit for any chunking, number of threads and choice of instructions by numba.
Compiled code is cached on disk. numba checks only the file of a cached kernel, not the files of the kernels that it
calls, so it would keep using stale machine code after a change in a helper. Each module's kernels therefore have
their own cache folder, named by the module's source digest, which covers everything that the module imports.

If DPBANDITS_COMPILE is 0, or after `stay_plain`, nothing is compiled and numba is not loaded: kernels are plain
functions. Notebooks run this way, and so do commands that only read the entries of algorithms.
"""

import fcntl
import functools
import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
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
    """Folder of compiled kernels: NUMBA_CACHE_DIR, which commands set in a clone, else the user's cache folder."""
    found = os.environ.get("NUMBA_CACHE_DIR")
    return Path(found or Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "dpbandits")


PROBE = 2**20  # bytes written to test whether the cache has room for a compiled kernel


def demand_cache() -> None:
    """Create the folder of compiled kernels and check that it is writable.

    Raises
    ------
    OSError
        The folder is not writable. The message says what to do.
    """
    folder = cache_base()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as probe:
            probe.write(bytes(PROBE))
    except OSError as fault:
        raise _unwritable(folder, fault) from None


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock of a file in the folder of compiled kernels.

    Raises
    ------
    OSError
        The file cannot be written, or the disk has no locks. The message says what to do.
    """
    with ExitStack() as held:
        try:
            fcntl.flock(held.enter_context(open(path, "w")), fcntl.LOCK_EX)
        except OSError as fault:
            raise _unwritable(path.parent, fault) from None
        yield


def _unwritable(folder: Path, fault: OSError) -> OSError:
    """The same error with the folder and the remedy."""
    says = f"{fault.strerror}. Compiled kernels are kept there: make room, or set NUMBA_CACHE_DIR to another folder"
    return OSError(fault.errno, says, str(folder))


@functools.cache
def cache_folder(module: str) -> str:
    """Folder of the compiled kernels of a module; for the user's own code, named after its file."""
    if not module.startswith("dpbandits."):
        file = getattr(sys.modules[module], "__file__", None)
        sources = own_sources(Path(file).parent, Path(file).stem, neighbors=True) if file else {}
        return str(cache_base() / f"own-{Path(file or 'none').stem}-{short(json_digest(sources))}")
    return str(cache_base() / f"{module.removeprefix('dpbandits.')}-{short(source_digest([module], SOURCE_ROOT))}")


def kernel(function: Callable[..., Any]) -> Any:
    """Compile `function` with the options that all kernels share; `function.py_func` stays the plain Python oracle."""
    return _compiled(function, inline=False)


def inlined(function: Callable[..., Any]) -> Any:
    """Compile as `kernel` does, inlined into the calling kernels.

    For functions that every round calls with many arrays: passing the arrays costs as much as the work.
    """
    return _compiled(function, inline=True)


def round_step(function: Callable[..., Any]) -> Any:
    """Compile a step of a round, inlined into the calling kernels, without reference counts of arrays.

    Counting references costs more than a short function. A step may read and write the arrays of its caller; numba
    refuses to compile a step that creates an array.
    """
    return _compiled(function, inline=True, counted=False)


def fused_step(function: Callable[..., Any]) -> Any:
    """Compile as `round_step` does, and allow fused multiply-add, which rounds a product and a sum once.

    The bits depend on the processor. Use it only for bounds that decide whether an exact calculation is needed, never
    for a result. The compiled function gets its own name, because the same function may also be a `round_step`, which
    is cached by name.
    """
    own = FunctionType(function.__code__, function.__globals__, f"fused_{function.__name__}")
    own.__qualname__, own.__module__, own.__doc__ = own.__name__, function.__module__, function.__doc__
    return _compiled(own, inline=True, counted=False, fused=True)


def formula(function: Callable[..., Any]) -> Any:
    """A plain function that kernels may call: compiled into kernels, but left plain, without a delay, for Python."""
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
    # Set `_nrt` for every kernel: a kernel called by a step would otherwise be compiled without reference counts too.
    # Nothing calls a kernel from C, and leaving out the C wrapper saves a fifteenth of the compile time.
    options: dict[str, Any] = {"forceinline": inline, "_nrt": counted, "no_cfunc_wrapper": True}
    if fused:
        options["fastmath"] = {"contract"}
    compiled = numba.njit(cache=True, nogil=True, error_model="numpy", **options)(function)
    _save_one_at_a_time(compiled._cache)
    if function.__module__.startswith("dpbandits.") and "<locals>" not in function.__qualname__:
        # Identifies this kernel in the cache of a kernel that takes it as an argument. numba's default is random, so
        # every process would recompile the other kernel.
        compiled._set_uuid(_identity(function, options))
    return compiled


def _save_one_at_a_time(cache: Any) -> None:
    """Let one process at a time save machine code in the folder of a module.

    Without this lock, processes that save one kernel for different argument types at the same time could give both
    files the same name. The kernel could then not be loaded.
    """
    save, path = cache._cache_file.save, Path(cache._cache_path)

    def save_alone(key: Any, data: Any) -> None:
        with locked(path / "saving.lock"):
            try:
                save(key, data)
            except OSError as fault:
                raise _unwritable(path, fault) from None

    cache._cache_file.save = save_alone


def _identity(function: Any, options: Mapping[str, Any]) -> str:
    """An identifier of a kernel: its name, its options, and its folder, whose name has the digest of the sources."""
    told = {name: sorted(value) if isinstance(value, set) else value for name, value in options.items()}
    return f"{Path(cache_folder(function.__module__)).name}/{function.__qualname__} {json_digest(told)}"
