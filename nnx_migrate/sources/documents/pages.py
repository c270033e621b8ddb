"""Pages of documentation: Markdown, MyST and reStructuredText with Python in it."""

from __future__ import annotations

import re
from pathlib import Path

from nnx_migrate.sources.documents.chunks import split_lines
from nnx_migrate.sources.documents.document import Document
from nnx_migrate.sources.documents.markdown import scan_markdown
from nnx_migrate.sources.documents.mentions import free_mark, mentions_nnx
from nnx_migrate.sources.documents.page_blocks import PageReader
from nnx_migrate.sources.documents.rst import scan_rst
from nnx_migrate.sources.text import UndecodableSource

#: What a page takes for granted when it never says it.
_GRANTED = {
    "nnx": "from flax import nnx",
    "jax": "import jax",
    "jnp": "import jax.numpy as jnp",
}


def read_page(path: Path, data: bytes) -> Document:
    """Read a page.

    Args:
        path: its name tells Markdown from reStructuredText; it is not opened.
        data: its bytes.

    Raises:
        UndecodableSource: it is not UTF-8.
    """
    try:
        raw = data.decode("utf-8")
    except UnicodeDecodeError:
        raise UndecodableSource("it is not UTF-8") from None
    lines = split_lines(raw)
    reader = PageReader(lines, free_mark(raw))
    scan = scan_rst if path.suffix.lower() == ".rst" else scan_markdown
    blocks = tuple(reader.blocks(scan(lines)))
    code = [line for block in blocks for line in block.code]
    if not mentions_nnx(code):
        blocks = ()
    return Document(path, data, raw, granted("\n".join(code)), blocks, tuple(reader.unread))


def granted(code: str) -> str:
    """Imports that code does without, as one line."""
    return "; ".join(
        line
        for name, line in _GRANTED.items()
        if not re.search(rf"^\s*(?:from|import)\b.*\b{name}\b|^\s*{name}\s*=", code, re.MULTILINE)
    )
