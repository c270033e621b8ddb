"""A call that is made before the statement that it is a part of: it has to be first in it."""

from __future__ import annotations

import ast

from nnx_codemods._sown.refusal import NotCaptured, SownCause
from nnx_migrate.analysis.domain.values import LibraryValue
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.style.evaluation_order import evaluated_before
from nnx_migrate.rewrite.style.layout import why_unhoistable

_SIMPLE = ast.Assign | ast.AnnAssign | ast.AugAssign | ast.Expr | ast.Return


def check_first(context: FileContext, use: ast.Call) -> None:
    """Nothing that its statement does before a call depends on it, or it on that.

    Raises:
        NotCaptured: something may.
    """
    statement = context.tree.statement(use)
    if not isinstance(statement, _SIMPLE):
        raise NotCaptured(SownCause.IN_HEAD.about(line=use.lineno))
    why = why_unhoistable(context, use)
    if why is not None:
        raise NotCaptured(SownCause.TOLD_AT.about(told=why.told(), line=use.lineno))
    for earlier in evaluated_before(context, use):
        values = context.values(earlier.func) if isinstance(earlier, ast.Call) else frozenset()
        library = bool(values) and all(isinstance(value, LibraryValue) for value in values)
        if use not in context.tree.ancestors(earlier) and not library:
            raise NotCaptured(SownCause.RUNS_BEFORE.about(line=use.lineno))
    around = set(context.tree.ancestors(use))
    start = context.text.span(use)[0]
    for node in ast.walk(statement):
        if not isinstance(node, ast.Attribute | ast.Subscript) or node in around:
            continue
        if use in context.tree.ancestors(node) or context.text.span(node)[0] >= start:
            continue
        called = context.tree.parents[node]
        looked_up = isinstance(called, ast.Call) and called.func is node
        if not looked_up and isinstance(node.ctx, ast.Load):
            raise NotCaptured(SownCause.READ_BEFORE.about(line=use.lineno))
