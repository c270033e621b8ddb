"""Several reads become one State: whether the code may change it between them."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Sequence

from nnx_codemods._sown.pops.branches import are_exclusive
from nnx_codemods._sown.pops.forward_calls import NotCaptured
from nnx_migrate.analysis.domain.values import LibraryValue
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.sown_plans import Read

_REPEATING = (
    ast.For
    | ast.AsyncFor
    | ast.While
    | ast.ListComp
    | ast.SetComp
    | ast.DictComp
    | ast.GeneratorExp
)


def check_apart(
    context: FileContext, reads: Sequence[Read], block: Sequence[ast.stmt], names: frozenset[str]
) -> None:
    """Each read of a State gave one of its own: what is done to one, no other may see.

    Raises:
        NotCaptured: one may.
    """
    places = [context.text.span(read.node) for read in reads]
    for read, place in zip(reads, places, strict=True):
        if read.path or not _is_kept(context, read.node, names):
            continue
        inside = [read.node, *context.tree.ancestors(read.node)]
        within = itertools.takewhile(lambda node: node not in block, inside)
        beside = next((each for each in inside if each in block), None)
        repeats = any(isinstance(node, _REPEATING) for node in (*within, beside))
        beside_it = [
            other
            for each, other in zip(reads, places, strict=True)
            if not are_exclusive(context, read.node, each.node)
        ]
        if repeats or place != max(beside_it):
            raise NotCaptured(f"the State of line {read.node.lineno} may change between the reads")


def _is_kept(context: FileContext, state: ast.expr, names: frozenset[str]) -> bool:
    """Whether more may be done to a State than to print it, or to look a sown value up in it."""
    parent = context.tree.parents[state]
    match parent:
        case ast.Expr():
            return False
        case ast.Subscript(slice=ast.Constant(value=key), ctx=ast.Load()):
            return key not in names and _is_kept(context, parent, names)
        case ast.Call(func=func) if func is not state:
            printed = isinstance(func, ast.Name) and func.id == "print"
            values = context.values(func)
            return not (
                printed or (bool(values) and all(isinstance(v, LibraryValue) for v in values))
            )
        case _:
            return True
