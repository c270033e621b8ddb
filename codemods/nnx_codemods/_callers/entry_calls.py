"""The calls that run a function, in its file and in those that import it."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterator

from nnx_codemods._callers.file_calls import calls_in, run_by
from nnx_codemods._sown.pops.forward_calls import NotCaptured
from nnx_migrate.analysis.callgraph.transformed import CAPTURED
from nnx_migrate.analysis.domain.values import (
    FunctionValue,
    Instance,
    Scope,
)
from nnx_migrate.analysis.flax.transforms import spec
from nnx_migrate.analysis.sites.tree import AnyFunction
from nnx_migrate.analysis.symbols.visibility import is_visible_outside
from nnx_migrate.core.permissions import Permission
from nnx_migrate.core.place import Place
from nnx_migrate.rewrite.model.context import FileContext


@dataclasses.dataclass(frozen=True, slots=True)
class Way:
    """A call of a function.

    Args:
        given: what it passes for the parameter in question.
        captured: what is called is under `nnx.capture`.
        sole: it can run no other function.
        context: the file that it stands in.
    """

    call: ast.Call
    given: ast.expr
    captured: bool
    sole: bool
    context: FileContext


def check_alone(context: FileContext, name: str, called: str = "") -> str:
    """No other file runs what this one defines; what nothing shows is assumed if that is allowed.

    Args:
        name: what it is: "step", or "Net.step" for a method.
        called: the name by which it would have to be called; empty when any call may run it.

    Returns:
        What is assumed, in words.

    Raises:
        NotCaptured: another file may.
    """
    for other in importing(context, called):
        raise NotCaptured(f"{name} may be run from {Place(other)} too")
    return check_unpublished(context, name)


def importing(context: FileContext, called: str = "") -> Iterator[str]:
    """The modules that import the one at hand, be it through others.

    Args:
        called: a name of which they must have the word; empty when it does not matter.
    """
    words = (called, "**") if called else ()
    for other in context.analysis.imports.importers(context.tree.module, words):
        yield other.module


def check_unpublished(context: FileContext, name: str) -> str:
    """Code outside of the project does not run it; or what is assumed, if that is allowed.

    Raises:
        NotCaptured: it may.
    """
    if not is_visible_outside(context.project, context.tree.module, name):
        return ""
    reason = f"code outside of the project may run {name}"
    if context.options.allows(Permission.PUBLIC_SIGNATURES):
        return reason
    raise NotCaptured(reason)


def ways_in(context: FileContext, function: AnyFunction, parameter: str) -> tuple[Way, ...]:
    """All calls of a function that stand in its file.

    Raises:
        NotCaptured: not all of them are to be seen, or one does not show what it passes.
    """
    scope = context.tree.scope_of(function)
    found = _ways(context, scope, function, parameter)
    if not found:
        raise NotCaptured(f"no call of {getattr(function, 'name', 'a lambda')} is to be seen")
    return found


def all_ways_in(context: FileContext, function: AnyFunction, parameter: str) -> tuple[Way, ...]:
    """All calls of a function, in the files that import its own too.

    Raises:
        NotCaptured: not all of them are to be seen, or one does not show what it passes.
    """
    scope = context.tree.scope_of(function)
    name = getattr(function, "name", "a lambda")
    found = list(_ways(context, scope, function, parameter))
    for other in importing(context):
        there = context.at(other)
        if there is None:
            raise NotCaptured(f"{name} may be run from {Place(other)} too")
        found += _ways(there, scope, function, parameter)
    if not found:
        raise NotCaptured(f"no call of {name} is to be seen")
    return tuple(found)


def _ways(
    context: FileContext, scope: Scope, function: AnyFunction, parameter: str
) -> tuple[Way, ...]:
    calls = calls_in(context)
    name = getattr(function, "name", "")
    for line in calls.unseen.get(name, []) if name else []:
        raise NotCaptured(f"what {Place(context.tree.module, line)} runs is not known")
    if name == "__call__" or isinstance(function, ast.Lambda):
        for line in calls.unseen.get("", []):
            raise NotCaptured(f"what {Place(context.tree.module, line)} runs is not known")
    for line in calls.handed_on.get(scope, []):
        raise NotCaptured(f"{Place(context.tree.module, line)} hands {name or 'a lambda'} on")
    return tuple(
        Way(
            call,
            _given(context, scope, call, value, parameter),
            _is_captured(value),
            {run.scope for run in run_by(context, context.values(call.func))} == {scope},
            context,
        )
        for call, value in calls.of.get(scope, [])
    )


def is_under_capture(context: FileContext, function: AnyFunction) -> bool:
    """Whether a decorator, or the call around it, puts a function under capture."""
    around = context.tree.parents[function]
    heads = [d.func for d in getattr(function, "decorator_list", []) if isinstance(d, ast.Call)]
    if isinstance(around, ast.Call) and around.args[:1] == [function]:
        heads.append(around.func)
    return any(spec(context.tree.nnx_name(head)).collects for head in heads)


def _is_captured(value: FunctionValue) -> bool:
    return any(transform.startswith(CAPTURED) for transform in value.transforms)


def _given(
    context: FileContext, scope: Scope, call: ast.Call, value: FunctionValue, parameter: str
) -> ast.expr:
    """What a call passes for a parameter."""
    names = [p.name for p in context.project.function(scope).parameters if p.kind == "positional"]
    if parameter not in names or value.partial_args or value.bound_keywords:
        raise NotCaptured(f"what line {call.lineno} passes for {parameter} is not clear")
    place = names.index(parameter) - (1 if value.bound else 0)
    if place < 0:
        return _own_object(context, call)
    if any(isinstance(arg, ast.Starred) for arg in call.args[: place + 1]):
        raise NotCaptured(f"what line {call.lineno} passes for {parameter} is not clear")
    if place < len(call.args):
        return call.args[place]
    for keyword in call.keywords:
        if keyword.arg == parameter:
            return keyword.value
    raise NotCaptured(f"what line {call.lineno} passes for {parameter} is not clear")


def _own_object(context: FileContext, call: ast.Call) -> ast.expr:
    """The object that a method is called of."""
    func = call.func
    head = func.func if isinstance(func, ast.Call) and func.args else None
    if isinstance(func, ast.Call) and head and spec(context.tree.nnx_name(head)).collects:
        func = func.args[0]  # nnx.capture(model, T)(x)
    if any(isinstance(v, Instance) for v in context.values(func)):
        return func
    if not isinstance(func, ast.Attribute):
        raise NotCaptured(f"of what line {call.lineno} calls a method is not clear")
    owner = func.value
    if (
        isinstance(owner, ast.Call)
        and isinstance(owner.func, ast.Name)
        and owner.func.id == "super"
    ):
        around = context.tree.function_around(call)
        if owner.args or not isinstance(around, ast.FunctionDef) or not around.args.args:
            raise NotCaptured(f"of what line {call.lineno} calls a method is not clear")
        return ast.copy_location(ast.Name(around.args.args[0].arg, ast.Load()), owner)
    return owner
