"""Exceptions between a call that sows and its pop: who goes on after one finds what is sown."""

from __future__ import annotations

import ast

from nnx_codemods._sown.refusal import NotCaptured, SownCause
from nnx_migrate.analysis.domain.values import FunctionValue, Scope
from nnx_migrate.analysis.sites.tree import FunctionNode
from nnx_migrate.core.place import Place
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.sown_plans import CapturedCall

#: What is evaluated without a chance to raise, as far as one looks here.
_QUIET = ast.Name | ast.Attribute | ast.Constant | ast.Load | ast.Store


def check_not_interrupted(context: FileContext, call: CapturedCall) -> None:
    """Nobody goes on after an exception between a call and its pop.

    What the call sowed is on the object then, and the next pop takes it too.

    Raises:
        NotCaptured: somebody may.
    """
    if not _is_at_once(context, call):
        check_not_caught(context, call.use)


def _is_at_once(context: FileContext, call: CapturedCall) -> bool:
    """Whether nothing that may raise runs between a call and its pop."""
    taking, popping = context.tree.statement(call.use), context.tree.statement(call.pop)
    target = taking.targets[0] if isinstance(taking, ast.Assign) else None
    block = context.tree.block_of(taking)
    if block[block.index(taking) + 1] is not popping:
        return False
    if target is not None and not isinstance(target, ast.Name):
        return False
    start = context.text.span(call.pop)[0]
    around = {*context.tree.ancestors(call.pop)}
    before = (
        node
        for node in ast.walk(popping)
        if isinstance(node, ast.expr)
        and node not in around
        and context.text.span(node)[0] < start
        and not isinstance(getattr(node, "ctx", None), ast.Store)
    )
    return all(isinstance(node, _QUIET) for node in before)


def check_not_caught(context: FileContext, use: ast.Call) -> None:
    """Nobody goes on after an exception in the function that a call stands in."""
    for parent in context.tree.ancestors(use):
        if isinstance(parent, FunctionNode):
            break
        if _catches(parent):
            raise NotCaptured(SownCause.MAY_BE_CAUGHT.about(context.where(parent)))
    scope = context.tree.scope(use)
    _check_not_caught_in(context, scope)
    for other in context.analysis.imports.importers(context.tree.module):
        there = context.at(other.module)
        if there is None:
            raise NotCaptured(SownCause.RUN_ELSEWHERE.about(Place(other.module)))
        _check_not_caught_in(there, scope)


def _check_not_caught_in(context: FileContext, scope: Scope) -> None:
    for node in context.tree.nodes:
        if not _catches(node):
            continue
        assert isinstance(node, ast.Try | ast.TryStar | ast.With)
        called = (n.func for each in node.body for n in ast.walk(each) if isinstance(n, ast.Call))
        scopes = {
            v.scope for f in called for v in context.values(f) if isinstance(v, FunctionValue)
        }
        if scope in context.analysis.extents.reached(tuple(sorted(scopes, key=str))):
            raise NotCaptured(SownCause.CAUGHT_IN_IT.about(context.where(node)))


def _catches(node: ast.AST) -> bool:
    """Whether the code behind a statement may run after an exception in it."""
    if isinstance(node, ast.Try | ast.TryStar):
        return True
    return isinstance(node, ast.With) and any(_swallows(i.context_expr) for i in node.items)


def _swallows(head: ast.expr) -> bool:
    func = head.func if isinstance(head, ast.Call) else head
    last = func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")
    return last in {"suppress", "raises", "assertRaises", "assertRaisesRegex", "ExitStack"}
