"""How long a line may be where a file stands, by what its formatter is told."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, MutableMapping
from pathlib import Path
from typing import Any

#: Where no formatter is told anything.
LINE_WIDTH = 100
#: What Black, Ruff and Pyink take where they are configured, and not told otherwise.
_USUAL = 88
#: The tables of a pyproject.toml, each with its key.
_TABLES = (
    ("ruff", "line-length"),
    ("black", "line-length"),
    ("pyink", "line-length"),
    ("yapf", "column_limit"),
)
#: No terminal or page is as narrow or as wide: such a number means something else.
_SENSIBLE = range(40, 400)


def formatter_width(folder: Path, known: MutableMapping[Path, int]) -> int:
    """The width of lines in a folder, by the nearest configuration of a formatter upward from it.

    A file that cannot be read, or does not say a number, says nothing.

    Args:
        folder: an absolute path.
        known: what was found of folders, which is added to.
    """
    climbed: list[Path] = []
    found = LINE_WIDTH
    for each in (folder, *folder.parents):
        if each in known:
            found = known[each]
            break
        climbed.append(each)
        said = list(_said_in(each))
        if said:
            found = next((width for width in said if width is not None), _USUAL)
            break
    known.update(dict.fromkeys(climbed, found))
    return found


def _said_in(folder: Path) -> Iterator[int | None]:
    """The width that each formatter is told in a folder; None of one that is told no width."""
    for name in (".ruff.toml", "ruff.toml"):
        table = _read(folder / name)
        if table is not None:
            yield _width(table, "line-length")
    tools = (_read(folder / "pyproject.toml") or {}).get("tool")
    if not isinstance(tools, Mapping):
        return
    for tool, key in _TABLES:
        table = tools.get(tool)
        if isinstance(table, Mapping):
            yield _width(table, key)


def _read(path: Path) -> Mapping[str, Any] | None:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError):
        return None


def _width(table: Mapping[str, Any], key: str) -> int | None:
    said = table.get(key)
    return said if isinstance(said, int) and said in _SENSIBLE else None
