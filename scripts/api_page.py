"""Writes the tables of docs/python-api.md from the types themselves.

python scripts/api_page.py
"""

from __future__ import annotations

import inspect
import re
from pathlib import Path

from marked_text import markdown_table, replace_marked

import nnx_migrate
from nnx_migrate.api.choices import Choices

PAGE = Path(__file__).parents[1] / "docs" / "python-api.md"
_CHOICES, _RESULTS = "scripts/api_page.py", "scripts/api_page.py (results)"
_TYPES = ("FileResult", "Finding", "Evidence", "SourceEdit", "RunResult", "Totals")
_ENTRY = re.compile(r"^    (\w+): ((?:.|\n        )+)", re.MULTILINE)


def choices() -> str:
    """The keywords of both functions."""
    return _table(Choices)


def results() -> str:
    """The fields of what they return."""
    return "\n\n".join(f"### `{name}`\n\n{_table(getattr(nnx_migrate, name))}" for name in _TYPES)


def _table(kind: type) -> str:
    """The fields of a type that its docstring tells of, each with its annotation."""
    told = {
        name: " ".join(text.split()) for name, text in _ENTRY.findall(inspect.getdoc(kind) or "")
    }
    rows = [
        (f"`{name}`", f"`{_spelled(annotation)}`".replace("|", "\\|"), _sentence(told[name]))
        for name, annotation in inspect.get_annotations(kind).items()
    ]
    return markdown_table(("name", "type", "meaning"), rows)


def _spelled(annotation: object) -> str:
    return getattr(annotation, "__forward_arg__", None) or str(annotation)


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}".replace("|", "\\|")


if __name__ == "__main__":
    replace_marked(PAGE, _CHOICES, choices())
    replace_marked(PAGE, _RESULTS, results())
