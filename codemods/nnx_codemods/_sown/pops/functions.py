"""Calls that pop: `nnx.pop(model, T)`, and those of functions of the file that do it for others."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from nnx_codemods._callers.known_calls import known_calls
from nnx_codemods._sown.pops.forward_calls import NotCaptured
from nnx_migrate.analysis.domain.values import FunctionValue, LibraryValue
from nnx_migrate.analysis.sites.tree import names_in
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.sown_plans import CapturedCall, Popper
from nnx_migrate.rewrite.style.layout import docstring_of, is_hoistable

_SIMPLE = ast.Assign | ast.AnnAssign | ast.AugAssign | ast.Expr | ast.Return


def filters_of(context: FileContext, call: ast.Call) -> tuple[ast.expr, ...]:
    """The filters of a call that gives what it pops; nothing when it is no such call.

    That is `nnx.pop(model, T)`, or `collect(model)` of a function that returns just this.
    """
    if call.keywords or not call.args or not isinstance(call.args[0], ast.Name):
        return ()
    if any(isinstance(each, ast.Starred) for each in call.args):
        return ()
    if context.tree.nnx_name(call.func) == "pop":
        return tuple(call.args[1:])
    popper = popper_of(context, call)
    if popper is None or len(call.args) != 1 or not _does_no_more(context, popper, call):
        return ()
    return tuple(popper.pop.args[1:])


def _does_no_more(context: FileContext, popper: Popper, call: ast.Call) -> bool:
    """Whether a call of a function is the same as the pop in it."""
    (*before, last) = popper.function.body
    if len(before) > 1 or (before and docstring_of(popper.function) is None):
        return False
    match last:
        case ast.Return(value=value):
            return value is popper.pop
        case ast.Expr(value=value):  # it gives None
            return value is popper.pop and isinstance(context.tree.parents[call], ast.Expr)
        case _:
            return False


def popper_of(context: FileContext, call: ast.Call) -> Popper | None:
    """The function of this file that a call runs, where it pops its first argument, and only that.

    It does so whatever happens, and nothing before that may see the object.
    """
    values = context.values(call.func)
    scopes = {v.scope for v in values if isinstance(v, FunctionValue) and v.key == v.scope.function}
    if len(scopes) != 1 or len(values) != 1 or not isinstance(call.func, ast.Name):
        return None
    (scope,) = scopes
    if scope.module != context.tree.module:
        return None
    function = context.tree.functions.get(scope.function)
    if not isinstance(function, ast.FunctionDef) or function.decorator_list:
        return None
    return _popper(context, function)


def _popper(context: FileContext, function: ast.FunctionDef) -> Popper | None:
    parameters = [*function.args.posonlyargs, *function.args.args]
    if not parameters or function.args.vararg or function.args.kwarg:
        return None
    own = parameters[0].arg
    named = [n for n in ast.walk(function) if isinstance(n, ast.Name) and n.id == own]
    if len(named) != 1 or len(function.args.defaults) >= len(parameters):
        return None
    pop = context.tree.parents[named[0]]
    if not (isinstance(pop, ast.Call) and context.tree.nnx_name(pop.func) == "pop"):
        return None
    starred = any(isinstance(each, ast.Starred) for each in pop.args)
    if pop.args[:1] != named or len(pop.args) < 2 or pop.keywords or starred:
        return None
    bound = {n.id for n in ast.walk(function) if isinstance(n, ast.Name) and _is_stored(n)}
    bound |= {each.arg for each in ast.walk(function.args) if isinstance(each, ast.arg)}
    if any(isinstance(n, ast.Name) and n.id in bound for f in pop.args[1:] for n in ast.walk(f)):
        return None  # what it pops is for its caller to say
    statement = context.tree.statement(pop)
    if not isinstance(statement, _SIMPLE) or statement not in function.body:
        return None
    if not is_hoistable(context, pop) or any(isinstance(n, _YIELDING) for n in ast.walk(function)):
        return None
    before = function.body[: function.body.index(statement)]
    if not _is_quiet(context, before, statement, pop):
        return None
    return Popper(function, pop)


def _is_stored(name: ast.Name) -> bool:
    return isinstance(name.ctx, ast.Store)


_YIELDING = ast.Yield | ast.YieldFrom | ast.Await | ast.Nonlocal | ast.Global


def _is_quiet(
    context: FileContext, before: Sequence[ast.stmt], statement: ast.stmt, pop: ast.Call
) -> bool:
    """Whether all that runs before a pop is simple, and calls nothing but the library."""
    if not all(isinstance(each, ast.Assign | ast.AnnAssign | ast.Expr) for each in before):
        return False
    calls = [n for each in before for n in ast.walk(each) if isinstance(n, ast.Call)]
    start = context.text.span(pop)[0]
    around = set(context.tree.ancestors(pop))
    calls += [
        n
        for n in ast.walk(statement)
        if isinstance(n, ast.Call) and n not in around and context.text.span(n)[0] < start
    ]
    printed = (isinstance(c.func, ast.Name) and c.func.id == "print" for c in calls)
    library = (
        bool(values := context.values(c.func)) and all(isinstance(v, LibraryValue) for v in values)
        for c in calls
    )
    return all(one or other for one, other in zip(printed, library, strict=True))


def pops_first(popper: Popper) -> bool:
    """Whether nothing at all runs in it before the pop."""
    body = popper.function.body
    first = body[1] if docstring_of(popper.function) is not None and len(body) > 1 else body[0]
    value = getattr(first, "value", None)
    return value is popper.pop


def check_poppers(context: FileContext, calls: Sequence[CapturedCall]) -> None:
    """What functions that pop are given is what is sown, in all calls of them.

    Raises:
        NotCaptured: another call of one gives it an object.
    """
    own = {call.pop for call in calls if call.popper is not None}
    for popper in {call.popper for call in calls if call.popper is not None}:
        function = popper.function
        if any(call.popper == popper and call.module != context.tree.module for call in calls):
            raise NotCaptured(f"{function.name} pops it in another file")
        if set(known_calls(context, function, function.name)) - own:
            raise NotCaptured(f"{function.name} pops other objects too")
        if names_in(function) & {"locals", "vars"}:
            raise NotCaptured(f"{function.name} looks at its own names")
