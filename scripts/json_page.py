"""Writes the tables of docs/json.md from the JSON schemas of what the commands write.

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


def tables() -> str:
    """A table for each document, and one for each type of object in it."""
    report = _Tables("nnx_migrate.report", "report.schema.json")
    summary = _Tables("nnx_migrate.batch", "summary.schema.json", prefix="summary-")
    return "\n\n".join(
        (
            f"## The report, version {report.version}",
            *report.whole(),
            *report.lines(),
            *report.types(),
            f"## `summary.json` of `batch`, version {summary.version}",
            *summary.whole(),
            *summary.types(),
        )
    )


class _Tables:
    """The tables of one schema.

    Args:
        package: that the schema lies in.
        name: of its file.
        prefix: of the headings of its types, which no other schema has.
    """

    def __init__(self, package: str, name: str, *, prefix: str = "") -> None:
        self._schema: Schema = json.loads((files(package) / name).read_bytes())
        self._types: Mapping[str, Schema] = self._schema["$defs"]
        self._prefix = prefix
        self.version = self._schema["properties"]["schema_version"]["const"]

    def whole(self) -> Iterator[str]:
        """The document itself."""
        yield self._table(self._schema)

    def lines(self) -> Iterator[str]:
        """What each line of jsonl is."""
        yield "## Lines of `jsonl`"
        yield (
            "The field `type` says what a line is. The other fields are those of the report and of"
            " the types below."
        )
        rows = [
            (self._type(each["properties"]["type"]), each["description"])
            for each in self._types["line"]["oneOf"]
        ]
        yield markdown_table(("`type`", "meaning"), rows)

    def types(self) -> Iterator[str]:
        """Each type of object."""
        for name, kind in self._types.items():
            if "properties" in kind:
                yield f"### {self._prefix}{name}"
                yield kind["description"]
                yield self._table(kind)

    def _table(self, kind: Schema) -> str:
        return markdown_table(("field", "type", "meaning"), self._rows(kind, ""))

    def _rows(self, kind: Schema, above: str) -> Iterator[tuple[str, str, str]]:
        for name, field in kind["properties"].items():
            within = _object_in(field)
            told = field.get("description") or (within or {}).get("description", "")
            optional = "" if name in kind["required"] else ", optional"
            yield f"`{above}{name}`", self._type(field) + optional, told.replace("|", "\\|")
            if within is not None:
                yield from self._rows(within, f"{above}{name}.")

    def _type(self, field: Schema) -> str:
        """A type in words, with a link to the table of what it holds."""
        if "$ref" in field:
            name = field["$ref"].rpartition("/")[2]
            kind = self._types[name]
            linked = f"{self._prefix}{name}"
            return f"[{linked}](#{linked})" if "properties" in kind else self._type(kind)
        if "const" in field:
            return f"`{json.dumps(field['const'])}`"
        if "enum" in field:
            return " or ".join(f"`{json.dumps(each)}`" for each in field["enum"])
        if "anyOf" in field:
            return " or ".join(map(self._type, field["anyOf"]))
        kind = field["type"]
        if kind == "array":
            return f"array of {self._type(field['items'])}"
        if kind == "object" and isinstance(field.get("additionalProperties"), dict):
            return f"object, each value {self._type(field['additionalProperties'])}"
        return " or ".join([kind] if isinstance(kind, str) else kind)


def _object_in(field: Schema) -> Schema | None:
    """The object that a field holds, where it is described in place."""
    kinds = [each for each in field.get("anyOf", [field]) if "properties" in each]
    return kinds[0] if kinds else None


if __name__ == "__main__":
    replace_marked(PAGE, _SCRIPT, tables())
