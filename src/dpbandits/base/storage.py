"""Atomic writes of files and folders, and their checksums."""

import errno
import fcntl
import json
import os
import re
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from dpbandits.base.digests import file_digest, json_digest
from dpbandits.base.snakemake_files import TIMESTAMP

LOCK = "lock"
"""File in a temporary folder that is locked while the folder exists."""

PARTIAL = "dpbandits-partial"
"""Suffix of temporary files and folders. Nothing else beside a target is ever removed."""

CHECKSUMS = "sha256sums.txt"
"""File in the folder of all figures with the digests of the data beside them, as `<paper>/data/<name>`."""

DIGEST = "sha256"
"""Key of a record's digest: SHA-256 (hex) of the canonical JSON of all other keys."""


class DamagedFile(RuntimeError):
    """A stored file differs from what was written. The message names the file."""


def checksum_file(path: Path) -> Path:
    """The checksum file of a file."""
    return path.with_name(path.name + ".sha256")


def write_checksum(path: Path) -> None:
    """Write the checksum file of a file, in the format of `sha256sum`."""
    write_text(checksum_file(path), f"{file_digest(path)}  {path.name}\n")


def manifest_of(path: Path) -> Path:
    """The file that lists the digest of a file `figures/<paper>/data/<name>`."""
    return Path(os.path.abspath(path)).parent.parent.parent / CHECKSUMS


def digest_of_record(path: Path) -> str | None:
    """Digest of a file when it was written, from its checksum file or from its manifest; None without both."""
    try:
        return (_text(checksum_file(path)).split() or [""])[0]
    except FileNotFoundError:
        pass
    try:
        return _listed(manifest_of(path)).get("/".join(Path(os.path.abspath(path)).parts[-3:]))
    except FileNotFoundError:
        return None


def _listed(manifest: Path) -> dict[str, str]:
    return {line[66:]: line[:64] for line in _text(manifest).splitlines()}


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace")


def join_checksums(figures: Path, names: Iterable[str]) -> None:
    """Put the recorded digests of files `<paper>/data/<name>` into the manifest, and delete their checksum files.

    The manifest has the format of `sha256sum`. Other files that exist keep their lines.

    Raises
    ------
    DamagedFile
        As `verify`, for the first file that is missing or damaged; nothing is changed.
    """
    joined = {name: verify(figures / name) for name in names}
    manifest = figures / CHECKSUMS
    kept = _listed(manifest) if manifest.exists() else {}
    listed = {name: digest for name, digest in kept.items() if (figures / name).is_file()} | joined
    write_text(manifest, "".join(f"{digest}  {name}\n" for name, digest in sorted(listed.items())))
    for name in joined:
        checksum_file(figures / name).unlink(missing_ok=True)


def replaceable(path: Path) -> Path:
    """Return the file that a write to `path` creates or replaces: `path`, or the target of a symbolic link.

    Raises
    ------
    OSError
        `path` exists and is not a regular file, for example a folder or a device.
    """
    if path.exists() and not path.is_file():
        kind = errno.EISDIR if path.is_dir() else errno.EEXIST
        raise OSError(kind, "exists and is not a regular file. Choose another name.", str(path))
    return Path(os.path.realpath(path))


@contextmanager
def partial(target: Path, create: Callable[[Path], object] = Path.touch) -> Iterator[Path]:
    """Create a temporary file (or a folder, with `Path.mkdir`) beside `target`; remove it at the end if it is left.

    The temporary file is locked while it exists; of a folder, a file in it. Before creating it, remove leftovers of
    killed processes: temporary files of the same target that no process locks.
    """
    for left in abandoned(target):
        remove(left)
    temporary = target.with_name(f".{target.name}.{os.getpid()}.{PARTIAL}")
    create(temporary)
    descriptor = os.open(_lock_of(temporary), os.O_RDWR | os.O_CREAT)
    try:
        with suppress(OSError):  # a file system without locks
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield temporary
    finally:
        os.close(descriptor)
        remove(temporary)


def abandoned(target: Path) -> list[Path]:
    """Return the temporary files and folders of `target` that no process locks."""
    pattern = re.compile(rf"\.{re.escape(target.name)}\.\d+\.{PARTIAL}")
    found = [path for path in target.parent.iterdir() if pattern.fullmatch(path.name)]
    return [path for path in found if not path.is_symlink() and not locked(path)]


def locked(path: Path) -> bool:
    """Whether a process locks a temporary file or folder, or has removed it; also one that may not be opened."""
    try:
        descriptor = os.open(_lock_of(path), os.O_RDWR)
    except FileNotFoundError:
        return not path.exists()
    except PermissionError:
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:  # a file system without locks
        return False
    finally:
        os.close(descriptor)
    return False


def _lock_of(path: Path) -> Path:
    """The file to lock. It is opened for writing, since NFS locks no folder and no file that is open for reading."""
    return path / LOCK if path.is_dir() else path


def remove(path: Path) -> None:
    """Delete a file, or a folder with its content, if it exists."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield a temporary file, which replaces `path` at the end. After an error `path` is unchanged.

    Raises
    ------
    OSError
        As `replaceable`, or writing failed. The error names `path`.
    """
    target = replaceable(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        with partial(target) as temporary:
            yield temporary
            os.replace(temporary, target)
    except OSError as error:
        raise OSError(error.errno, os.strerror(error.errno) if error.errno else str(error), str(path)) from error


def write_bytes(path: Path, data: bytes) -> None:
    """Write a file atomically."""
    with replacing(path) as temporary:
        temporary.write_bytes(data)


def write_text(path: Path, text: str) -> None:
    """Write a text file atomically."""
    write_bytes(path, text.encode("utf-8"))


def copy_file(source: Path, target: Path) -> None:
    """Copy the content of a file."""
    write_bytes(target, source.read_bytes())


def write_json(path: Path, value: object) -> None:
    """Write indented JSON with sorted keys."""
    write_text(path, json.dumps(value, sort_keys=True, indent=2, allow_nan=False, ensure_ascii=False) + "\n")


def read_json(path: Path) -> Any:
    """Read a JSON file.

    Raises
    ------
    DamagedFile
        The file is missing or is not JSON.
    """
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise DamagedFile(f"{path}: cannot be read ({error.strerror})") from None
    except ValueError:
        raise DamagedFile(f"{path}: is not JSON; delete it and run again") from None


def write_record(path: Path, values: Mapping[str, object]) -> None:
    """Write the result of a stage as JSON, one line for each entry of a list, with a digest for `read_record`."""
    lines = (f"{_line(key)}: {_lines(value)}" for key, value in sorted({**values, DIGEST: json_digest(values)}.items()))
    write_text(path, "{\n" + ",\n".join(lines) + "\n}\n")


def _lines(value: object) -> str:
    """JSON in one line; of a list, one line for each entry."""
    return "[\n" + ",\n".join(map(_line, value)) + "\n]" if isinstance(value, list) and value else _line(value)


def _line(value: object) -> str:
    return json.dumps(value, sort_keys=True, allow_nan=False, ensure_ascii=False, separators=(",", ":"))


def read_record(path: Path) -> dict[str, Any]:
    """Read a record that `write_record` wrote; the digest is left out.

    Raises
    ------
    DamagedFile
        The file is missing, is not JSON, or does not match its digest.
    """
    found = read_json(path)
    kept = found.pop(DIGEST, None) if isinstance(found, dict) else None
    if kept is None or kept != json_digest(found):
        raise DamagedFile(f"{path}: does not match its checksum; delete it and run again")
    return dict(found)


def verify(path: Path) -> str:
    """Compare a file with its recorded digest, and return it.

    Raises
    ------
    DamagedFile
        The file or its digest is missing, or they differ.
    """
    try:
        found, kept = file_digest(path), digest_of_record(path)
        if kept is None:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(checksum_file(path)))
    except OSError as error:
        raise DamagedFile(f"{error.filename}: cannot be read ({error.strerror})") from None
    if kept != found:
        raise DamagedFile(f"{path}: does not match its checksum; delete it and run again")
    return found


def marker(command: str) -> str:
    """Name of the hidden file that lists what a command wrote into a folder."""
    return f".dpbandits-{command}"


@contextmanager
def replacing_folder(out: Path, command: str) -> Iterator[Path]:
    """Yield a temporary folder, which replaces `out` at the end. After an error `out` is unchanged.

    A hidden file in it, `.dpbandits-<command>`, lists the files that the command wrote. A later run
    replaces only these.

    Raises
    ------
    OSError
        `out` exists and is not a folder, or holds files that the command did not write.
    """
    record, target = marker(command), replaceable_folder(out, command)
    target.parent.mkdir(parents=True, exist_ok=True)
    with partial(target, Path.mkdir) as beside:
        new, old = beside / "new", beside / "old"
        new.mkdir()
        yield new
        (new / record).write_text("".join(f"{name}\n" for name in sorted(files_below(new))), encoding="utf-8")
        if target.exists():
            os.replace(target, old)
        os.replace(new, target)


def replaceable_folder(out: Path, command: str) -> Path:
    """Return the folder that a command creates or replaces: `out`, or the target of a symbolic link."""
    if out.exists() and not out.is_dir():
        raise OSError(errno.ENOTDIR, "exists and is not a folder. Choose another name.", str(out))
    demand_own(out, command, "Choose another name.")
    return Path(os.path.realpath(out))


def demand_own(out: Path, command: str, advice: str) -> None:
    """Check that a command wrote all files in a folder, which may be missing.

    Raises
    ------
    OSError
        It did not write one of them; the message ends with `advice`.
    """
    here = out / marker(command)
    own = {here.name, TIMESTAMP, *(here.read_text(encoding="utf-8").splitlines() if here.is_file() else [])}
    foreign = next((name for name in files_below(out) if name not in own), None)
    if foreign is not None:
        says = f"holds {foreign}, which `dpbandits {command}` did not write. {advice}"
        raise OSError(errno.ENOTEMPTY, says, str(out))


def files_below(folder: Path) -> Iterator[str]:
    """Yield the name of every file in a folder, relative to it; symbolic links count as files."""
    for path in folder.rglob("*"):
        if path.is_symlink() or not path.is_dir():
            yield path.relative_to(folder).as_posix()
