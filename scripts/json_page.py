"""Writes the tables of docs/json.md, and the schemas that are made of typed documents.

python scripts/json_page.py     # docs/json.md and docs/schemas/*.schema.json
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

import msgspec
from marked_text import markdown_table, replace_marked

from nnx_migrate.campaign.document import CampaignDocument
from nnx_migrate.check.output.document import CheckDocument
from nnx_migrate.report.baseline.document import BaselineDocument
from nnx_migrate.report.patches.manifest import ManifestDocument
from nnx_migrate.report.pins.document import PinsDocument

DOCS = Path(__file__).parents[1] / "docs"
PAGE = DOCS / "json.md"
#: The documents with a typed source: name, type, what they are.
DOCUMENTS: tuple[tuple[str, type[msgspec.Struct], str], ...] = (
    ("check", CheckDocument, "`nnx-migrate check --format json`"),
    ("pins", PinsDocument, "`nnx-migrate pins --format json`"),
    ("baseline", BaselineDocument, "A baseline: `--write-baseline FILE`"),
    ("manifest", ManifestDocument, "`manifest.json` of `--patch DIR --patch-by ...`"),
    ("campaign", CampaignDocument, "`report.json` of `nnx-migrate campaign`"),
)
_SCRIPT = "scripts/json_page.py"
_VERSIONS = ("schema_version", "schema")
_UPPER = re.compile(r"(?<=[a-z])(?=[A-Z])")
Schema = Mapping[str, Any]


def tables() -> str:
    """A table for each document, and one for each type of object in it."""
    report = _Tables(_packaged("nnx_migrate.report", "report.schema.json"))
    packaged = _packaged("nnx_migrate.batch", "summary.schema.json")
    summary = _Tables(packaged, prefix="summary-")
    return "\n\n".join(
        (
            f"## The report, version {report.version}",
            *report.whole(),
            *report.lines(),
            *report.types(),
            f"## `summary.json` of `batch`, version {summary.version}",
            *summary.whole(),
            *summary.types(),
            *(part for name, kind, what in DOCUMENTS for part in _typed(name, kind, what)),
        )
    )


def schema_of(name: str, kind: type[msgspec.Struct]) -> Schema:
    """The JSON schema of a document, with the object itself at the top.

    Args:
        name: of the document.
        kind: its type.
    """
    made = _without_names_of_keys(msgspec.json.schema(kind))
    types = dict(made["$defs"])
    top = types.pop(kind.__name__)
    dialect = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    version = next(top["properties"][key] for key in _VERSIONS if key in top["properties"])
    title = f"nnx-migrate {name}, version {version['enum'][0]}"
    return {**dialect, **top, "title": title, "$defs": types}


def _without_names_of_keys(schema: Schema) -> Schema:
    """The same schema with every msgspec: from 0.23 on it says which keys there may be."""
    return {
        key: _without_names_of_keys(value) if isinstance(value, dict) else value
        for key, value in schema.items()
        if key != "propertyNames"
    }


def schemas() -> Iterator[tuple[Path, str]]:
    """The files of all of them, and what is in each."""
    for name, kind, _ in DOCUMENTS:
        text = json.dumps(schema_of(name, kind), indent=2) + "\n"
        yield DOCS / "schemas" / f"{name}.schema.json", text


def _typed(name: str, kind: type[msgspec.Struct], what: str) -> Iterator[str]:
    made = _Tables(schema_of(name, kind), prefix=f"{name}-")
    yield f"## {what}, version {made.version}"
    yield f"Schema: [`{name}.schema.json`](schemas/{name}.schema.json)."
    yield from made.whole()
    yield from made.types()


def _packaged(package: str, name: str) -> Schema:
    found: Schema = json.loads((files(package) / name).read_bytes())
    return found


class _Tables:
    """The tables of one schema.

    Args:
        schema: the whole of it.
        prefix: of the headings of its types, which no other schema has.
    """

    def __init__(self, schema: Schema, *, prefix: str = "") -> None:
        self._schema = schema
        self._types: Mapping[str, Schema] = self._schema["$defs"]
        self._prefix = prefix
        fields = self._schema["properties"]
        version = next(fields[key] for key in _VERSIONS if key in fields)
        self.version = version["const"] if "const" in version else version["enum"][0]

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
                yield f"### {self._heading(name)}"
                yield kind["description"]
                yield self._table(kind)

    def _heading(self, name: str) -> str:
        return f"{self._prefix}{_UPPER.sub('-', name).lower()}"

    def _table(self, kind: Schema) -> str:
        return markdown_table(("field", "type", "meaning"), self._rows(kind, ""))

    def _rows(self, kind: Schema, above: str) -> Iterator[tuple[str, str, str]]:
        for name, field in kind["properties"].items():
            within = _object_in(field)
            told = field.get("description") or (within or {}).get("description", "")
            if not told and "$ref" in field:
                told = self._types[field["$ref"].rpartition("/")[2]].get("description", "")
            optional = "" if name in kind["required"] else ", optional"
            yield f"`{above}{name}`", self._type(field) + optional, told.replace("|", "\\|")
            if within is not None:
                yield from self._rows(within, f"{above}{name}.")

    def _type(self, field: Schema) -> str:
        """A type in words, with a link to the table of what it holds."""
        if "$ref" in field:
            name = field["$ref"].rpartition("/")[2]
            kind = self._types[name]
            linked = self._heading(name)
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
    for file, text in schemas():
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8")
    replace_marked(PAGE, _SCRIPT, tables())
