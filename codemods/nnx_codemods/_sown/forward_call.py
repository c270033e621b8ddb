"""The forward pass in a loss: the one call that it makes of its Module."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from nnx_codemods._sown.first_in_statement import check_first
from nnx_codemods._sown.refusal import NotCaptured, SownCause
from nnx_migrate.analysis.domain.values import FunctionValue, LibraryValue
from nnx_migrate.analysis.sites.tree import AnyFunction
from nnx_migrate.rewrite.model.context import FileContext


def captured_pass(
    context: FileContext, definition: ast.FunctionDef, parameter: str, *, in_pair: bool
) -> ast.Call:
    """The forward pass of a loss, where what it sows can be one more output.

    Args:
        in_pair: the loss returns a pair.

    Raises:
        NotCaptured: there is no such call, or no place for what it sows.
    """
    call = one_call(context, definition, parameter)
    statement = context.tree.statement(call)
    if statement not in definition.body:
        raise NotCaptured(SownCause.CALLED_IN_BLOCK.about(line=call.lineno))
    if not (isinstance(statement, ast.Assign) and statement.value is call):
        check_first(context, call)
    value = only_return(context, definition)
    if in_pair and not (isinstance(value, ast.Tuple) and len(value.elts) == 2):
        raise NotCaptured(SownCause.RESULT_NO_PAIR)
    return call


def one_call(context: FileContext, definition: AnyFunction, parameter: str) -> ast.Call:
    """The call of the Module or of a method of it; else it is only looked at.

    Raises:
        NotCaptured: there is none, or something else happens to it.
    """
    calls = []
    for name in _reads(definition, parameter):
        part = _looked_up(context, name)
        parent = context.tree.parents[part]
        call = context.tree.parents[parent] if isinstance(parent, ast.keyword) else parent
        if isinstance(call, ast.Call) and _is_of_library(context, call):
            continue
        if isinstance(call, ast.Call) and call.func is part:
            calls.append(call)
        elif part is name or isinstance(call, ast.Call | ast.Starred):
            raise NotCaptured(SownCause.HANDS_ON.about(line=name.lineno))
    if len(calls) != 1:
        raise NotCaptured(SownCause.NOT_ONE_CALL)
    (call,) = calls
    values = context.values(call.func)
    bound = values and all(isinstance(v, FunctionValue) and v.bound for v in values)
    if not isinstance(call.func, ast.Name) and not bound:
        raise NotCaptured(SownCause.PART_CALLED.about(line=call.lineno))
    if context.tree.function_around(call) is not definition:
        raise NotCaptured(SownCause.CALLED_IN_FUNCTION.about(line=call.lineno))
    return call


def _looked_up(context: FileContext, name: ast.Name) -> ast.expr:
    """The attribute or element that is looked up in the end, of an object or of parts of it."""
    node: ast.expr = name
    parent = context.tree.parents[node]
    while isinstance(parent, ast.Attribute) or (
        isinstance(parent, ast.Subscript) and parent.value is node
    ):
        node, parent = parent, context.tree.parents[parent]
    return node


def _is_of_library(context: FileContext, call: ast.Call) -> bool:
    values = context.values(call.func)
    return bool(values) and all(isinstance(value, LibraryValue) for value in values)


def _reads(definition: AnyFunction, parameter: str) -> Iterator[ast.Name]:
    for node in ast.walk(definition):
        if isinstance(node, ast.Name) and node.id == parameter:
            if not isinstance(node.ctx, ast.Load):
                raise NotCaptured(SownCause.BOUND_ANEW.about(name=parameter, line=node.lineno))
            yield node


def only_return(context: FileContext, definition: ast.FunctionDef) -> ast.expr:
    """What a function returns once, at its end.

    Raises:
        NotCaptured: it returns elsewhere too, or yields.
    """
    inside = [n for n in ast.walk(definition) if context.tree.function_around(n) is definition]
    if any(isinstance(node, ast.Yield | ast.YieldFrom | ast.Await) for node in inside):
        raise NotCaptured(SownCause.FORWARD_GENERATOR.about(function=definition.name))
    own = [node for node in inside if isinstance(node, ast.Return)]
    if len(own) != 1 or own[0] is not definition.body[-1] or own[0].value is None:
        raise NotCaptured(SownCause.FORWARD_RETURNS.about(function=definition.name))
    if any(isinstance(node, ast.Starred) for node in getattr(own[0].value, "elts", ())):
        raise NotCaptured(SownCause.FORWARD_UNPACKED.about(function=definition.name))
    return own[0].value
