"""Calls that sow and pops in any order, in loops and under conditions: a State mirrors the object.

It holds what lies on the object at every place: a call that raises changes neither. So it does not
matter when which of them runs, as long as nothing else looks for what is sown.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from nnx_codemods._freshness.local_objects import check_made_here
from nnx_codemods._sown.pops.forward_calls import NotCaptured
from nnx_codemods._sown.pops.functions import filters_of
from nnx_codemods._sown.pops.pairs import is_alone, is_pop, why_not_before
from nnx_codemods._sown.reads import is_blind, loads_of
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.sown_plans import CapturedCall, Run
from nnx_migrate.rewrite.style.layout import why_unhoistable

_BLOCKS = ast.For | ast.While | ast.If | ast.With | ast.Try | ast.ExceptHandler
_SIMPLE = ast.Assign | ast.Expr
_POPPING = _SIMPLE | ast.AnnAssign | ast.AugAssign | ast.Return


def mirrored_run(
    context: FileContext, use: ast.Call, uses: Sequence[ast.Call], names: frozenset[str]
) -> Run:
    """The calls and pops of an object that is made in the function around, and never leaves it.

    Args:
        use: one of the calls.
        uses: all calls of the function that sows.
        names: the attributes that are sown.

    Raises:
        NotCaptured: something else may see what is sown.
    """
    model = use.args[0] if use.args else None
    if not isinstance(model, ast.Name) or "" in names:
        raise NotCaptured(f"the object is not passed by its name (line {use.lineno})")
    made = context.tree.assigned_value(context.tree.scope(model), model.id)
    if made is None:
        raise NotCaptured(f"what is sown stays on {model.id}, where others may see it")
    block = context.tree.block_of(made[1])
    check_made_here(context, model, block)
    own: list[ast.Call] = []
    pops: list[ast.Call] = []
    for load in loads_of(context, context.tree.nodes, model):
        if context.tree.scope(load) != context.tree.scope(model):
            raise NotCaptured(f"{model.id} is used in an inner function (line {load.lineno})")
        call = context.tree.parents[load]
        if isinstance(call, ast.Call) and call in uses and call.args[0] is load:
            own.append(call)
        elif isinstance(call, ast.Call) and is_pop(context, call, model.id):
            pops.append(call)
        elif not is_blind(context, load, names):
            raise NotCaptured(f"what is sown may lie on {model.id} in line {load.lineno}")
    _check_places(context, own, pops, block)
    first = {
        node for each in (*own, *pops) for node in context.tree.ancestors(each) if node in block
    }
    start = next(statement for statement in block if statement in first)
    wanted = filters_of(context, pops[0])
    calls = tuple(
        CapturedCall(
            each,
            pops[0],
            before=not is_alone(context.tree.statement(each), each),
            module=context.tree.module,
            wanted=wanted,
        )
        for each in own
    )
    return Run(start, calls, pops[0], tuple(pops))


def _check_places(
    context: FileContext,
    own: Sequence[ast.Call],
    pops: Sequence[ast.Call],
    block: Sequence[ast.stmt],
) -> None:
    """Each call and each pop stands alone in a statement, in which it can be done first."""
    if not pops:
        raise NotCaptured("nothing pops what is sown")
    kinds = {tuple(ast.dump(each) for each in filters_of(context, pop)) for pop in pops}
    if len(kinds) > 1 or len(filters_of(context, pops[0])) != 1:
        raise NotCaptured("it is popped by different filters")
    held = [context.tree.statement(each) for each in (*own, *pops)]
    if len(set(held)) != len(held):
        raise NotCaptured("several calls and pops stand in one statement")
    for call, statement in zip((*own, *pops), held, strict=True):
        popping = call in pops
        if not isinstance(statement, _POPPING if popping else _SIMPLE):
            raise NotCaptured(f"it stands in the head of a block (line {call.lineno})")
        why = why_unhoistable(context, call)
        reason = why.told() if why is not None else ""
        if not is_alone(statement, call):
            reason = reason or why_not_before(context, statement, call)
        if reason:
            raise NotCaptured(f"{reason} (line {call.lineno})")
        for parent in context.tree.ancestors(statement):
            if parent in block or context.tree.block_of(statement) is block:
                break
            if not isinstance(parent, _BLOCKS):
                raise NotCaptured(f"it stands in another statement (line {call.lineno})")
