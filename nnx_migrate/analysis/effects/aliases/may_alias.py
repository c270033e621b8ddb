"""Which expressions of a function are, or hold, an object that it was given, or a part of it."""

from __future__ import annotations

import functools
from collections.abc import Iterable

from nnx_migrate.analysis.callgraph.call_form import column, unstarred
from nnx_migrate.analysis.domain.containers import is_container
from nnx_migrate.analysis.domain.fixpoint import UNKNOWN
from nnx_migrate.analysis.domain.unknown import Unknown, unknown
from nnx_migrate.analysis.domain.values import (
    ARRAY,
    Basic,
    ClassValue,
    ContainerValue,
    FunctionValue,
    Instance,
    LibraryValue,
    ParameterOf,
    Scope,
    TupleValue,
    Value,
    Values,
    is_unknown,
)
from nnx_migrate.analysis.effects.aliases.call_aliases import (
    call_gives,
    is_kept_by,
    is_put_in,
    is_put_in_by,
    is_stored_at,
    operator_gives,
)
from nnx_migrate.analysis.effects.aliases.keepers import kept_under, stores_of
from nnx_migrate.analysis.effects.summary import EffectFinder
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.ir.lowering.expressions import is_new_container
from nnx_migrate.analysis.library.effect_model import VARIABLE_READS, VARIABLE_WRITES

#: Attributes that hold no object, whatever they are attributes of.
_DESCRIBING = frozenset({"shape", "dtype", "ndim"})
#: Expressions that stand for nothing that was there before.
_NO_REFERENCES = (ir.Constant, ir.FunctionRef, ir.ClassRef)
_HOLDING = "[*]"
_VIEWS = frozenset({"state", "split", "variables", "pop", "view", "compat.state", "compat.split"})


class Aliases:
    """Follows one parameter of one function through names, attributes, containers and calls.

    What the function captures under a name is followed like a parameter of that name, and an object
    of a module ("package.state.model") under all names that this file, or others, have for it.
    """

    def __init__(self, finder: EffectFinder, scope: Scope, parameter: str) -> None:
        self.finder = finder
        self.evaluator = finder.evaluator
        self.project = finder.project
        self._known = finder.fixpoint.known
        self.scope = scope
        self._key = parameter
        self._is_holder = parameter.endswith(_HOLDING)
        #: The attribute under which the parameter keeps the object, where it is none itself.
        parameter, self.attribute = kept_under(parameter)
        parameter, self._places, self._length = parted(parameter)
        self.parameter = parameter
        own = any(p.name == parameter for p in self.project.function(scope).parameters)
        self.captured = [] if own else self.project.bindings(scope, parameter)
        self.of_module = is_of_module(parameter)
        if self.of_module:
            self.captured = self.project.member(parameter) or []
        #: The files of which something may be an object of a module: by a name that leads there.
        self._naming = self.project.leading_to(module_of(parameter)) if self.of_module else None

    @functools.cached_property
    def stores(self) -> dict[ir.Expr, list[tuple[str, Scope, ir.Expr]]]:
        """What the function stores in objects."""
        return stores_of(self.project, self.scope)

    def way_to(self, scope: Scope, expr: ir.Expr) -> str | None:
        """The attributes that lead to it from the parameter that keeps the object, if they do."""
        if not self.attribute:
            return None
        names: list[str] = []
        while isinstance(expr, ir.Attribute) and not self._is_the_object(scope, expr):
            names.append(expr.name)
            expr = expr.base
        return ".".join(reversed(names)) if self.is_whole(scope, expr) else None

    def values(self, scope: Scope, expr: ir.Expr) -> Values:
        return self.evaluator.values(scope, expr) or unknown(Unknown.NOT_RESOLVED)

    def rooted(self, scope: Scope, expr: ir.Expr) -> bool:
        """Whether `expr` is the tracked object or a part of it that may hold Variables."""
        if isinstance(expr, _NO_REFERENCES):
            return False
        if self._naming is not None and scope.module not in self._naming:
            return False
        key = ("rooted", self.scope, self._key, scope, expr)
        known = self._known.get(key)
        if isinstance(known, bool):
            return known
        if known is not None and (found := self.finder.fixpoint.found(known)) is not UNKNOWN:
            return found is True
        return self.finder.fixpoint.get(
            key, lambda: self._is_rooted(scope, expr), False, lambda _: True
        )

    def any_rooted(self, scope: Scope, expressions: Iterable[ir.Expr]) -> bool:
        return any(self.rooted(scope, unstarred(expr)) for expr in expressions)

    def _is_rooted(self, scope: Scope, expr: ir.Expr) -> bool:
        match expr:
            case ir.ImportRef() | ir.Attribute() if self._is_the_object(scope, expr):
                return not self.attribute
            case ir.Name(id=name):
                bindings = self.project.bindings(scope, name)
                named = self.of_module or name == self.parameter
                if self.captured and named and bindings == self.captured:
                    return not self.attribute
                if is_kept_by(self, scope, expr) or is_put_in_by(self, scope, expr):
                    return True
                leads_there = any(
                    not self.attribute and self._is_parameter(binding)
                    if isinstance(binding, ParameterOf)
                    else self.rooted(binding.scope, binding.expr)
                    for binding in bindings
                )
                return leads_there and self._may_hold(scope, expr)
            case ir.Attribute(base=base, name=name):
                if is_stored_at(self, scope, expr):
                    return True
                if self.attribute and self.way_to(scope, expr) == self.attribute:
                    return self._may_hold(scope, expr)
                return (
                    name not in _DESCRIBING
                    and self.rooted(scope, base)
                    and not self.is_of_variable(scope, expr, VARIABLE_READS)
                    and self._may_hold(scope, expr)
                    and not self._is_outside_tree(scope, expr)
                )
            case ir.Unpacked() if (part := self._column(scope, expr)) is not None:
                return self.rooted(scope, part)
            case ir.Unpacked() if self._is_at_another_place(scope, expr):
                return False
            case ir.Element(base=base) | ir.Unpacked(base=base):
                whole = self.rooted(scope, base) and not self.is_variable(scope, base)
                return (whole or is_put_in(self, scope, base)) and self._may_hold(scope, expr)
            case ir.Choice(options=parts) | ir.Sequence(elements=parts):
                return self.any_rooted(scope, parts)
            case ir.Starred(value=value):
                return self.rooted(scope, value)
            case ir.Within(key=key, expr=inner):
                return self.rooted(Scope(scope.module, key), inner)
            case ir.Computed(operands=operands) if operands:
                return self.any_rooted(scope, operands) and (
                    any(map(is_container, self.values(scope, expr)))
                    or operator_gives(self, scope, operands)
                )
            case ir.Call():
                # A list of arrays that a call gives is taken for its own.
                return call_gives(self, scope, expr) and self._may_hold(scope, expr, arrays=False)
            case _:
                return False

    def is_whole(self, scope: Scope, expr: ir.Expr) -> bool:
        """Whether it is nothing but the tracked parameter itself."""
        bindings = self.project.bindings(scope, expr.id) if isinstance(expr, ir.Name) else []
        if self.of_module:
            is_it = bool(bindings) and bindings == self.captured
            return is_it or self._is_the_object(scope, expr)
        return bool(bindings) and all(
            isinstance(binding, ParameterOf) and self._is_parameter(binding) for binding in bindings
        )

    def _is_at_another_place(self, scope: Scope, place: ir.Unpacked) -> bool:
        """Whether it is an element of the tuple that is given, and the object is at other ones."""
        if not self._length or not self.is_whole(scope, place.base):
            return False
        return place.index % self._length not in self._places

    def _column(self, scope: Scope, place: ir.Unpacked) -> ir.Expr | None:
        """What a name goes over that is one of several: `b` in `for a, b in zip(xs, ys)`."""
        base = place.base
        if isinstance(base, ir.Unpacked):
            base = self._column(scope, base) or base
        match base:
            case ir.Iterated(base=ir.Call(func=ir.Name(id=name) as func) as call):
                builtin: Values = frozenset({LibraryValue(f"builtins.{name}")})
                known = self.values(scope, func) == builtin
                return column(call, name, place.index) if known else None
            case _:
                return None

    def _is_the_object(self, scope: Scope, expr: ir.Expr) -> bool:
        """Whether it is the object of a module, by an import or as an attribute of the module."""
        return self.of_module and self.project.dotted(scope, expr) == self.parameter

    def _may_hold(self, scope: Scope, expr: ir.Expr, arrays: bool = True) -> bool:
        """Whether it may be a part of an object.

        Args:
            arrays: whether a list or the like of arrays may be: it is what a Module keeps.
        """
        return any(_may_hold(value, arrays) for value in self.values(scope, expr))

    def _is_outside_tree(self, scope: Scope, attribute: ir.Attribute) -> bool:
        """Whether a Module keeps there what is the same object in a transform, in both modes."""
        hierarchy = self.finder.hierarchy
        owners, held = self.values(scope, attribute.base), self.values(scope, attribute)
        kinds = {isinstance(v, Instance) and hierarchy.kind(v.class_name) for v in owners}
        return kinds == {"module"} and all(map(hierarchy.is_opaque, held))

    def _is_parameter(self, binding: ParameterOf) -> bool:
        """Whether it is the tracked parameter, or that of an inner function with it as default."""
        if binding.scope == self.scope:
            return binding.parameter.name == self.parameter
        default = binding.parameter.default
        parent = self.project.function(binding.scope).parent
        if default is None or parent is None:
            return False
        return self.rooted(Scope(binding.scope.module, parent), default)

    def is_own_object(self, scope: Scope) -> bool:
        """Whether the method around `scope` has the tracked object for its own."""
        function = self.project.function(scope)
        while function.owner is None and function.parent is not None:
            scope = Scope(scope.module, function.parent)
            function = self.project.function(scope)
        own = function.parameters[:1] if function.owner is not None else ()
        return any(self.rooted(scope, ir.Name(parameter.name)) for parameter in own)

    def is_variable(self, scope: Scope, expr: ir.Expr) -> bool:
        return all(self._is_variable(value) for value in self.values(scope, expr))

    def reads_variable(self, scope: Scope, expr: ir.Expr) -> bool:
        """Whether it is a Variable or an array for all that is known: nothing else was seen."""
        return not any(
            isinstance(value, Instance) and not self._is_variable(value)
            for value in self.values(scope, expr)
        )

    def is_of_variable(self, scope: Scope, expr: ir.Attribute, names: frozenset[str]) -> bool:
        """Whether it is what a Variable has by one of some names, for all that is known.

        What holds something as `.value` may be any Module that does so, where nothing is known.
        """
        if expr.name not in names or not self.reads_variable(scope, expr.base):
            return False
        if expr.name not in VARIABLE_WRITES or not is_unknown(self.values(scope, expr.base)):
            return True
        evaluator, hierarchy = self.finder.evaluator, self.finder.hierarchy
        return not any(
            hierarchy.kind(each) == "module" and evaluator.stored(each, expr.name)
            for each in hierarchy.all_classes
        )

    def _is_variable(self, value: Value) -> bool:
        return isinstance(value, Instance) and (
            self.finder.hierarchy.kind(value.class_name) == "variable"
        )

    def is_local_container(self, scope: Scope, base: ir.Expr) -> bool:
        """Whether it is a list or the like that is made here, and ends with the call."""
        if not self.is_made_container(scope, base):
            return False
        assert isinstance(base, ir.Name)
        return all(self._is_inside(b.scope) for b in self.project.bindings(scope, base.id))

    def is_made_container(self, scope: Scope, base: ir.Expr) -> bool:
        """Whether a name is bound to nothing but displays: a list of parts is not the object.

        What `**options` collects is a new dict in each call.
        """
        bindings = self.project.bindings(scope, base.id) if isinstance(base, ir.Name) else []
        return bool(bindings) and all(
            b.parameter.kind == "double_star"
            if isinstance(b, ParameterOf)
            else is_new_container(_as_bound(b.expr)) or self._is_copy(b.scope, _as_bound(b.expr))
            for b in bindings
        )

    def is_given_container(self, scope: Scope, base: ir.Expr) -> bool:
        """Whether it is the parameter, and that a list or the like which a caller has made."""
        return self._is_holder and self.is_whole(scope, base)

    def _is_copy(self, scope: Scope, expr: ir.Expr) -> bool:
        """Whether it is `table.copy()` of what is a list, a dict or the like for all it can be."""
        match expr:
            case ir.Call(func=ir.Attribute(base=base, name="copy"), args=(), keywords=()):
                copied = self.values(scope, base)
                return bool(copied) and all(isinstance(v, ContainerValue) for v in copied)
            case _:
                return False

    def _is_inside(self, scope: Scope) -> bool:
        key: str | None = scope.function
        while key is not None and key != self.scope.function:
            key = self.project.modules[scope.module].functions[key].parent
        return scope.module == self.scope.module and key is not None

    def escapes(self, scope: Scope, value: ir.Expr, seen: frozenset[str] = frozenset()) -> bool:
        """Whether a value that leaves the function is the object, a part or a State of it."""
        match value:
            case ir.Sequence(elements=parts) | ir.Choice(options=parts):
                return any(self.escapes(scope, part, seen) for part in parts)
            case ir.Name(id=name) if name not in seen and not self.rooted(scope, value):
                return any(
                    self.escapes(b.scope, b.expr, seen | {name})
                    for b in self.project.bindings(scope, name)
                    if not isinstance(b, ParameterOf)
                    and b.scope == scope
                    and isinstance(b.expr, ir.Call | ir.Sequence | ir.Unpacked)
                )
            case ir.Unpacked(base=ir.Call() as call) if self._is_view(scope, call):
                return self.escapes(scope, call, seen)
            case ir.Call(func=ir.ANNOTATED, args=(_, held)):
                return self.escapes(scope, held, seen)
            case ir.Call(func=func, args=(first, *_)) if self._is_view(scope, value):
                # What was sown in a Module that is put together here is new.
                merged = self.project.nnx_name(scope, func) != "pop"
                return self.rooted(scope, first) or (merged and self.escapes(scope, first, seen))
            case ir.Call(func=func, args=(_, *states), keywords=()) if (
                self.project.nnx_name(scope, func) == "merge"
            ):
                return any(self.escapes(scope, state, seen) for state in states)
            case ir.Call(func=ir.Attribute(base=ir.Call() as base)) if self._is_view(scope, base):
                return self.escapes(scope, base, seen)  # nnx.state(m).filter(...)
            case _:
                return self.rooted(scope, value)

    def _is_view(self, scope: Scope, call: ir.Call) -> bool:
        """Whether it gives a State, or the like, that holds the Variables of an object."""
        return self.project.nnx_name(scope, call.func) in _VIEWS


def with_places(name: str, places: Iterable[int], length: int) -> str:
    """A parameter that is a tuple of so many elements, with the object at some of its places."""
    return f"{name}[{','.join(map(str, sorted(places)))}/{length}]"


def holding(name: str) -> str:
    """A parameter that is a list or the like which a caller has made, with the object in it."""
    return f"{name}{_HOLDING}"


def parted(parameter: str) -> tuple[str, frozenset[int], int]:
    """The name of a parameter, the places of the object in it, and how many there are, or 0."""
    name, bracket, rest = parameter.partition("[")
    if not bracket or parameter.endswith(_HOLDING):
        return name, frozenset(), 0
    places, _, length = rest.rstrip("]").partition("/")
    return name, frozenset(map(int, places.split(","))), int(length)


def is_of_module(name: str) -> bool:
    """Whether it names an object of a module, and no variable of a function."""
    return "." in name


def module_of(name: str) -> str:
    """The module of an object of a module; empty for a variable of a function."""
    return name.rpartition(".")[0]


def _may_hold(value: Value, arrays: bool) -> bool:
    match value:
        case Basic(sort="plain" | "array" | "graphdef") | LibraryValue() | ClassValue():
            return False
        case FunctionValue():
            return False
        case ContainerValue(element=element):
            held = arrays and element >= ARRAY
            return not element or held or any(_may_hold(v, arrays) for v in element)
        case TupleValue(elements=elements):
            return any(_may_hold(v, arrays) for part in elements for v in part)
        case _:
            return True


def _as_bound(expr: ir.Expr) -> ir.Expr:
    """What grows a container is bound in the scope where it grows."""
    return expr.expr if isinstance(expr, ir.Within) else expr
