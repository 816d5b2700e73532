"""JSON Schemas of the configuration's files, for editors, generated from the models.

`python -m dpbandits.config.json_schema` writes them to `config/schemas`; the first line of every YAML file names its
schema. A schema cannot detect unknown names; `faults.check` does.
"""

import json
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from dpbandits.base.registry import ENVIRONMENTS
from dpbandits.config.models.files import PaperFile, ProjectFile

FILES: dict[str, type[BaseModel]] = {"config": ProjectFile, "paper": PaperFile}
FOLDER = Path("config/schemas")


def schemas() -> dict[str, str]:
    """The text of every schema, by file name."""
    found = {}
    for name, model in FILES.items():
        schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", **_without_null(model.model_json_schema())}
        found[f"{name}.schema.json"] = _lines(_with_families(schema)) + "\n"
    return found


def _lines(schema: dict[str, Any]) -> str:
    """A schema as JSON, with one line for each definition and each key at the top."""
    return ",\n".join(
        f"{json.dumps(key)}: {_lines(value) if key == '$defs' else json.dumps(value, ensure_ascii=False)}"
        for key, value in schema.items()
    ).join(("{\n", "\n}"))


def _without_null(schema: Any) -> Any:
    """A schema in which optional keys may not be null, as in the models."""
    if isinstance(schema, list):
        return [_without_null(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    inner = {key: _without_null(value) for key, value in schema.items()}
    if not inner.pop("nullable", False) and inner.get("default", "") is None and "anyOf" in inner:
        kinds = [kind for kind in inner.pop("anyOf") if kind != {"type": "null"}]
        del inner["default"]
        inner |= kinds[0] if len(kinds) == 1 else {"anyOf": kinds}
    return inner


def _with_families(schema: dict[str, Any]) -> dict[str, Any]:
    """A schema in which the family of an environment is one of the existing families."""
    experiment = schema.get("$defs", {}).get("Experiment")
    if experiment is not None:
        experiment["properties"]["environment"] |= {
            "required": ["family"],
            "properties": {"family": {"enum": list(ENVIRONMENTS.places())}},
        }
    return schema


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, text in schemas().items():
        (FOLDER / name).write_text(text, encoding="utf-8")
