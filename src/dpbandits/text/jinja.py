"""Jinja with the package's templates and styles."""

from importlib.resources import files

from jinja2 import Environment, FunctionLoader, StrictUndefined


def environment() -> Environment:
    """Templates by name, and `site.css` and `site.js` for those that hold them: all is escaped, no name unknown."""
    return Environment(
        loader=FunctionLoader(source),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def source(name: str) -> str:
    """Text of a template, or of what is sent beside the pages."""
    folder = "templates" if name.endswith(".html") else "static"
    return files("dpbandits").joinpath("report", folder, name).read_text(encoding="utf-8")
