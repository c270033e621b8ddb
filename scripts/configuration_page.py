"""Writes the tables of docs/configuration.md, and the JSON schema of nnx-migrate.toml.

python scripts/configuration_page.py            # writes both
"""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
from marked_text import markdown_table, replace_marked
from msgspec import inspect

from nnx_migrate.sources.settings.reading import expected
from nnx_migrate.sources.settings.tables import (
    CheckTable,
    Decisions,
    Override,
    OwnTransformTable,
    Settings,
)

DOCS = Path(__file__).parents[1] / "docs"
PAGE = DOCS / "configuration.md"
SCHEMA = DOCS / "nnx-migrate.schema.json"
_SCRIPT = "scripts/configuration_page.py"
_TABLES = ("overrides", "transforms", "check")


def schema() -> str:
    """The JSON schema of nnx-migrate.toml; a table [tool.nnx-migrate] holds the same."""
    made = msgspec.json.schema(Settings)
    dialect = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    return json.dumps({**dialect, **made}, indent=2) + "\n"


def keys() -> str:
    """The keys of every table, with what each takes."""
    own = [name for name in _names(Settings) if name not in _names(Decisions)]
    sections: list[tuple[str, str, type[msgspec.Struct], list[str]]] = [
        ("Everywhere", "These also stand in an override.", Decisions, _names(Decisions)),
        ("For the whole project", "", Settings, [name for name in own if name not in _TABLES]),
        ("`overrides`", "", Override, ["paths"]),
        ("`transforms`", "", OwnTransformTable, _names(OwnTransformTable)),
        ("`check`", "", CheckTable, _names(CheckTable)),
    ]
    return "\n\n".join(
        "\n\n".join(filter(None, (f"### {title}", text, _table(kind, names))))
        for title, text, kind, names in sections
    )


def _names(kind: type[msgspec.Struct]) -> list[str]:
    return [field.encode_name for field in msgspec.structs.fields(kind)]


def _table(kind: type[msgspec.Struct], names: list[str]) -> str:
    info = inspect.type_info(kind)
    assert isinstance(info, inspect.StructType)
    rows = []
    for field in sorted(info.fields, key=lambda each: _names(kind).index(each.encode_name)):
        if field.encode_name in names:
            assert isinstance(field.type, inspect.Metadata)
            told = (field.type.extra_json_schema or {})["description"]
            takes = expected(field.type) + (", required" if field.required else "")
            rows.append((f"`{field.encode_name}`", takes, told))
    return markdown_table(("key", "takes", "meaning"), rows)


if __name__ == "__main__":
    replace_marked(PAGE, _SCRIPT, keys())
    SCHEMA.write_text(schema(), encoding="utf-8")
