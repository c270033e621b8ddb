"""Doctests in the docstrings of a Python file; each docstring is a document of its own.

`doctest` runs the examples of a docstring by themselves, with the names of the module around.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from nnx_migrate.sources.bound_names import bound_names
from nnx_migrate.sources.documents.chunks import split_lines
from nnx_migrate.sources.documents.document import Document
from nnx_migrate.sources.documents.mentions import free_mark, mentions_nnx
from nnx_migrate.sources.documents.page_blocks import PageReader
from nnx_migrate.sources.documents.rst import scan_rst
from nnx_migrate.sources.python_text import parse
from nnx_migrate.sources.text import Source

_QUOTES = re.compile(r"(?P<kind>[rRuU]?)(?P<quotes>\"\"\"|'''|\"|')")
_Holder = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def read_docstrings(source: Source, root: ast.Module, module: str) -> Iterator[Document]:
    """Yield the docstrings with examples that say nnx, in the order of the file.

    Args:
        source: the file.
        root: its syntax tree.
        module: its dotted name.
    """
    if ">>>" not in source.text:
        return
    lines = split_lines(source.text)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    bound = _bound(root.body)
    for docstring in _docstrings(root):
        # What stands on the line of the quotes is never an example.
        first, stop = docstring.lineno, docstring.end_lineno or 0
        own = lines[first:stop]
        if not any(">>>" in line for line in own):
            continue
        opening = lines[first - 1].encode()[docstring.col_offset :].decode()
        quotes = _QUOTES.match(opening)
        if quotes is None:
            continue
        literal = "" if quotes["kind"] in ("r", "R") else quotes["quotes"]
        mark = free_mark(source.text)
        reader = PageReader(own, mark, first, starts[first], literal)
        blocks = tuple(reader.blocks(scan_rst(own)))
        code = "\n".join(line for block in blocks for line in block.code)
        if not mentions_nnx([code]):
            blocks = ()
        if blocks or any(each.mentions_nnx for each in reader.unread):
            prelude = _prelude(code, bound, module)
            yield Document(
                source.path, source.data, source.text, prelude, blocks, tuple(reader.unread)
            )


def _docstrings(root: ast.Module) -> Iterator[ast.Constant]:
    for node in ast.walk(root):
        if isinstance(node, _Holder) and node.body:
            match node.body[0]:
                case ast.Expr(value=ast.Constant(value=str()) as constant):
                    yield constant


def _prelude(code: str, bound: set[str], module: str) -> str:
    """What the examples find in the module, and nnx where nobody imports it."""
    tree = parse(code)
    own = _bound(tree.body)
    read = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} - own
    parts = []
    importable = all(part.isidentifier() for part in module.split("."))
    if importable and (names := sorted(read & bound)):
        parts.append(f"from {module} import {', '.join(names)}")
    if "nnx" in read - bound:
        parts.append("from flax import nnx")
    return "; ".join(parts)


def _bound(body: list[ast.stmt]) -> set[str]:
    """Names that the statements of a module bind, at any depth but in functions and classes."""
    names: set[str] = set()
    pending: list[ast.AST] = list(body)
    while pending:
        node = pending.pop()
        names |= {*bound_names(node)}
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            pending.extend(ast.iter_child_nodes(node))
    return names
