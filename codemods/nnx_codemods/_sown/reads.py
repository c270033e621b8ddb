"""Sown values that are read where they lie: `nnx.state(model, T)`, `model.block.h[0]`."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence

from nnx_codemods._freshness.local_objects import check_made_here
from nnx_codemods._sown.pops.branches import check_popped_once, popped_in_branches
from nnx_codemods._sown.pops.forward_calls import NotCaptured
from nnx_codemods._sown.pops.functions import filters_of
from nnx_codemods._sown.pops.kept_states import check_apart
from nnx_codemods._sown.pops.pairs import (
    LEAVING,
    calls_around,
    foreign_call,
    is_alone,
    is_pop,
    sets_mode,
    updates_only,
)
from nnx_migrate.analysis.domain.values import is_unknown
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.sown_plans import CapturedCall, Read
from nnx_migrate.rewrite.style.layout import is_hoistable, why_unhoistable

_SIMPLE = ast.Assign | ast.AnnAssign | ast.AugAssign | ast.Expr | ast.Return
_TAKING = frozenset({"state", "variables"})
#: Types of which nothing is sown.
_OTHERS = frozenset({"Param", "LoRAParam", "BatchStat", "RngState", "RngKey", "RngCount", "Cache"})


def read_after(context: FileContext, use: ast.Call, names: frozenset[str]) -> CapturedCall:
    """The reads of what a call sows on its first argument.

    They are followed by a pop, or nothing else ever looks at the object.

    Args:
        names: the attributes that are sown.

    Raises:
        NotCaptured: there are none, or something else may see what is sown.
    """
    statement = context.tree.statement(use)
    model = use.args[0] if use.args else None
    if not isinstance(model, ast.Name) or not is_alone(statement, use):
        raise NotCaptured("the call is part of a larger expression")
    if len(loads_of(context, ast.walk(statement), model)) != 1:
        raise NotCaptured(f"{model.id} is used twice in line {use.lineno}")
    block = context.tree.block_of(statement)
    later = block[block.index(statement) + 1 :]
    if branches := popped_in_branches(context, statement, later, model):
        return CapturedCall(use, None, reads=branches, module=context.tree.module)
    popping = next((s for s in later if _pops(context, s, model.id)), None)
    if popping is not None:
        later = later[: later.index(popping) + 1]
        _check_reached(context, statement, later, use)
        loads = loads_of(context, (n for each in later for n in ast.walk(each)), model)
    else:
        check_made_here(context, model, block)
        loads = [load for load in loads_of(context, context.tree.nodes, model) if load is not model]
    shared = context.analysis.sharing.of(context.values(model))
    if shared:
        raise NotCaptured(shared)
    if popping is not None:
        _check_one_pop(context, loads, popping)
    reads = list(_reads(context, model, loads, names, statement))
    if not reads:
        raise NotCaptured(f"nothing reads what is sown on {model.id}")
    if popping is None:
        check_popped_once(context, block, reads)
    check_apart(context, reads, block, names)
    return CapturedCall(use, None, reads=tuple(reads), module=context.tree.module)


def loads_of(context: FileContext, nodes: Iterable[ast.AST], model: ast.Name) -> list[ast.Name]:
    """Those of some nodes that name the variable, in inner functions too."""
    bindings = context.project.bindings(context.tree.scope(model), model.id)
    named = [n for n in nodes if isinstance(n, ast.Name) and n.id == model.id]
    return [
        node
        for node in named
        if context.project.bindings(context.tree.scope(node), node.id) == bindings
        and (isinstance(node.ctx, ast.Load) or len(bindings) > 1)
    ]


def _pops(context: FileContext, statement: ast.stmt, model: str) -> bool:
    """Whether a statement pops it, whatever happens in it."""
    return isinstance(statement, _SIMPLE) and any(
        isinstance(node, ast.Call) and is_pop(context, node, model) and is_hoistable(context, node)
        for node in ast.walk(statement)
    )


def _check_one_pop(context: FileContext, loads: Sequence[ast.Name], popping: ast.stmt) -> None:
    """What a pop takes is gone for all that comes later: one, whatever happens, and the last."""
    for load in loads:
        call = context.tree.parents[load]
        if not (isinstance(call, ast.Call) and is_pop(context, call, load.id)):
            continue
        if context.tree.statement(call) is not popping:
            raise NotCaptured(f"it is popped in line {call.lineno} too")
        if why := why_unhoistable(context, call):
            raise NotCaptured(why.told("nnx.pop"))
        if sum(context.tree.statement(each) is popping for each in loads) != 1:
            raise NotCaptured(f"{load.id} is used twice in line {call.lineno}")


def _check_reached(
    context: FileContext, taking: ast.stmt, later: Sequence[ast.stmt], use: ast.Call
) -> None:
    """The pop is reached, and nothing gets at the object by another name before."""
    if any(isinstance(node, LEAVING) for each in later[:-1] for node in ast.walk(each)):
        raise NotCaptured("code between the call and nnx.pop may leave")
    pops = [n for n in ast.walk(later[-1]) if isinstance(n, ast.Call)]
    known = [call for call in pops if context.tree.nnx_name(call.func) == "pop"]
    known += [around for pop in known for around in calls_around(context, pop)]
    calls = [n for each in later for n in ast.walk(each) if isinstance(n, ast.Call)]
    known += [call for call in calls if _is_filter(context, call)]
    foreign = foreign_call(context, taking, later, use, *known)
    if foreign is not None:
        raise NotCaptured(f"what line {foreign.lineno} calls may use it before it is popped")


def _is_filter(context: FileContext, call: ast.Call) -> bool:
    """Whether it is `nnx.state(model).filter(...)`."""
    match call:
        case ast.Call(func=ast.Attribute(value=ast.Call(func=func), attr="filter")):
            return context.tree.nnx_name(func) == "state"
        case _:
            return False


def _reads(
    context: FileContext,
    model: ast.Name,
    loads: Sequence[ast.Name],
    names: frozenset[str],
    statement: ast.stmt,
) -> Iterator[Read]:
    """The reads; all else that uses the object sees nothing of what is sown."""
    for load in loads:
        if context.tree.scope(load) != context.tree.scope(model):
            raise NotCaptured(f"{model.id} is used in an inner function (line {load.lineno})")
        read = _taken(context, load) or _looked_up(context, load, names)
        if read is None and not is_blind(context, load, names):
            raise NotCaptured(_told(context, load))
        if read is not None and load.lineno <= (statement.end_lineno or 0):
            raise NotCaptured(f"what is sown is read before the call (line {load.lineno})")
        if read is not None:
            yield read


def _told(context: FileContext, load: ast.Name) -> str:
    """What a use of the object may see, in words."""
    call = context.tree.parents[load]
    if isinstance(call, ast.Call) and context.tree.nnx_name(call.func) == "split":
        return f"nnx.split takes what is sown along in line {load.lineno}: pop it before that"
    return f"{load.id} is used in line {load.lineno} too"


def _taken(context: FileContext, load: ast.Name) -> Read | None:
    """`nnx.state(model, T)`, `nnx.pop(model, T)` or `nnx.state(model).filter(T)`."""
    call = context.tree.parents[load]
    if not (isinstance(call, ast.Call) and call.args[:1] == [load] and not call.keywords):
        return None
    name = context.tree.nnx_name(call.func)
    if len(call.args) == 1 and name == "state":
        return _filtered(context, call)
    if len(wanted := filters_of(context, call)) == 1:
        return Read(call, wanted[0])
    if len(call.args) != 2 or name not in _TAKING:
        return None
    if context.tree.nnx_name(call.args[1]) in _OTHERS:
        return None
    return Read(call, call.args[1])


def _filtered(context: FileContext, state: ast.Call) -> Read | None:
    """`nnx.state(model).filter(T)`, the same as `nnx.state(model, T)`."""
    match _filter_of(context, state):
        case ast.Call(args=[wanted], keywords=[]) as call:
            return None if context.tree.nnx_name(wanted) in _OTHERS else Read(call, wanted)
        case _:
            return None


def _filter_of(context: FileContext, state: ast.Call) -> ast.Call | None:
    """The call of its method `filter`, where that is all that the State is used for."""
    match context.tree.parents[context.tree.parents[state]]:
        case ast.Call(func=ast.Attribute(value=value, attr="filter")) as call if value is state:
            return call
        case _:
            return None


def _looked_up(context: FileContext, load: ast.Name, names: frozenset[str]) -> Read | None:
    """`model.blocks[0].h`, where that is sown."""
    path: list[str] = []
    node: ast.expr = load
    while True:
        parent = context.tree.parents[node]
        match parent:
            case ast.Attribute(attr=attr, ctx=ast.Load()):
                path.append(repr(attr).replace("'", '"'))
                node = parent
                if attr in names:
                    if not is_unknown(context.values(node)):
                        return None  # something that the object holds has that name too
                    break
                if context.evaluator.callers.mentions.is_property(attr):
                    return None
            case ast.Subscript(slice=ast.Constant(value=int() | str()) as key, ctx=ast.Load()) if (
                parent.value is node
            ):
                path.append(context.text.of(key))
                node = parent
            case _:
                return None
    called = context.tree.parents[node]
    if isinstance(called, ast.Call) and called.func is node:
        return None
    return Read(node, None, tuple(path))


def is_blind(context: FileContext, load: ast.Name, names: frozenset[str]) -> bool:
    """Whether a use of the object sees nothing of what is sown on it."""
    parent = context.tree.parents[load]
    statement = context.tree.statement(load)
    match parent:
        case ast.Call(func=func, args=[first, *filters], keywords=keywords) if first is load:
            name = context.tree.nnx_name(func)
            types = [context.tree.nnx_name(each) in _OTHERS for each in filters]
            wrt = [context.tree.nnx_name(k.value) in _OTHERS for k in keywords if k.arg == "wrt"]
            if name == "state" and not filters and not keywords:
                return _filters_others(context, parent)
            if name in _TAKING:
                return bool(types) and all(types) and not keywords
            if name == "Optimizer":
                return wrt == [True]
            return updates_only(context, statement, load)
        case ast.Attribute():
            if sets_mode(context, context.tree.parents[parent], load):
                return True
    return _is_other_value(context, load, names)


def _filters_others(context: FileContext, state: ast.Call) -> bool:
    """`nnx.state(model).filter(nnx.Param)`, of types of which nothing is sown."""
    match _filter_of(context, state):
        case ast.Call(args=[_, *_] as args, keywords=[]):
            return all(context.tree.nnx_name(each) in _OTHERS for each in args)
        case _:
            return False


def _is_other_value(context: FileContext, load: ast.Name, names: frozenset[str]) -> bool:
    """`model.linear.kernel[...]`."""
    node: ast.expr = load
    parent = context.tree.parents[node]
    while isinstance(parent, ast.Attribute) and parent.attr not in names:
        node, parent = parent, context.tree.parents[parent]
    match parent:
        case ast.Subscript(value=value, slice=ast.Constant(value=key)):
            return value is node is not load and key is Ellipsis
        case _:
            return False
