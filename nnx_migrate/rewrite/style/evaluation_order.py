"""Whether an argument may be split in front of the statement that its call stands in.

The split is then done before all that the statement evaluates up to the call. That is the same only
if nothing of this binds the argument anew or changes its structure, and if the argument does not
itself do things that must come after others.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from nnx_migrate.analysis.library.effect_model import harmless_library_call
from nnx_migrate.rewrite.model.causes import LayoutCause
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import CannotEmit


def check_order(context: FileContext, use: ast.Call, arguments: Sequence[ast.expr]) -> None:
    """See that `arguments` of `use` mean the same before the statement of `use`.

    Raises:
        CannotEmit: something that the statement evaluates before the call may change them.
    """
    earlier = [
        node
        for node in evaluated_before(context, use)
        if not any(_within(context, node, argument) for argument in arguments)
    ]
    for argument in arguments:
        names = {node.id for node in ast.walk(argument) if isinstance(node, ast.Name)}
        acts = any(isinstance(node, ast.Call) for node in ast.walk(argument))
        text = context.text.of(argument)
        start = context.text.span(argument)[0]
        for node in earlier:
            if isinstance(node, ast.NamedExpr):
                if node.target.id in names:
                    raise CannotEmit(LayoutCause.BOUND_IN_STATEMENT.about(name=node.target.id))
            elif acts and context.text.span(node)[0] < start:
                raise CannotEmit(LayoutCause.CALL_FOLLOWS_ANOTHER)
            elif _is_given(context, node, text):
                raise CannotEmit(LayoutCause.GIVEN_TO_ANOTHER.about(text=text))


def evaluated_before(context: FileContext, use: ast.Call) -> Iterator[ast.Call | ast.NamedExpr]:
    """Calls and bindings of the statement that come before the call, its own arguments included."""
    around = set(context.tree.ancestors(use))
    statement = context.tree.statement(use)
    end = context.text.span(use)[1]
    stack: list[ast.AST] = [statement]
    while stack:
        node = stack.pop()
        if node is use.func or isinstance(node, ast.Lambda):
            continue
        if isinstance(node, ast.stmt) and node is not statement:
            continue
        if isinstance(node, ast.Call | ast.NamedExpr) and node not in {use, *around}:
            yield from (node,) if context.text.span(node)[0] < end else ()
        stack += ast.iter_child_nodes(node)


def _within(context: FileContext, node: ast.AST, other: ast.AST) -> bool:
    return node is other or other in context.tree.ancestors(node)


def _is_given(context: FileContext, call: ast.Call, text: str) -> bool:
    """Whether a call gets the object that `text` names, as an argument or as its receiver."""
    dotted = context.tree.dotted(call.func)
    if dotted is not None and harmless_library_call(dotted):
        return False
    given = [*call.args, *(keyword.value for keyword in call.keywords), call.func]
    return any(
        context.text.of(part) == text
        for expression in given
        for part in ast.walk(expression)
        if isinstance(part, ast.Name | ast.Attribute | ast.Subscript)
    )
