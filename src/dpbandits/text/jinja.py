"""Jinja environment with the package's templates and styles."""

from importlib.resources import files

from jinja2 import Environment, FunctionLoader, StrictUndefined


def environment() -> Environment:
    """Environment with templates, `site.css` and `site.js`; it escapes everything and rejects undefined names."""
    return Environment(
        loader=FunctionLoader(source),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def source(name: str) -> str:
    """Source text of a template, or of a file delivered with the pages."""
    folder = "templates" if name.endswith(".html") else "static"
    return files("dpbandits").joinpath("report", folder, name).read_text(encoding="utf-8")
