"""Which files are documents, and the reader of each kind."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from nnx_migrate.sources.text import Source, decode

if TYPE_CHECKING:
    from nnx_migrate.sources.documents.document import Document

NOTEBOOKS = (".ipynb",)
PAGES = (".md", ".markdown", ".rst")
_PYTHON = (".py", ".pyi", ".pyw")
_PYTHON_PROGRAM = re.compile(rb"#!.*\bpython")


def is_document(path: Path) -> bool:
    """Whether a file holds Python among other things."""
    return path.suffix.lower() in (*NOTEBOOKS, *PAGES)


def may_hold_python(path: Path, data: bytes) -> bool:
    """Whether a file that was named can be taken for code: by its name, or by its first line.

    A name without an ending says nothing, so such a file is taken, too.

    Args:
        path: the file.
        data: its bytes.
    """
    known = path.suffix.lower() in ("", *_PYTHON) or is_document(path)
    return known or _PYTHON_PROGRAM.match(data) is not None


def read_document(path: Path, data: bytes) -> Document:
    """Read a notebook or a page.

    Args:
        path: its name tells the kind.
        data: its bytes.

    Raises:
        UndecodableSource: it is not what its name says.
    """
    if path.suffix.lower() in NOTEBOOKS:
        from nnx_migrate.sources.documents.notebook import read_notebook

        return read_notebook(path, data)
    from nnx_migrate.sources.documents.pages import read_page

    return read_page(path, data)


def read_source(path: Path, data: bytes) -> Source:
    """The Python of a file, or the virtual module of a document.

    Raises:
        UndecodableSource: it cannot be read.
    """
    return read_document(path, data).source if is_document(path) else decode(path, data)
