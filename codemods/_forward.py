"""The one call in a function that sows, and that alone goes under capture."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from nnx_migrate.facts.syntax import AnyFunction
from nnx_migrate.facts.values import FunctionValue, LibraryValue
from nnx_migrate.rewrite.context import FileContext
from nnx_migrate.rewrite.evaluation import evaluated_before
from nnx_migrate.rewrite.layout import hoistable


class NotCaptured(Exception):
    """What is missing for what a function sows to become a result."""


def forward_of(
    context: FileContext, definition: AnyFunction, parameter: str, in_pair: bool, lambdas: bool
) -> ast.Call:
    """The one call that a function makes of its Module.

    It must run once whatever happens, and before the one return at the end.

    Args:
        in_pair: the function returns a pair.
        lambdas: it may be a lambda that does nothing else.

    Raises:
        NotCaptured: there is no such call, or no place for what it sows.
    """
    if isinstance(definition, ast.Lambda) and lambdas:
        return _all_of_lambda(context, definition, parameter)
    if not isinstance(definition, ast.FunctionDef):
        raise NotCaptured("its function is a lambda")
    call = one_call(context, definition, parameter)
    statement = context.tree.statement(call)
    if statement not in definition.body or not isinstance(statement, ast.stmt):
        raise NotCaptured(f"the Module is called in an inner block (line {call.lineno})")
    reason = hoistable(context, call)
    if reason:
        raise NotCaptured(f"{reason} (line {call.lineno})")
    whole = isinstance(statement, ast.Assign) and statement.value is call
    for earlier in () if whole else evaluated_before(context, call):
        library = isinstance(earlier, ast.Call) and _is_of_library(context, earlier)
        if call not in context.tree.ancestors(earlier) and not library:
            raise NotCaptured(f"something runs before the Module in line {call.lineno}")
    _check_return(context, definition, in_pair)
    return call


def _all_of_lambda(context: FileContext, definition: ast.Lambda, parameter: str) -> ast.Call:
    """The call of its Module that is all that a lambda does."""
    call = one_call(context, definition, parameter)
    if definition.body is not call:
        raise NotCaptured("its function is a lambda that does more than to call its Module")
    return call


def one_call(context: FileContext, definition: AnyFunction, parameter: str) -> ast.Call:
    """The call of the Module or of a method of it; else it is only looked at."""
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
            raise NotCaptured(f"it hands its Module on (line {name.lineno})")
    if len(calls) != 1:
        raise NotCaptured("it calls its Module more than once")
    (call,) = calls
    values = context.values(call.func)
    bound = values and all(isinstance(v, FunctionValue) and v.bound for v in values)
    if not isinstance(call.func, ast.Name) and not bound:
        raise NotCaptured(f"a part of the Module is called (line {call.lineno})")
    if context.tree.function_around(call) is not definition:
        raise NotCaptured(f"the Module is called in an inner function (line {call.lineno})")
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
                raise NotCaptured(f"{parameter} is bound anew (line {node.lineno})")
            yield node


def only_return(context: FileContext, definition: ast.FunctionDef) -> ast.Return:
    """The one return of a function, which is its last statement.

    Raises:
        NotCaptured: it returns elsewhere too, or yields.
    """
    inside = [n for n in ast.walk(definition) if context.tree.function_around(n) is definition]
    if any(isinstance(node, ast.Yield | ast.YieldFrom | ast.Await) for node in inside):
        raise NotCaptured(f"{definition.name} is a generator or a coroutine")
    own = [node for node in inside if isinstance(node, ast.Return)]
    if len(own) != 1 or own[0] is not definition.body[-1] or own[0].value is None:
        raise NotCaptured(f"{definition.name} does not return once, at its end")
    if any(isinstance(node, ast.Starred) for node in getattr(own[0].value, "elts", ())):
        raise NotCaptured(f"what {definition.name} returns is unpacked there")
    return own[0]


def _check_return(context: FileContext, definition: ast.FunctionDef, in_pair: bool) -> None:
    value = only_return(context, definition).value
    if in_pair and not (isinstance(value, ast.Tuple) and len(value.elts) == 2):
        raise NotCaptured("what it returns is not written as a pair")
