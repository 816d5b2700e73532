"""How Sphinx builds the documentation: `make docs`. It needs no network."""

import json
from importlib.metadata import version as version_of

from dpbandits.config.json_schema import schemas

project = "dpbandits"
author = "The dpbandits authors"
version = release = version_of("dpbandits")

extensions = ["myst_parser", "numpydoc", "sphinx.ext.autodoc", "sphinx_click"]
exclude_patterns = ["_build", "papers/notes"]
nitpicky = True
default_role = "literal"
smartquotes = False

myst_heading_anchors = 4
myst_enable_extensions = ["deflist"]

autodoc_typehints = "none"
numpydoc_show_class_members = False
numpydoc_xref_param_type = False

html_theme = "pydata_sphinx_theme"
html_title = "dpbandits"
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "show_toc_level": 2,
    "navigation_with_keys": False,
    "footer_start": ["copyright"],
    "footer_end": [],
    "secondary_sidebar_items": ["page-toc"],
}


def kind(schema: dict) -> str:
    """What a JSON Schema allows, in a few words."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    for many in ("anyOf", "oneOf"):
        if many in schema:
            return " or ".join(dict.fromkeys(kind(each) for each in schema[many]))
    if "const" in schema:
        return f"`{schema['const']}`"
    if "enum" in schema:
        return ", ".join(f"`{each}`" for each in schema["enum"])
    found = schema.get("type", "any")
    if found == "array":
        return f"list of {kind(schema.get('items', {}))}"
    if found == "object":
        inner = list(schema.get("patternProperties", {}).values())
        if inner:
            return f"mapping to {kind(inner[0])}"
        return f"mapping to {kind(schema['additionalProperties'])}" if schema.get("additionalProperties") else "mapping"
    signs = {"minimum": "≥", "exclusiveMinimum": ">", "maximum": "≤", "exclusiveMaximum": "<"}
    limits = [f"{sign} {schema[key]:g}" for key, sign in signs.items() if key in schema]
    pattern = [f"matches `{schema['pattern']}`"] if "pattern" in schema else []
    return ", ".join([found, *limits, *pattern]).replace("|", "\\|")


def models(app: object, name: str, source: list[str]) -> None:
    """Append a table per model to the page that lists them."""
    if name != "reference/models":
        return
    for title, text in schemas().items():
        schema = json.loads(text)
        parts = {title.partition(".")[0] + " file": schema, **schema.get("$defs", {})}
        for part, model in parts.items():
            if "properties" in model:
                needed = model.get("required", ())
                rows = [
                    f"| `{k}` | {kind(v)} | {'yes' if k in needed else ''} |" for k, v in model["properties"].items()
                ]
                source[0] += (
                    f"\n## {part}\n\n| key | value | required |\n| --- | --- | --- |\n" + "\n".join(rows) + "\n"
                )
            else:
                source[0] += f"\n## {part}\n\n{kind(model)}\n"


def setup(app: object) -> None:
    """Called by Sphinx."""
    app.connect("source-read", models)
