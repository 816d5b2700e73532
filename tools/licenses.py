"""Write docs/reference/licenses.md from the locks and the installed packages: `python tools/licenses.py --write`.

First, `make setup-dev setup-slurm setup-peers` installs the packages of all locks. A package that this platform or
Python does not need keeps the license that the page has for the same version.
"""

import re
import sys
from collections.abc import Mapping
from importlib.metadata import Distribution, distributions
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs/reference/licenses.md"
LOCKS = {
    "requirements.lock": ("", "what `make` installs"),
    "requirements-dev.lock": ("", "tests, linters and documentation (`make setup-dev`)"),
    "requirements-slurm.lock": ("", "clusters (`make setup-slurm`)"),
    "requirements-crate.lock": (
        "crate",
        "the validator of certificates, in an environment of its own (`make setup-dev`)",
    ),
    "requirements-peers.lock": ("peers", "packages that `make bench` measures, in an environment of their own"),
    "requirements-uv.lock": ("", "the installer"),
}
"""Each lock, the folder of its environment in .venv, and what it is for."""
UNKNOWN = "–"
HEAD = """\
<!-- Made by `python tools/licenses.py --write`. Do not edit. -->

# Licenses

dpbandits has the [MIT license](../../LICENSE). This page lists every locked package with the license in its metadata.
A package that several locks share is listed under each.

A condition in the last column means that the package is only for that platform or Python. Where the license is a dash,
the package was not installed when this page was made, so its metadata was not read.
"""


def pins(lock: str) -> list[tuple[str, str, str]]:
    """Name, version and marker (or nothing) of each package of a lock."""
    return re.findall(r"^([a-z0-9._-]+)==([^ ;\\]+)(?: ; ([^\\\n]+?))?(?: \\)?$", lock, re.M)


def plain(name: str) -> str:
    """A name as locks spell it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def license_of(package: Distribution) -> str:
    """The license that metadata names: its expression, else classifiers, else the first line of its field or file."""
    metadata = package.metadata
    if stated := metadata.get("License-Expression"):
        return stated
    classifiers = [each.split(" :: ") for each in metadata.get_all("Classifier") or () if each.startswith("License ::")]
    names = [parts[-1] for parts in classifiers if parts[-1] not in ("OSI Approved", "DFSG approved")]
    if names:
        return ", ".join(names)
    if (metadata.get("License") or "").strip():
        return metadata["License"].strip().splitlines()[0]
    for path in package.files or ():
        if re.match(r"(?i)licen[cs]e|copying", path.name):
            return f"{path.read_text(encoding='utf-8').strip().splitlines()[0].strip()} (from its license file)"
    return "not stated"


def installed(folder: str) -> dict[str, Distribution]:
    """Packages of an environment, by name; empty if the environment does not exist."""
    paths = [str(path) for path in (Path(sys.prefix) / folder).glob("lib/python*/site-packages")]
    return {plain(each.name): each for each in distributions(path=paths)}


def licenses() -> dict[tuple[str, str, str], str]:
    """License by lock, name and version, of the locked packages that are installed."""
    return {
        (lock, name, version): license_of(found[name])
        for lock, (folder, _) in LOCKS.items()
        for found in [installed(folder)]
        for name, version, _ in pins((ROOT / lock).read_text(encoding="utf-8"))
        if name in found and found[name].version == version
    }


def listed(page: str) -> dict[tuple[str, str, str], str]:
    """The same from a page."""
    found = {}
    for section in page.split("\n## ")[1:]:
        lock = section.partition("\n")[0]
        for name, version, said in re.findall(r"^\| (\S+) \| (\d\S*) \| (.+?) \|", section, re.M):
            found[lock, name, version] = said
    return found


def page(found: Mapping[tuple[str, str, str], str]) -> str:
    """The page of all locks, with these licenses."""
    parts = [HEAD]
    for lock, (_, purpose) in LOCKS.items():
        parts.append(f"\n## {lock}\n\nFor {purpose}.\n\n| package | version | license | only where |\n")
        parts.append("| --- | --- | --- | --- |\n")
        for name, version, marker in pins((ROOT / lock).read_text(encoding="utf-8")):
            cells = [name, version, found.get((lock, name, version), UNKNOWN), f"`{marker}`" if marker else ""]
            parts.append(f"| {' | '.join(cells)} |\n".replace("|  |", "| |"))
    return "".join(parts)


if __name__ == "__main__":
    kept = listed(PAGE.read_text(encoding="utf-8")) if PAGE.is_file() else {}
    said = page({**kept, **licenses()})
    if "--write" in sys.argv[1:]:
        PAGE.write_text(said, encoding="utf-8")
    else:
        print(said, end="")
