"""Write src/dpbandits/report/thresholds/<paper>.json: the commits in which thresholds of claims changed.

Run `python tools/threshold_history.py --write` before a commit that changes a threshold. A commit cannot contain its
own hash, so its change has an empty commit and subject until the next run. Without `--write`, the files are printed.
"""

import argparse
import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import yaml

from dpbandits.report.threshold_history import thresholds

ROOT = Path(__file__).resolve().parents[1]


def git(root: Path, *arguments: str) -> str:
    """Output of a git command."""
    command = ["git", "-C", str(root), *arguments]
    return subprocess.run(command, capture_output=True, check=True, encoding="utf-8").stdout  # noqa: S603


def versions(root: Path, path: str) -> Iterator[tuple[str, str, str, str]]:
    """Commit, day, subject and text of each version of a file, oldest first; the last one is the working tree's."""
    listed = git(root, "log", "--reverse", "--topo-order", "--format=%H %as %s", "--", path)
    for line in listed.splitlines():
        commit, day, subject = line.split(" ", 2)
        yield commit[:10], day, subject, git(root, "show", f"{commit}:{path}")
    yield "", "", "", (root / path).read_text(encoding="utf-8")


def history(root: Path, key: str) -> dict[str, list[dict[str, str]]]:
    """Changes of the thresholds by claim, for the paper's current claims."""
    found: dict[str, list[dict[str, str]]] = {}
    now: dict[str, str] = {}
    for commit, day, subject, text in versions(root, f"config/papers/{key}.yaml"):
        now = thresholds(yaml.load(text, yaml.CSafeLoader) or {})
        for name, said in now.items():
            changes = found.setdefault(name, [])
            if not changes or changes[-1]["thresholds"] != said:
                changes.append({"commit": commit, "day": day, "subject": subject, "thresholds": said})
    return {name: changes for name, changes in found.items() if name in now}


def written(root: Path, key: str) -> str:
    """Text of a paper's history file."""
    return json.dumps(history(root, key), indent=1, sort_keys=True, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="The commits in which thresholds of claims changed.")
    parser.add_argument("--write", action="store_true", help="write the files, instead of printing them")
    write = parser.parse_args().write
    for paper in sorted((ROOT / "config/papers").glob("*.yaml")):
        said = written(ROOT, paper.stem)
        if write:
            file = ROOT / f"src/dpbandits/report/thresholds/{paper.stem}.json"
            file.parent.mkdir(exist_ok=True)
            file.write_text(said, encoding="utf-8")
        else:
            print(said, end="")
