"""Turns a notebook or a MyST guide into a script that runs without a browser.

The cells are taken in order and nothing in them is edited, with one exception: lines that are
IPython magics (``%matplotlib inline``, ``!pip install``) are no Python and become ``pass``. Plots
go to a non-interactive backend by environment (MPLBACKEND), not by editing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

_FENCE_OPEN = re.compile(r"^(?P<fence>`{3,})\{code-cell\}")
_CELL_OPTION = re.compile(r"^:[\w-]+:")
_MAGIC = re.compile(r"^(?P<indent>\s*)[%!](?=[%\w\s])")


def notebook_cells(text: str) -> Iterator[str]:
    """The code cells of a notebook, in order.

    Raises:
        json.JSONDecodeError: the text is not JSON.
    """
    for cell in json.loads(text)["cells"]:
        if cell["cell_type"] == "code":
            source = cell["source"]
            yield source if isinstance(source, str) else "".join(source)


def myst_cells(text: str) -> Iterator[str]:
    """The ``{code-cell}`` blocks of a MyST Markdown page, in order, without their options."""
    fence = ""
    cell: list[str] = []
    for line in text.splitlines():
        opening = _FENCE_OPEN.match(line)
        if not fence and opening:
            fence, cell = opening["fence"], []
        elif fence and line.rstrip() == fence:
            yield "\n".join(cell)
            fence = ""
        elif fence and (cell or not _CELL_OPTION.match(line)):
            cell.append(line)


def script_of(document: Path, without_last: int = 0) -> str:
    """The document's code as one script.

    Args:
        document: a ``.ipynb``, ``.md`` or ``.py`` file; a script is returned as it is.
        without_last: how many cells at the end are left away.

    Raises:
        ValueError: the document is of another kind, or holds no code cell.
    """
    text = document.read_text(encoding="utf-8")
    if document.suffix == ".py":
        return text
    readers = {".ipynb": notebook_cells, ".md": myst_cells}
    if document.suffix not in readers:
        raise ValueError(f"{document}: neither a notebook, a MyST page nor a script")
    cells = [_without_magics(cell) for cell in readers[document.suffix](text)]
    cells = cells[: len(cells) - without_last]
    if not cells:
        raise ValueError(f"{document}: no code cell in it")
    return "\n\n".join(cell.strip("\n") for cell in cells) + "\n"


def _without_magics(cell: str) -> str:
    if cell.startswith("%%"):
        return "\n".join("# " + line for line in cell.splitlines())
    return "\n".join(
        _MAGIC.sub(lambda match: match["indent"] + "pass  # " + match[0].strip(), line)
        for line in cell.splitlines()
    )
