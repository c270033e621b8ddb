"""The calls in a function that sow, and that alone go under capture."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator, Sequence

from nnx_migrate.analysis.domain.values import FunctionValue, LibraryValue
from nnx_migrate.analysis.sites.tree import AnyFunction
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import NotRewritten
from nnx_migrate.rewrite.style.evaluation_order import evaluated_before
from nnx_migrate.rewrite.style.layout import why_unhoistable

#: Blocks in which what is sown is kept from one pass to the next.
_BLOCKS = ast.For | ast.While | ast.If | ast.With
_REPEATING = ast.Lambda | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
_SIMPLE = ast.Assign | ast.AnnAssign | ast.AugAssign | ast.Expr


class NotCaptured(NotRewritten):
    """What is missing for what a function sows to become a result."""


def forward_of(context: FileContext, definition: AnyFunction, parameter: str) -> ast.Call:
    """The one call that a function makes of its Module.

    Raises:
        NotCaptured: there is no such call, or no place for what it sows.
    """
    if not isinstance(definition, ast.FunctionDef):
        raise NotCaptured("its function is a lambda")
    (call, *again) = passes_of(context, definition, parameter, in_pair=False, lambdas=False)
    if again:
        raise NotCaptured("it calls its Module more than once")
    if context.tree.statement(call) not in definition.body:
        raise NotCaptured(f"the Module is called in an inner block (line {call.lineno})")
    return call


def passes_of(
    context: FileContext, definition: AnyFunction, parameter: str, in_pair: bool, lambdas: bool
) -> tuple[ast.Call, ...]:
    """The calls that a function makes of its Module, before the one return at the end.

    Args:
        in_pair: the function returns a pair.
        lambdas: a lambda has to do nothing else, as it stays one.

    Raises:
        NotCaptured: there are none, or no place for what they sow.
    """
    if isinstance(definition, ast.Lambda) and lambdas:
        return (_all_of_lambda(context, definition, parameter),)
    if isinstance(definition, ast.Lambda):
        return _passes_of_lambda(context, definition, parameter, in_pair)
    if not isinstance(definition, ast.FunctionDef):
        raise NotCaptured("its function is a lambda")
    calls = calls_of_module(context, definition, parameter)
    for call in calls:
        _check_place(context, definition, call, calls)
        statement = context.tree.statement(call)
        if not (isinstance(statement, ast.Assign) and statement.value is call):
            _check_reads(context, statement, call, calls, parameter)
    _check_return(context, definition, in_pair)
    return calls


def _check_place(
    context: FileContext, definition: ast.FunctionDef, call: ast.Call, calls: Sequence[ast.Call]
) -> None:
    """The call can be made before its statement, and in an order that the text shows.

    Raises:
        NotCaptured: it cannot.
    """
    statement = context.tree.statement(call)
    blocks = [b for b in context.tree.ancestors(statement) if not isinstance(b, _BLOCKS)]
    if blocks[0] is not definition:
        raise NotCaptured(f"the Module is called in an inner block (line {call.lineno})")
    why = why_unhoistable(context, call)
    reason = why.told() if why is not None else ""
    if not reason and statement not in definition.body and not isinstance(statement, _SIMPLE):
        reason = "the call stands in the head of a block"
    if not reason and any(call in ast.walk(other.func) for other in calls if other is not call):
        reason = "the Module is called to find what to call"
    if reason:
        raise NotCaptured(f"{reason} (line {call.lineno})")
    whole = isinstance(statement, ast.Assign) and statement.value is call
    for earlier in () if whole else evaluated_before(context, call):
        library = isinstance(earlier, ast.Call) and _is_of_library(context, earlier)
        if call not in context.tree.ancestors(earlier) and not library and earlier not in calls:
            raise NotCaptured(f"something runs before the Module in line {call.lineno}")


def _passes_of_lambda(
    context: FileContext, definition: ast.Lambda, parameter: str, in_pair: bool
) -> tuple[ast.Call, ...]:
    """The calls in a lambda that becomes a definition in front of its statement."""
    args = definition.args
    if args.defaults or args.kwonlyargs or args.vararg or args.kwarg or args.posonlyargs:
        raise NotCaptured("its function is a lambda with more than plain parameters")
    if why := why_unhoistable(context, definition):
        raise NotCaptured(f"{why.told('the lambda')} (line {definition.lineno})")
    calls = calls_of_module(context, definition, parameter)
    for call in calls:
        child: ast.AST = call
        for parent in itertools.takewhile(
            lambda node: node is not definition, context.tree.ancestors(call)
        ):
            later = isinstance(parent, ast.BoolOp) and child is not parent.values[0]
            chosen = isinstance(parent, ast.IfExp) and child is not parent.test
            if later or chosen or isinstance(parent, _REPEATING | ast.NamedExpr):
                raise NotCaptured(f"the Module may not be called once (line {call.lineno})")
            child = parent
        if any(call in ast.walk(other.func) for other in calls if other is not call):
            raise NotCaptured(f"the Module is called to find what to call (line {call.lineno})")
        _check_first(context, definition, call, calls)
        _check_reads(context, definition.body, call, calls, parameter)
    elements = definition.body.elts if isinstance(definition.body, ast.Tuple) else []
    starred = any(isinstance(each, ast.Starred) for each in elements)
    if in_pair and (len(elements) != 2 or starred):
        raise NotCaptured("what it returns is not written as a pair")
    return calls


def _check_reads(
    context: FileContext,
    whole: ast.stmt | ast.expr,
    call: ast.Call,
    calls: Sequence[ast.Call],
    parameter: str,
) -> None:
    """Nothing that the call may update is read before it in what it is a part of.

    Args:
        whole: the statement or expression in front of which the calls are made.
    """
    start = context.text.span(call)[0]
    inside = [each for each in calls if each is not call and call in ast.walk(each)]
    earlier = [each for each in calls if context.text.span(each)[1] <= start]
    skipped = {call, *earlier, *(each.func for each in inside)}
    stack: list[ast.AST] = [whole]
    while stack:
        node = stack.pop()
        if node in skipped:
            continue
        match node:
            case ast.Name(id=name):
                read = name == parameter
            case ast.Subscript(slice=ast.Constant(value=key)):
                read = key is Ellipsis
            case ast.Attribute(attr=attr):
                read = attr in {"value", "raw_value"}
            case _:
                read = False
        if read and isinstance(node, ast.expr) and context.text.span(node)[0] < start:
            raise NotCaptured(f"a Variable may be read before the Module in line {call.lineno}")
        stack += ast.iter_child_nodes(node)


def _check_first(
    context: FileContext, definition: ast.Lambda, call: ast.Call, calls: Sequence[ast.Call]
) -> None:
    """What a lambda does before a call of the Module is of the library, or another such call."""
    around = set(context.tree.ancestors(call))
    end = context.text.span(call)[1]
    for node in ast.walk(definition.body):
        if not isinstance(node, ast.Call | ast.NamedExpr) or node in around or node in calls:
            continue
        if call in context.tree.ancestors(node) or context.text.span(node)[0] >= end:
            continue
        if not (isinstance(node, ast.Call) and _is_of_library(context, node)):
            raise NotCaptured(f"something runs before the Module in line {call.lineno}")


def _all_of_lambda(context: FileContext, definition: ast.Lambda, parameter: str) -> ast.Call:
    """The call of its Module that is all that a lambda does."""
    call = one_call(context, definition, parameter)
    if definition.body is not call:
        raise NotCaptured("its function is a lambda that does more than to call its Module")
    return call


def one_call(context: FileContext, definition: AnyFunction, parameter: str) -> ast.Call:
    """The call of the Module or of a method of it; else it is only looked at."""
    (call, *again) = calls_of_module(context, definition, parameter)
    if again:
        raise NotCaptured("it calls its Module more than once")
    return call


def calls_of_module(
    context: FileContext, definition: AnyFunction, parameter: str
) -> tuple[ast.Call, ...]:
    """The calls of the Module or of methods of it, in the order of the text; one at least."""
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
    if not calls:
        raise NotCaptured("it does not call its Module")
    for call in calls:
        values = context.values(call.func)
        bound = values and all(isinstance(v, FunctionValue) and v.bound for v in values)
        if not isinstance(call.func, ast.Name) and not bound:
            raise NotCaptured(f"a part of the Module is called (line {call.lineno})")
        if context.tree.function_around(call) is not definition:
            raise NotCaptured(f"the Module is called in an inner function (line {call.lineno})")
    return tuple(sorted(calls, key=lambda call: context.text.span(call)[0]))


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
