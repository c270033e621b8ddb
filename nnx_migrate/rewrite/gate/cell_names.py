"""Names that new code would bind in a cell of a marimo notebook.

Marimo runs each cell by itself, in one namespace: a name that two cells bind is an error, and code
outside of the cells (an import at the top) is not seen by them. Names that begin with an underscore
belong to their cell.
"""

from __future__ import annotations

import ast
import symtable
from collections import Counter


def new_in_cells(before: str, after: str) -> list[str]:
    """The names that cells share, and that more of them bind than before.

    Args:
        before: the text of a notebook.
        after: the same with the edits of one site.

    Raises:
        SyntaxError, ValueError, RecursionError, MemoryError: from Python's parser.
    """
    return sorted(_shared(after) - _shared(before))


def _shared(text: str) -> Counter[str]:
    cells = {
        node.lineno
        for node in ast.parse(text).body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and any(map(_is_cell, node.decorator_list))
    }
    module = symtable.symtable(text, "<notebook>", "exec")
    bodies = [each for each in module.get_children() if each.get_lineno() in cells]
    return Counter(
        symbol.get_name()
        for table in (module, *bodies)
        for symbol in table.get_symbols()
        if (symbol.is_assigned() or symbol.is_imported())
        and not symbol.is_parameter()
        and not symbol.get_name().startswith("_")
    )


def _is_cell(decorator: ast.expr) -> bool:
    func = decorator.func if isinstance(decorator, ast.Call) else decorator
    return isinstance(func, ast.Attribute) and func.attr == "cell"
