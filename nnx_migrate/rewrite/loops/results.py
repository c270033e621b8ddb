"""Results that a statement uses as a whole are bound in parts in front of it.

    return jnp.sum(*nnx.scan(body)(carry, xs))

becomes

    (last, _), outputs = nnx.scan(body)((carry, model), xs)
    return jnp.sum(*(last, outputs))
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from nnx_migrate.analysis.ir.parse import parse
from nnx_migrate.core.refusal import Refusal
from nnx_migrate.rewrite.model.causes import LoopCause
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import CannotEmit
from nnx_migrate.rewrite.style.layout import moved_left, why_unhoistable
from nnx_migrate.rewrite.text.edits import Edit

_SIMPLE = ast.Return | ast.Assign | ast.AnnAssign | ast.AugAssign | ast.Expr
#: What may come first all the same: it reads nothing that the call may change.
_STILL = (
    ast.Name
    | ast.Constant
    | ast.Tuple
    | ast.List
    | ast.Starred
    | ast.keyword
    | ast.expr_context
    | ast.operator
    | ast.unaryop
    | ast.cmpop
    | ast.Lambda
)


def bound_in_front(
    context: FileContext,
    use: ast.Call,
    uses: Sequence[ast.Call],
    targets: Sequence[str],
    names: Sequence[str],
) -> list[Edit]:
    """Bind the results of a call in front of its statement, which is given them by name.

    Args:
        use: the call.
        uses: it and the others that change in the same way.
        targets: what the results are bound to.
        names: what the call stood for, of these.

    Raises:
        CannotEmit: the call cannot be made before all that its statement does.
    """
    statement = context.tree.statement(use)
    why = why_unhoistable(context, use)
    if reason := why.told() if why is not None else _not_first(context, statement, use):
        raise CannotEmit(LoopCause.RESULTS_NOT_UNPACKED.about(reason=reason))
    if any(other is not use and context.tree.statement(other) is statement for other in uses):
        raise CannotEmit(LoopCause.TWO_CALLS)
    if not _stands_alone(context.text.of(use)):
        raise CannotEmit(LoopCause.ON_SEVERAL_LINES)
    start, end = context.text.span(statement)
    first, last = context.text.span(use)
    line = context.text.line_of(start)
    indent = context.text.indent_of_line(line)
    alone = context.text.line_start(line) + len(indent) == start
    between = f"{context.newline}{indent}" if alone else "; "
    opening, closing = context.text.text[start:first], context.text.text[last:end]
    whole = context.tree.parents[use] is statement and not closing.strip() and "(" not in opening
    result = ", ".join(names) if whole else f"({', '.join(names)})"
    return [
        Edit(start, first, f"{', '.join(targets)} = "),
        *moved_left(context, use.lineno, use.end_lineno or use.lineno, indent),
        Edit(last, end, f"{between}{opening}{result}{closing}"),
    ]


def _stands_alone(text: str) -> bool:
    try:
        return len(parse(f"_ = {text}\n").body) == 1
    except SyntaxError:
        return False


def _not_first(context: FileContext, statement: ast.stmt, use: ast.Call) -> Refusal | None:
    """Why the statement does something before the call that may not come after it."""
    if not isinstance(statement, _SIMPLE):
        return LoopCause.NO_PLACE_IN_FRONT.about()
    if isinstance(statement, ast.AugAssign) and not isinstance(statement.target, ast.Name):
        return LoopCause.TARGET_READ_BEFORE.about()
    if any(isinstance(node, ast.NamedExpr) for node in ast.walk(use)):
        return LoopCause.NAME_BOUND_IN_CALL.about()
    for node in _before(context, statement, use):
        if isinstance(node, ast.Attribute):
            mentions = context.evaluator.callers.mentions
            if context.tree.dotted(node) is None and mentions.is_property(node.attr):
                return LoopCause.PROPERTY_READ_BEFORE.about(name=node.attr)
        elif not isinstance(node, _STILL):
            return LoopCause.PARTS_COMPUTED_BEFORE.about()
    return None


def _before(context: FileContext, statement: ast.stmt, use: ast.Call) -> Iterator[ast.AST]:
    """What is evaluated before the call, or what it is a part of, begins to be."""
    around = {use, *context.tree.ancestors(use)}
    first = context.text.span(use)[0]
    stack: list[ast.AST] = [getattr(statement, "value", None) or statement]
    while stack:
        node = stack.pop()
        if node not in around:
            if isinstance(node, ast.expr | ast.keyword) and context.text.span(node)[0] > first:
                continue
            yield node
        elif isinstance(node, ast.NamedExpr | ast.Await | ast.Yield | ast.YieldFrom):
            yield node
        if node is not use and not isinstance(node, ast.Lambda):
            stack += ast.iter_child_nodes(node)
