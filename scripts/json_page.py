"""Writes the tables of docs/json.md from the JSON schema of the report.

python scripts/json_page.py
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

from marked_text import markdown_table, replace_marked

PAGE = Path(__file__).parents[1] / "docs" / "json.md"
_SCRIPT = "scripts/json_page.py"
Schema = Mapping[str, Any]
_SCHEMA: Schema = json.loads((files("nnx_migrate.report") / "report.schema.json").read_bytes())


def tables() -> str:
    """A table for the report, and one for each type of object in it."""
    types = _SCHEMA["$defs"]
    lines = [
        f"| {_type(each['properties']['type'])} | {each['description']} |"
        for each in types["line"]["oneOf"]
    ]
    parts = [
        f"## The report, version {_SCHEMA['properties']['schema_version']['const']}",
        _table(_SCHEMA),
        "## Lines of `jsonl`",
        "The field `type` says what a line is. The other fields are those of the report and of the"
        " types below.",
        "\n".join(("| `type` | meaning |", "|---|---|", *lines)),
    ]
    for name, kind in types.items():
        if "properties" in kind:
            parts += [f"### {name}", kind["description"], _table(kind)]
    return "\n\n".join(parts)


def _table(kind: Schema) -> str:
    return markdown_table(("field", "type", "meaning"), _rows(kind, ""))


def _rows(kind: Schema, above: str) -> Iterator[tuple[str, str, str]]:
    for name, field in kind["properties"].items():
        within = _object_in(field)
        told = field.get("description") or (within or {}).get("description", "")
        optional = "" if name in kind["required"] else ", optional"
        yield f"`{above}{name}`", _type(field) + optional, told.replace("|", "\\|")
        if within is not None:
            yield from _rows(within, f"{above}{name}.")


def _object_in(field: Schema) -> Schema | None:
    """The object that a field holds, where it is described in place."""
    kinds = [each for each in field.get("anyOf", [field]) if "properties" in each]
    return kinds[0] if kinds else None


def _type(field: Schema) -> str:
    """A type in words, with a link to the table of what it holds."""
    if "$ref" in field:
        return _named(field["$ref"].rpartition("/")[2])
    if "const" in field:
        return f"`{json.dumps(field['const'])}`"
    if "enum" in field:
        return " or ".join(f"`{json.dumps(each)}`" for each in field["enum"])
    if "anyOf" in field:
        return " or ".join(map(_type, field["anyOf"]))
    kind = field["type"]
    if kind == "array":
        return f"array of {_type(field['items'])}"
    if kind == "object" and isinstance(field.get("additionalProperties"), dict):
        return f"object, each value {_type(field['additionalProperties'])}"
    return " or ".join([kind] if isinstance(kind, str) else kind)


def _named(name: str) -> str:
    kind = _SCHEMA["$defs"][name]
    return f"[{name}](#{name})" if "properties" in kind else _type(kind)


if __name__ == "__main__":
    replace_marked(PAGE, _SCRIPT, tables())
