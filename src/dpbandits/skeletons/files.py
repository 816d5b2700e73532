"""Render templates to files, and write either all files or none."""

import os
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path

from jinja2 import Environment, FunctionLoader, StrictUndefined

from dpbandits.base.registry import SOURCE_ROOT
from dpbandits.base.storage import write_text
from dpbandits.config.plain_yaml import ConfigError


def rendered(template: str, **values: object) -> str:
    """Return the text of a template of this package, such as `paper.yaml`."""
    environment = Environment(  # noqa: S701 - Python and YAML, not HTML
        loader=FunctionLoader(_source),
        undefined=StrictUndefined,
        trim_blocks=True,
        keep_trailing_newline=True,
    )
    return environment.get_template(template).render(**values)


def _source(template: str) -> str:
    return files(__package__).joinpath("templates", f"{template}.jinja").read_text(encoding="utf-8")


def demand_checkout(root: Path) -> None:
    """Raise ConfigError unless the package runs from the project's folder `src`, where new modules are found."""
    if (root / "src").resolve() != SOURCE_ROOT.resolve():
        raise ConfigError(
            f"{root}: dpbandits runs from {SOURCE_ROOT}, not from src/ of this folder, and would not find new files. "
            "Clone the repository, run `make setup` there, and use the dpbandits of its .venv."
        )


def write_new(root: Path, texts: Mapping[str, str]) -> None:
    """Write files by path below `root`; after a failure, remove those already written.

    Raises
    ------
    ConfigError
        A file already exists.
    OSError
        A file cannot be written.
    """
    for name in texts:
        if os.path.lexists(root / name):
            raise ConfigError(f"{name}: exists already; nothing was written. Choose another name, or delete the file.")
    written: list[Path] = []
    try:
        for name, text in texts.items():
            written.append(root / name)
            write_text(root / name, text)
    except BaseException:
        for path in written:
            path.unlink(missing_ok=True) if path.is_file() else None
        raise
