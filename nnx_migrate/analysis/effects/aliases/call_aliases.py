"""Whether a call gives an object back, a part of it, or something that keeps it.

These functions and `Aliases` ask each other: what a call gives depends on what it is given. They
are no object beside it: two that hold each other are never freed (`engine.workers.uncollected`).
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from nnx_migrate.analysis.callgraph.binding import arguments
from nnx_migrate.analysis.callgraph.call_form import mapped
from nnx_migrate.analysis.callgraph.dunder_dispatch import arithmetic_runs, methods_run
from nnx_migrate.analysis.domain.values import (
    Basic,
    ClassValue,
    ContainerValue,
    FunctionValue,
    Instance,
    LibraryValue,
    Scope,
    TupleValue,
    Value,
)
from nnx_migrate.analysis.flax.names import layer_of
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.library.effect_model import gives_part_of
from nnx_migrate.analysis.symbols.passed_on import writes_in

if TYPE_CHECKING:
    from nnx_migrate.analysis.effects.aliases.may_alias import Aliases

#: Methods that give what a container, or a Module, holds.
_GIVING = frozenset(
    {
        "items",
        "values",
        "get",
        "pop",
        "popitem",
        "popleft",
        "copy",
        "setdefault",
        "_replace",
        "replace",
        "iter_modules",
        "iter_children",
    }
)
_GIVING_DEFAULTS = frozenset({"get", "pop", "setdefault"})


def is_kept_by(aliases: Aliases, scope: Scope, name: ir.Name) -> bool:
    """Whether a local object was given it by a method that keeps it: `runner.add(model)`."""
    return any(
        isinstance(value, FunctionValue)
        and value.bound
        and _is_given(aliases, scope, call)
        and _function_gives(aliases, scope, value, call, "kept in self")
        for call in aliases.finder.calls_on(scope, name)
        for value in aliases.values(scope, call.func)
    )


def is_put_in_by(aliases: Aliases, scope: Scope, name: ir.Name) -> bool:
    """Whether a function put it in a container that is made here: `fill(table, model)`."""
    calls = aliases.finder.calls_given(scope, name)
    return bool(calls and aliases.is_made_container(scope, name)) and any(
        isinstance(value, FunctionValue)
        and _is_given(aliases, scope, call)
        and _function_gives(aliases, scope, value, call, "kept")
        for call in calls
        for value in aliases.values(scope, call.func)
    )


def is_stored_at(aliases: Aliases, scope: Scope, place: ir.Attribute) -> bool:
    """Whether it was stored there, in an object of which it is no part: `keeper.model = model`."""
    return any(
        write.target == place
        and write.how == "set"
        and write.value is not None
        and aliases.rooted(where, write.value)
        for where in aliases.project.within(aliases.scope)
        for write in writes_in(aliases.project.function(where))
    )


def is_put_in(aliases: Aliases, scope: Scope, container: ir.Expr) -> bool:
    """Whether it was put in what the function is given: `table["model"] = model`.

    What is put in a container that is made here, its name is bound to. What is put in one that
    another object keeps (`keeper.models.append(model)`), no name is.
    """
    kept = isinstance(container, ir.Attribute)
    if not kept and not isinstance(container, ir.Name):
        return False
    if aliases.is_made_container(scope, container):
        return False
    return any(
        write.target == container
        and write.how in ({"item", "key", "grow"} if kept else {"item", "key"})
        and write.value is not None
        and aliases.rooted(where, write.value)
        for where in aliases.project.within(aliases.scope)
        for write in writes_in(aliases.project.function(where))
    )


def call_gives(aliases: Aliases, scope: Scope, call: ir.Call) -> bool:
    """Whether a call gives back the object, a part of it, or something that keeps it."""
    if call.func == ir.ANNOTATED:
        return len(call.args) > 1 and aliases.rooted(scope, call.args[1])
    if call.func in {ir.SLICED, ir.ENTERED}:
        whole = call.args[0]
        return aliases.rooted(scope, whole) and not aliases.is_variable(scope, whole)
    if call.func == ir.OPERATED:
        return operator_gives(aliases, scope, call.args)
    if ir.is_super(call):
        own = len(call.args) < 2
        return aliases.is_own_object(scope) if own else aliases.rooted(scope, call.args[1])
    func = call.func
    if (
        isinstance(func, ir.Attribute)
        and func.name in _GIVING
        and (is_put_in(aliases, scope, func.base))
    ):
        return True
    if isinstance(func, ir.Call) and aliases.project.dotted(scope, func.func) == "weakref.ref":
        return aliases.rooted(scope, func)
    if isinstance(func, ir.Attribute) and aliases.rooted(scope, func.base):
        base = aliases.values(scope, func.base)
        if any(_method_gives(aliases, value, func.name) for value in base):
            return True
    if _gives_default(aliases, scope, call):
        return True
    return _is_given(aliases, scope, call) and any(
        _callee_gives(aliases, scope, value, call) for value in aliases.values(scope, func)
    )


def _is_given(aliases: Aliases, scope: Scope, call: ir.Call) -> bool:
    """Whether the object, or a part of it, is among what a call passes."""
    return aliases.any_rooted(scope, (*call.args, *(value for _, value in call.keywords)))


def _gives_default(aliases: Aliases, scope: Scope, call: ir.Call) -> bool:
    """Whether it may be what a look-up gives otherwise: `table.get(name, model.block)`."""
    func, otherwise = call.func, call.args[1:]
    if not isinstance(func, ir.Attribute) or func.name not in _GIVING_DEFAULTS:
        return False
    return aliases.any_rooted(scope, otherwise) and any(
        isinstance(value, ContainerValue) for value in aliases.values(scope, func.base)
    )


def operator_gives(aliases: Aliases, scope: Scope, operands: tuple[ir.Expr, ...]) -> bool:
    """Whether a class of the project may give the object back as the result of an operator."""
    for run in arithmetic_runs(aliases.project, operands):
        own, given = aliases.rooted(scope, run.operand), aliases.rooted(scope, run.given)
        call = ir.Call(ir.OPERATED, (run.given,), (), 0)
        for value in aliases.values(scope, run.operand) if own or given else ():
            for method in methods_run(aliases.finder.evaluator, value, run.methods):
                bound = FunctionValue(method, "", bound=True)
                if own and _gives_self(aliases, method):
                    return True
                if given and _function_gives(aliases, scope, bound, call, "returned"):
                    return True
    return False


def _method_gives(aliases: Aliases, value: Value, name: str) -> bool:
    match value:
        case Instance():
            methods = [
                aliases.finder.hierarchy.method(class_name, name)
                for class_name in aliases.finder.hierarchy.classes_of(value)
            ]
            found = [method for method in methods if isinstance(method, Scope)]
            if found:
                return any(_gives_self(aliases, method) for method in found)
            return name in _GIVING
        case ContainerValue() | TupleValue() | Basic(sort="unknown"):
            return name in _GIVING
        case _:
            return False


def _gives_self(aliases: Aliases, method: Scope) -> bool:
    parameters = aliases.project.function(method).parameters
    return bool(parameters) and aliases.finder.gives_back(method, parameters[0].name)


def _callee_gives(aliases: Aliases, scope: Scope, value: Value, call: ir.Call) -> bool:
    match value:
        case FunctionValue():
            return _function_gives(aliases, scope, value, call, "returned")
        case ClassValue(class_name=class_name):
            return _instance_keeps(aliases, scope, class_name, call)
        case Instance():
            method = aliases.finder.hierarchy.method(value.class_name, "__call__")
            if not isinstance(method, Scope):
                return False
            bound = FunctionValue(method, "", bound=True)
            return _function_gives(aliases, scope, bound, call, "returned")
        case LibraryValue(dotted=dotted):
            if dotted == "builtins.map":
                return aliases.rooted(scope, mapped(call))
            if dotted == "builtins.getattr" and len(call.args) > 1:
                name = call.args[1]
                if isinstance(name, ir.Constant) and name.text:
                    return aliases.rooted(scope, ir.Attribute(call.args[0], name.text))
            return gives_part_of(dotted)
        case _:
            return False


def _instance_keeps(aliases: Aliases, scope: Scope, class_name: str, call: ir.Call) -> bool:
    layer = layer_of(class_name)
    if layer is not None:
        return "argument" in layer.attributes.values()
    method = aliases.finder.hierarchy.method(class_name, "__init__")
    if isinstance(method, Scope):
        value = FunctionValue(method, "", bound=True)
        return _function_gives(aliases, scope, value, call, "kept in self")
    return True  # a dataclass, a named tuple


def _function_gives(
    aliases: Aliases, scope: Scope, value: FunctionValue, call: ir.Call, way: str
) -> bool:
    function = aliases.project.function(value.scope)
    for parameter, argument in arguments(function, value, call):
        reached = argument is not None and aliases.rooted(scope, argument)
        if parameter.kind in {"star", "double_star"} or reached:
            # What is kept takes all that a function does to see, so that is asked last.
            if way == "returned" and aliases.finder.gives_back(value.scope, parameter.name):
                return True
            # builder.add(model), which gives the builder
            if way == "kept":
                counts = _is_kept(aliases, value.scope, parameter.name, "kept")
            else:
                gives = way == "kept in self" or (value.bound and _gives_self(aliases, value.scope))
                counts = gives and _is_kept(aliases, value.scope, parameter.name, "kept in self")
            if counts:
                return True
    return False


def _is_kept(aliases: Aliases, scope: Scope, parameter: str, way: str) -> bool:
    """Whether a function keeps what it is given, in its own object or elsewhere."""
    done = aliases.finder.by_call(scope, parameter)
    return any(effect.way == way for effect in itertools.chain(done.each, *done.whole))
