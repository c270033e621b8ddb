"""Exceptions between a call that sows and its pop: who goes on after one finds what is sown."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from nnx_codemods._callers.entry_calls import importing
from nnx_codemods._sown.pops.forward_calls import NotCaptured
from nnx_codemods._sown.pops.functions import pops_first
from nnx_codemods._sown.propagation import Route
from nnx_migrate.analysis.domain.values import FunctionValue, Scope
from nnx_migrate.analysis.sites.tree import FunctionNode
from nnx_migrate.core.place import Place
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.sown_plans import CapturedCall, PassedOn

#: What is evaluated without a chance to raise, as far as one looks here.
_QUIET = (
    ast.Name
    | ast.Attribute
    | ast.Constant
    | ast.Tuple
    | ast.Load
    | ast.Store
    | ast.keyword
    | ast.FormattedValue
    | ast.JoinedStr
)


def check_not_interrupted(context: FileContext, route: Route) -> None:
    """Nobody goes on after an exception between a call and its pop.

    What the call sowed is on the object then, and the next pop takes it too.

    Raises:
        NotCaptured: somebody may.
    """
    for call in route.calls:
        there = context.where_it_is(call.module)
        if any(call in run.calls and run.pops for run in route.runs):
            continue  # the State has what lies on the object, whatever raises
        in_run = any(call in run.calls and len(run.calls) > 1 for run in route.runs)
        if in_run or not _at_once(there, call):
            _check_use(there, call)
    for passed_on in route.passed_on:
        if passed_on.returned is not None:
            _check_use(context.where_it_is(passed_on.module), passed_on)


def _check_use(context: FileContext, call: CapturedCall | PassedOn) -> None:
    if isinstance(call, CapturedCall) and _is_made_beside(context, call):
        return
    check_not_caught(context, call.use)


def _is_made_beside(context: FileContext, call: CapturedCall) -> bool:
    """Whether the object is made in the block of the call: who comes later has another one."""
    model = (call.use if call.pop is None else call.pop).args[0]
    if not isinstance(model, ast.Name):
        return False
    made = context.tree.assigned_value(context.tree.scope(model), model.id)
    block = context.tree.block_of(context.tree.statement(call.use))
    return made is not None and made[1] in block and isinstance(made[0], ast.Call)


def _at_once(context: FileContext, call: CapturedCall) -> bool:
    """Whether nothing that may raise runs between a call and its pop."""
    if call.pop is None:
        return False
    if call.popper is not None:
        given = [node for each in call.pop.args for node in ast.walk(each)]
        if not pops_first(call.popper) or not _are_quiet(given):
            return False
    taking, popping = context.tree.statement(call.use), context.tree.statement(call.pop)
    if taking is popping:
        start, end = context.text.span(call.use)[1], context.text.span(call.pop)[0]
        between = [
            node
            for node in ast.walk(taking)
            if isinstance(node, ast.expr) and start <= context.text.span(node)[0] < end
        ]
        around = context.tree.parents[call.use]
        return around is context.tree.parents[call.pop] and _are_quiet(between)
    match taking:
        case ast.Assign(value=value, targets=[ast.Name()]) | ast.Expr(value=value):
            whole = value is call.use
        case _:
            whole = False
    block = context.tree.block_of(taking)
    beside = popping in block and block.index(popping) == block.index(taking) + 1
    if not (whole and beside):
        return False
    start = context.text.span(call.pop)[0]
    own = {call.pop, *context.tree.ancestors(call.pop)}
    before = [
        node
        for node in ast.walk(popping)
        if isinstance(node, ast.expr)
        and node not in own
        and context.text.span(node)[0] < start
        and not isinstance(getattr(node, "ctx", None), ast.Store)
    ]
    return _are_quiet(before)


def _are_quiet(nodes: Sequence[ast.AST]) -> bool:
    return all(isinstance(node, _QUIET) for node in nodes)


def check_not_caught(context: FileContext, use: ast.Call) -> None:
    """Nobody goes on after an exception in the function that a call stands in.

    Raises:
        NotCaptured: somebody may.
    """
    for parent in context.tree.ancestors(use):
        if isinstance(parent, FunctionNode):
            break
        if _catches(parent):
            raise NotCaptured(f"an exception may be caught in {context.where(parent)}")
    scope = context.tree.scope(use)
    _check_not_caught_in(context, scope)
    for other in importing(context):
        there = context.at(other)
        if there is None:
            raise NotCaptured(f"it may be run from {Place(other)} too")
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
            raise NotCaptured(f"an exception in it may be caught in {context.where(node)}")


def _catches(node: ast.AST) -> bool:
    """Whether the code behind a statement may run after an exception in it."""
    if isinstance(node, ast.Try | ast.TryStar):
        return True
    return isinstance(node, ast.With) and any(_swallows(i.context_expr) for i in node.items)


def _swallows(head: ast.expr) -> bool:
    func = head.func if isinstance(head, ast.Call) else head
    last = func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")
    return last in {"suppress", "raises", "assertRaises", "assertRaisesRegex", "ExitStack"}
