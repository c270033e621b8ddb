"""Notebooks as a check sees them: each has a twin beside it, a module of the code of its cells.

Functions of cells are recorded while IPython runs them, and called again in the twin.
"""

from __future__ import annotations

import contextlib
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path

from nnx_migrate.check.recording.compiling import TWIN, cell_digest
from nnx_migrate.sources.documents.document import Document
from nnx_migrate.sources.documents.notebook import read_cells, read_notebook
from nnx_migrate.sources.text import UndecodableSource

NOTEBOOK = ".ipynb"
#: In place of the first line, which is empty: what there is in a notebook, and not in a module.
_SHELL = (
    "__ipython__ = __shell__ = get_ipython = lambda *given: None; "
    "display = lambda *given, **more: None; "
    "__import__('os').environ.setdefault('MPLBACKEND', 'Agg')"
)


def twin(notebook: str) -> str:
    """The name of the module of a notebook.

    Args:
        notebook: its name, relative to the tree.
    """
    return notebook.removesuffix(NOTEBOOK) + TWIN


def source_of(path: str) -> str:
    """The file of the user that a file of a check stands for: a notebook, or itself.

    Args:
        path: its name, relative to the tree.
    """
    return path.removesuffix(TWIN) + NOTEBOOK if path.endswith(TWIN) else path


def document_of(notebook: Path) -> Document | None:
    """A notebook that can have a twin; None where it cannot be read, or another file is there.

    Args:
        notebook: the file.
    """
    if Path(twin(str(notebook))).exists():
        return None
    with contextlib.suppress(OSError, UndecodableSource):
        return read_notebook(notebook, notebook.read_bytes())
    return None


def write_twin(notebook: Path) -> None:
    """Writes the module of a notebook beside it.

    Args:
        notebook: the file, which `document_of` can read.
    """
    document = document_of(notebook)
    if document is not None:
        text = document.source.text.removeprefix(document.prelude)
        Path(twin(str(notebook))).write_text(_SHELL + text, encoding="utf-8")


def cells_of_twins(root: Path, paths: Iterable[str]) -> dict[str, str]:
    """The twin of each cell, by what the cell is known by.

    Args:
        root: a tree.
        paths: files in it that are watched.
    """
    return cells_of({root / source_of(path): path for path in paths if path.endswith(TWIN)})


def cells_of(notebooks: Mapping[Path, str]) -> dict[str, str]:
    """The notebook of each cell that only one of them has, by what the cell is known by.

    Args:
        notebooks: what to call each file.
    """
    found: dict[str, set[str]] = defaultdict(set)
    for path, name in notebooks.items():
        with contextlib.suppress(OSError, UndecodableSource):
            for code in read_cells(path, path.read_bytes()).values():
                found[cell_digest(code)].add(name)
    return {cell: min(names) for cell, names in found.items() if len(names) == 1}
