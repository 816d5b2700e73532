"""Record what a run depends on besides its sources: software, repository and processor class of this machine.

No record names a machine, a user or a folder.
"""

import os
import platform
import shutil
import subprocess
import tomllib
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, distributions, requires, version
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from dpbandits.base.digests import SOURCE_ROOT, file_digest
from dpbandits.stages.benchmarks import measured

GIBIBYTE = 2**30
TIMES = ("rule", "paper", "jobs", "wall_seconds", "cpu_seconds")


def environment(root: Path, scale: str, root_seed: int, source: str) -> dict[str, Any]:
    """The exact Python, all installed distributions, digests of pins and sources, the commit, and the run's options."""
    return {
        **software(),
        "lock": file_digest(root / "requirements.lock"),
        "source": source,
        "repository": repository(root),
        "root_seed": root_seed,
        "scale": scale,
    }


def software() -> dict[str, Any]:
    """The exact Python, and the version of every installed distribution, by normalized name."""
    found = {canonicalize_name(each.name): each.version for each in distributions()}
    return {
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "packages": dict(sorted(found.items())),
    }


def required(root: Path) -> dict[str, str]:
    """Versions of the package's own requirements, by name; read from pyproject.toml if it is not installed."""
    try:
        lines = requires("dpbandits") or []
    except PackageNotFoundError:
        lines = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"]
    asked = [Requirement(line) for line in lines]
    return {each.name: version(each.name) for each in asked if not each.marker or each.marker.evaluate()}


def release(sources: Path = SOURCE_ROOT) -> str:
    """Version of the package: in its project that of pyproject.toml, otherwise the installed one."""
    own = sources.parent / "pyproject.toml"
    project = tomllib.loads(own.read_text(encoding="utf-8")).get("project", {}) if own.is_file() else {}
    if project.get("name") == "dpbandits":
        return str(project["version"])
    try:
        return version("dpbandits")
    except PackageNotFoundError:
        return "of unknown version"


def repository(root: Path) -> dict[str, Any] | None:
    """The commit, and whether any file except figures differs from it; None if the folder is not its own repository.

    Figures are not compared, because they are results that the run itself checks.
    """
    git = shutil.which("git")
    # Variables such as GIT_DIR may name another repository.
    variables = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}

    def ask(*arguments: str) -> str | None:
        done = subprocess.run(  # noqa: S603 - fixed arguments
            [str(git), "-C", str(root), *arguments], capture_output=True, text=True, check=False, env=variables
        )
        return done.stdout.strip() if done.returncode == 0 else None

    top = ask("rev-parse", "--show-toplevel") if git else None
    commit = ask("rev-parse", "--verify", "HEAD") if top and Path(top).resolve() == root.resolve() else None
    changed = ask("status", "--porcelain", "--", ".", ":!figures") if commit else None
    return None if commit is None or changed is None else {"commit": commit, "dirty": bool(changed)}


def machine() -> dict[str, Any]:
    """The class of this machine, without anything that identifies it."""
    from llvmlite.binding import get_host_cpu_name

    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return {
        "architecture": platform.machine(),
        "cpu": get_host_cpu_name(),
        "cores": os.cpu_count(),
        "memory_gib": round(memory / GIBIBYTE),
        "system": platform.system(),
        "libc": " ".join(platform.libc_ver()).strip(),
    }


def times(folder: Path, names: Iterable[str]) -> list[dict[str, Any]]:
    """Number of jobs, wall seconds and CPU seconds by rule and paper, from Snakemake's benchmark files.

    Jobs that another scale ran are not included.

    Parameters
    ----------
    names : `<rule>/<paper>/<number>.tsv`, `<rule>/<paper>.tsv`, or `<rule>/<piece>.tsv` for rules about all papers.
    """
    found: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for job in measured(folder, names):
        rule, *inner = job.title.split("/")
        about_all = rule in ("audit", "collect", "report")
        found.setdefault((rule, "" if about_all else inner[0]), []).append((job.wall, job.least))
    return [
        dict(zip(TIMES, (*key, len(jobs), *(round(sum(part), 2) for part in zip(*jobs, strict=True))), strict=True))
        for key, jobs in found.items()
    ]
