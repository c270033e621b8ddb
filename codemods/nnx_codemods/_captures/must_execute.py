"""Whether code runs whenever the function that it stands in does."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterable, Iterator

from nnx_migrate.analysis.effects.captured.steps import Use
from nnx_migrate.analysis.sites.tree import AnyFunction, FunctionNode
from nnx_migrate.core.place import Place
from nnx_migrate.rewrite.model.context import FileContext

_DECIDING = (
    ast.If
    | ast.For
    | ast.AsyncFor
    | ast.While
    | ast.Try
    | ast.Match
    | ast.IfExp
    | ast.BoolOp
    | ast.ListComp
    | ast.SetComp
    | ast.DictComp
    | ast.GeneratorExp
)


def is_certain(context: FileContext, use: Use) -> bool:
    """Whether nothing decides if a use happens, as far as all of the way there is to be seen."""
    if not (use.certain and use.expected):
        return False  # a layer may be told not to, or another class of the object does not
    return all(map(functools.partial(_is_run, context), (*use.via, use.where)))


def _is_run(context: FileContext, place: Place) -> bool:
    """Whether the line of a file always runs when the function does that it stands in."""
    own = place.module == context.tree.module
    there = context if own else context.at(place.module)
    return there is not None and _always_runs(there, place.line)


def is_expected_to_raise(context: FileContext, nodes: Iterable[ast.AST]) -> bool:
    """Whether code stands ready for an exception around one of these nodes, or in it.

    What raises today is then what the program is about, or it goes on in another way.
    """
    for node in nodes:
        for each in (*ast.walk(node), *context.tree.ancestors(node)):
            if isinstance(each, ast.Try | ast.TryStar) and each.handlers:
                return True
            if isinstance(each, ast.With | ast.AsyncWith) and any(map(_raises, each.items)):
                return True
    return False


def _raises(item: ast.withitem) -> bool:
    """Whether it is `pytest.raises(...)`, `self.assertRaisesRegex(...)`, `suppress(...)`."""
    call = item.context_expr
    func = call.func if isinstance(call, ast.Call) else call
    name = func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")
    return "raises" in name.lower() or name == "suppress"


def _always_runs(context: FileContext, line: int) -> bool:
    found = [
        node
        for node in context.tree.nodes
        if isinstance(node, ast.Call | ast.Assign | ast.AugAssign | ast.AnnAssign)
        and node.lineno == line
    ]
    return bool(found) and all(_is_unconditional(context, node) for node in found)


def _is_unconditional(context: FileContext, node: ast.expr | ast.stmt) -> bool:
    for parent in context.tree.ancestors(node):
        if isinstance(parent, AnyFunction):
            return not any(other.lineno < node.lineno for other in _ways_out(parent))
        if isinstance(parent, _DECIDING):
            return False
    return True


def _ways_out(function: AnyFunction) -> Iterator[ast.stmt]:
    """Statements that may leave the function early."""
    body = function.body if isinstance(function, FunctionNode) else []
    for statement in body:
        if isinstance(statement, _DECIDING):
            for node in ast.walk(statement):
                if isinstance(node, ast.Return | ast.Raise):
                    yield node
