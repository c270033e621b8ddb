"""Objects that are made of nothing that was there before."""

from __future__ import annotations

import dataclasses

from nnx_codemods._evidence import is_graph_node
from nnx_migrate.analysis.domain.values import (
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
from nnx_migrate.analysis.flax.names import layer_of
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.rewrite.model.context import FileContext

_KINDS = frozenset({"module", "metric", "optimizer", "variable"})
#: What gives a copy of all that an object holds.
_COPIES = frozenset({"clone"})


@dataclasses.dataclass(frozen=True, slots=True)
class Made:
    """A call that makes an object.

    Args:
        scope: where it stands.
        call: the call.
        place: its place in a display of several, which may look the same.
    """

    scope: Scope
    call: ir.Call
    place: int = 0


def origin_of(context: FileContext, place: Located) -> Made | ParameterOf | None:
    """The call that makes an object, or the parameter that it comes by."""
    scope, expr, number = place.scope, place.expr, 0
    seen: set[tuple[Scope, ir.Expr]] = set()
    while (scope, expr) not in seen:
        seen.add((scope, expr))
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
                expr, number = elements[index], index
            case ir.Call():
                return Made(scope, expr, number)
            case _:
                return None
    return None


def is_made_alone(context: FileContext, made: Made, around: frozenset[Scope] = frozenset()) -> bool:
    """Whether a call makes an object of which all parts are made by it.

    Args:
        around: the functions that are looked at, as one of them may call it.
    """
    scope, call = made.scope, made.call
    copies = context.project.nnx_name(scope, call.func) in _COPIES
    if copies or context.project.dotted(scope, call.func) == "copy.deepcopy":
        return len(call.args) == 1 and not call.keywords
    class_name = context.evaluator.hierarchy.class_name(scope, call.func)
    if class_name is None:
        return _is_factory(context, Located(scope, call.func), around)
    if context.evaluator.hierarchy.kind(class_name) not in _KINDS:
        return False
    if layer_of(class_name) is None and not _makes_its_parts(context, class_name, frozenset()):
        return False
    if any(True for _ in context.analysis.sharing.kept_arguments(scope, call)):
        return False
    given = [*call.args, *(value for _, value in call.keywords)]
    return all(_brings_nothing(context, Located(scope, each), around) for each in given)


def _is_factory(context: FileContext, called: Located, around: frozenset[Scope]) -> bool:
    """Whether it is a function that makes an object each time, keeps none and is given none."""
    values = context.evaluator.values(called.scope, called.expr)
    for value in values:
        if not isinstance(value, FunctionValue) or value.transforms or value.bound:
            return False
        if value.scope in around:
            continue
        function = context.project.function(value.scope)
        if function.decorators or function.yields or not function.returns:
            return False
        for returned in function.returns:
            place = Located(value.scope, returned)
            origin = origin_of(context, place)
            if not isinstance(origin, Made) or origin.scope != value.scope:
                return False
            name = returned.id if isinstance(returned, ir.Name) else ""
            if name and (name in function.globals or _is_kept(context, value.scope, name)):
                return False
            if not is_made_alone(context, origin, around | {value.scope}):
                return False
    return bool(values)


def _is_kept(context: FileContext, scope: Scope, name: str) -> bool:
    """Whether a function does more with an object of its own than to return it."""
    effects = context.effects_of(scope, name)
    kept = any(effect.way != "returned" for effect in effects)
    return kept or any(True for _ in context.analysis.identity.kept(scope, ir.Name(name)))


def _brings_nothing(context: FileContext, given: Located, around: frozenset[Scope]) -> bool:
    """Whether no Variable that is there before comes in by an argument of a constructor.

    Streams of an Rngs are forked by all that keep them, but for classes that are seen to keep it.
    """
    if isinstance(given.expr, ir.Starred):
        return False
    made = isinstance(given.expr, ir.Call) and Made(given.scope, given.expr)
    if made and is_made_alone(context, made, around):
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
