"""The diff that a person reads: that of a notebook cell by cell, without the JSON around.

`git apply` takes the other one (`report.patch`), which is of the files as they are stored.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from nnx_migrate.core.findings import FileResult
from nnx_migrate.report.patches.patch import patched_name, render_change, render_file
from nnx_migrate.sources.documents.kinds import NOTEBOOKS


def render_readable(results: Iterable[FileResult], root: Path) -> bytes:
    """Return the diff of every result whose bytes change.

    Args:
        results: files with their bytes before and after.
        root: absolute folder that the names are relative to.
    """
    return b"".join(b"".join(_file(result, root)) for result in results)


def _file(result: FileResult, root: Path) -> Iterator[bytes]:
    if result.path.suffix.lower() not in NOTEBOOKS or result.before == result.after:
        yield render_file(result, root)
        return
    from nnx_migrate.sources.documents.notebook import read_cells

    name = patched_name(result.path, root)
    old, new = (read_cells(result.path, data) for data in (result.before, result.after))
    for number, text in old.items():
        if text != new[number]:
            yield render_change(f"{name} cell {number}", _ended(text), _ended(new[number]))


def _ended(text: str) -> bytes:
    """The last line of a cell has no end, which is nothing to tell of each cell."""
    return f"{text}\n".encode("utf-8", "backslashreplace")
