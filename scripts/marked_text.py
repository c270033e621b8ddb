"""Pages of which a script writes one part, between two comments that no reader sees."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path


def replace_marked(page: Path, script: str, text: str) -> None:
    """Put text between the page's begin and end comments of a script.

    Args:
        script: the name in the comments, ``<!-- written by NAME: begin -->``.

    Raises:
        ValueError: the page has not exactly one such pair.
    """
    begin, end = (f"<!-- written by {script}: {side} -->" for side in ("begin", "end"))
    content = page.read_text(encoding="utf-8")
    before, found_begin, rest = content.partition(begin)
    _, found_end, after = rest.partition(end)
    if not (found_begin and found_end) or begin in after or end in after:
        raise ValueError(f"{page}: needs one {begin} and, after it, one {end}")
    page.write_text(f"{before}{begin}\n{text.strip()}\n{end}{after}", encoding="utf-8")


def markdown_table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a Markdown table; columns whose header starts with ``#`` are aligned right."""
    lines = ["| " + " | ".join(name.removeprefix("#") for name in header) + " |"]
    lines.append("|" + "|".join("--:" if name.startswith("#") else "---" for name in header) + "|")
    lines += ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]
    return "\n".join(lines)
