"""Objects that share nothing because one of them is made of nothing that was there before."""

from __future__ import annotations

import ast

from codemods._evidence import is_graph_node
from nnx_migrate.facts import ir
from nnx_migrate.facts.callers import argument_for
from nnx_migrate.facts.project import layer_of
from nnx_migrate.facts.values import (
    ARRAY,
    PLAIN,
    ClassValue,
    FunctionValue,
    LibraryValue,
    Located,
    ParameterOf,
    Scope,
    Value,
)
from nnx_migrate.rewrite.context import FileContext
from nnx_migrate.rewrite.ownership import direct_calls

_MAX_HOPS = 6
_KINDS = frozenset({"module", "metric", "optimizer", "variable"})
#: What gives a copy of all that an object holds.
_COPIES = frozenset({"clone"})


def made_apart(context: FileContext, one: Located, other: Located, hops: int = _MAX_HOPS) -> bool:
    """Whether two objects are made by calls of their own, and hold nothing in common.

    Of parameters, whether this is so of what each call in the project passes.
    """
    one, other = _where_bound(context, one), _where_bound(context, other)
    first, second = _origin(context, one, hops), _origin(context, other, hops)
    if first is None or second is None or hops == 0 or _holds(context, one, other):
        return False
    if isinstance(first, ParameterOf) and isinstance(second, ParameterOf):
        return first.scope == second.scope and _passed_apart(context, first, second, hops)
    if first == second:
        return False
    given = [each for each in (first, second) if isinstance(each, ParameterOf)]
    made = [each for each in (first, second) if isinstance(each, Located)]
    if given and {each.scope for each in given} != {each.scope for each in made}:
        return False
    return all(_is_made_alone(context, each) for each in made)


def _where_bound(context: FileContext, place: Located) -> Located:
    """The same in the function that binds the name, where more may be done to the object."""
    if isinstance(place.expr, ir.Name):
        bindings = context.project.bindings(place.scope, place.expr.id)
        if bindings:
            return Located(bindings[0].scope, place.expr)
    return place


def _origin(context: FileContext, place: Located, hops: int) -> Located | ParameterOf | None:
    """The call that makes an object, or the parameter that it comes by."""
    scope, expr = place.scope, place.expr
    for _ in range(hops):
        match expr:
            case ir.Name(id=name):
                bindings = context.project.bindings(scope, name)
                if len(bindings) != 1:
                    return None
                if isinstance(bindings[0], ParameterOf):
                    return bindings[0]
                scope, expr = bindings[0].scope, bindings[0].expr
            case ir.Attribute():
                stored = context.analysis.identity.stored(scope, expr)
                if stored is None:
                    return None
                scope, expr = stored.scope, stored.expr
            case ir.Unpacked(base=ir.Sequence(elements=elements), index=index):
                if any(isinstance(each, ir.Starred) for each in elements):
                    return None
                expr = elements[index]
            case ir.Call():
                return Located(scope, expr)
            case _:
                return None
    return None


def _holds(context: FileContext, one: Located, other: Located) -> bool:
    """Whether one of them is stored in the other, or is a part of it, as far as is seen there."""
    identity = context.analysis.identity
    paths = [identity.path(each.scope, each.expr) for each in (one, other)]
    kept = [path for each in (one, other) for path in identity.kept(each.scope, each.expr)]
    known = [path for path in paths if path]
    if len(known) == 2 and (
        known[0][: len(known[1])] == known[1] or known[1][: len(known[0])] == known[0]
    ):
        return True
    if any(path[: len(each)] == each for path in kept for each in known):
        return True
    return one.scope == other.scope and _given_to_one(context, one, other)


def _given_to_one(context: FileContext, one: Located, other: Located) -> bool:
    """Whether both are given to a function that may store one in the other."""
    for call in context.project.function(one.scope).calls:
        given = [*call.args, *(value for _, value in call.keywords)]
        if one.expr not in given or other.expr not in given:
            continue
        values = context.evaluator.values(one.scope, call.func)
        if not values or any(_may_store(context, value, call) for value in values):
            return True
    return False


def _may_store(context: FileContext, value: Value, call: ir.Call) -> bool:
    if isinstance(value, LibraryValue):
        return False
    if not isinstance(value, FunctionValue):
        return True
    parameters = context.project.function(value.scope).parameters
    effects = (context.analysis.effects.of(value.scope, p.name) for p in parameters)
    return any(effect.kind != "escape" and not effect.sows for found in effects for effect in found)


def _passed_apart(context: FileContext, first: ParameterOf, second: ParameterOf, hops: int) -> bool:
    definition = context.tree.functions.get(first.scope.function)
    if first.scope.module != context.tree.module or not isinstance(definition, ast.FunctionDef):
        return False
    if direct_calls(context, definition) is None:
        return False  # others may call it
    function = context.project.function(first.scope)
    callers = context.evaluator.callers.of(first.scope)
    for where, call, value in callers:
        offset = (1 if value.bound else 0) + value.partial_args
        one = argument_for(function, first.parameter, call, offset)
        other = argument_for(function, second.parameter, call, offset)
        if one is None or other is None:
            return False
        if not made_apart(context, Located(where, one), Located(where, other), hops - 1):
            return False
    return bool(callers)


def _is_made_alone(context: FileContext, made: Located) -> bool:
    """Whether a call makes an object of which all parts are made by it."""
    scope, call = made.scope, made.expr
    if not isinstance(call, ir.Call):
        return False
    if context.project.nnx_name(scope, call.func) in _COPIES:
        return len(call.args) == 1 and not call.keywords
    class_name = context.evaluator.hierarchy.class_name(scope, call.func)
    if class_name is None or context.evaluator.hierarchy.kind(class_name) not in _KINDS:
        return False
    if layer_of(class_name) is None and not _makes_its_parts(context, class_name, frozenset()):
        return False
    if any(True for _ in context.analysis.sharing.kept_arguments(scope, call)):
        return False
    given = [*call.args, *(value for _, value in call.keywords)]
    return all(_brings_nothing(context, Located(scope, each)) for each in given)


def _brings_nothing(context: FileContext, given: Located) -> bool:
    """Whether no Variable that is there before comes in by an argument of a constructor.

    Streams of an Rngs are forked by all that keep them, but for classes that are seen to keep it.
    """
    if isinstance(given.expr, ir.Starred):
        return False
    if isinstance(given.expr, ir.Call) and _is_made_alone(context, given):
        return True
    values = context.evaluator.values(given.scope, given.expr)
    if is_graph_node(context, values, frozenset({"rngs"})):
        return True
    return bool(values) and all(map(_is_no_object, values))


def _is_no_object(value: Value) -> bool:
    return value in ARRAY | PLAIN or isinstance(value, FunctionValue | LibraryValue | ClassValue)


def _makes_its_parts(context: FileContext, class_name: str, seen: frozenset[str]) -> bool:
    """Whether a class and those that it makes keep no object of a module, and none by default."""
    if class_name in seen:
        return True
    hierarchy = context.evaluator.hierarchy
    if not hierarchy.ancestry(class_name).closed:
        return False
    for ancestor in hierarchy.ancestry(class_name).classes:
        located = context.project.class_of(ancestor)
        if located is None:
            continue
        module, record = located
        for key in record.methods.values():
            scope = Scope(module, key)
            function = context.project.function(scope)
            defaults = [p.default for p in function.parameters if p.default is not None]
            if any(_may_be_object(context, Located(scope, each)) for each in defaults):
                return False
            stored = [write.value for write in function.writes if write.value is not None]
            passed = [argument for call in function.calls for argument in call.args]
            passed += [value for call in function.calls for _, value in call.keywords]
            if any(_is_of_module(context, scope, each) for each in (*stored, *passed)):
                return False
            for call in function.calls:
                made = hierarchy.class_name(scope, call.func)
                if made is None or context.project.class_of(made) is None:
                    continue
                if not _makes_its_parts(context, made, seen | {class_name}):
                    return False
    return True


def _is_of_module(context: FileContext, scope: Scope, expr: ir.Expr) -> bool:
    """Whether it is a name, of a file, of something that may be an object."""
    root = ir.root_name(expr)
    if root is None:
        return False
    bindings = context.project.bindings(scope, root.id)
    outside = bool(bindings) and all(b.scope.function == ir.MODULE_SCOPE for b in bindings)
    return outside and _may_be_object(context, Located(scope, expr))


def _may_be_object(context: FileContext, place: Located) -> bool:
    values = context.evaluator.values(place.scope, place.expr)
    return not values or not all(map(_is_no_object, values))
