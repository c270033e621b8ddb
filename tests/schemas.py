"""The JSON schemas in docs/schemas, by which tests judge what the commands really write."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any

import jsonschema

SCHEMAS = Path(__file__).parents[1] / "docs" / "schemas"


@functools.cache
def _validator(name: str) -> jsonschema.Draft202012Validator:
    schema = json.loads((SCHEMAS / f"{name}.schema.json").read_bytes())
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def require_valid(name: str, document: Any) -> None:
    """Raise where a document is not what its schema says.

    Args:
        name: of the schema, without its ending.
        document: as JSON has it.
    """
    _validator(name).validate(document)
