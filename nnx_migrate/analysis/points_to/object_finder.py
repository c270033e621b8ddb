"""Which objects an expression gives: the one answer to "is this the same object as that?"."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from nnx_migrate.analysis.domain.fixpoint import Lasts
from nnx_migrate.analysis.domain.values import (
    Located,
    Scope,
)
from nnx_migrate.analysis.heap.container_elements import are_under_keys
from nnx_migrate.analysis.interp.interpreter import Evaluator
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.library.effect_model import MUTATING_METHODS
from nnx_migrate.analysis.library.return_model import is_dict
from nnx_migrate.analysis.points_to.abstract_objects import (
    EACH,
    NOTHING,
    Held,
    Object,
    Variable,
    either,
    element,
    is_untold,
    known_as,
    mapped,
    step,
    under_keys,
)
from nnx_migrate.analysis.points_to.attribute_lookup import attribute_of
from nnx_migrate.analysis.points_to.call_results import called, what_is_returned
from nnx_migrate.analysis.points_to.container_calls import copied_name
from nnx_migrate.analysis.points_to.containers.displays import (
    calls_in,
    container,
    identified,
    in_turns,
    joined,
)
from nnx_migrate.analysis.points_to.containers.elements import at_index, at_key, spread
from nnx_migrate.analysis.points_to.containers.literals import literal_of
from nnx_migrate.analysis.points_to.name_lookup import any_binding, named, one_under
from nnx_migrate.analysis.points_to.queries import LAST, Filled, Kept, Objects
from nnx_migrate.analysis.points_to.special_methods import with_own_items, with_own_turns
from nnx_migrate.analysis.points_to.stores.kept import what_is_kept
from nnx_migrate.analysis.points_to.stores.removed import without_removed
from nnx_migrate.analysis.points_to.stores.stored import may_store, what_is_stored
from nnx_migrate.analysis.symbols.program import Binding


class ObjectFinder(Objects):
    """Follows names, attributes, containers and calls to where an object comes from.

    Args:
        without: attributes that are taken not to be there: methods, and what these store.
        before: of the project that this one is but for a file.
        lasting: gives those of its answers that still hold.
    """

    def __init__(
        self,
        evaluator: Evaluator,
        without: frozenset[tuple[Scope, str]] = frozenset(),
        before: ObjectFinder | None = None,
        lasting: Lasts | None = None,
    ) -> None:
        super().__init__(evaluator, before, lasting)
        self._without = without

    def resolved(self, scope: Scope, expr: ir.Expr, at: float = LAST) -> Held:
        """The same, with what a method's own object keeps as its class stores it."""
        return mapped(self.held(scope, expr, at), lambda held: self._as_stored(held, frozenset()))

    def _as_stored(self, held: Held, around: frozenset[tuple[Variable, str]]) -> Held:
        own = held.object
        if own is None or not own.path or not isinstance(own.root, Variable):
            return held
        function = self.project.function(own.root.scope)
        if function.owner is None or own.root.name != function.parameters[0].name:
            return held
        first, *rest = own.path
        if (own.root, first) in around:
            return held
        stored = self.evaluator.stored(f"{own.root.scope.module}:{function.owner}", first)
        if len(stored) > 1 and not are_under_keys(each.expr for each in stored):
            inside = around | {(own.root, first)}
            others = self._other_names(own, first, stored)
            return either([held, *(self._as_stored(each, inside) for each in others)])
        options = [self.held(each.scope, each.expr) for each in stored]
        found, root = under_keys(options) if len(options) > 1 else either(options), own.root
        found = mapped(found, lambda each: self._as_stored(each, around | {(root, first)}))
        if is_untold(found):
            return held
        for name in rest:
            found = step(found, name, own.place)
        if found.object is not None:
            label = found.object.label or str(own)
            found = dataclasses.replace(
                found, object=dataclasses.replace(found.object, label=label)
            )
        return found

    def _other_names(self, own: Object, name: str, stored: list[Located]) -> Iterator[Held]:
        """What an attribute is after a method has run: `self.target = self.online`."""
        for each in stored:
            function = self.project.function(each.scope)
            if not isinstance(each.expr, ir.Attribute) or not function.parameters:
                continue
            other = self.held(each.scope, each.expr).object
            itself = Variable(each.scope, function.parameters[0].name, 0)
            if other is not None and other.root == itself and other.path[:1] != (name,):
                yield Held(Object(own.root, (*other.path, *own.path[1:]), own.place, own.label))

    def _held(self, scope: Scope, expr: ir.Expr, at: float) -> Held:
        match expr:
            case ir.Name(id=name):
                return named(self, scope, name, at)
            case ir.Attribute(base=base, name=name):
                return attribute_of(self, scope, base, name, at)
            case ir.Unpacked() | ir.Element():
                return self._item(scope, expr, at)
            case ir.Sequence(elements=elements, each=True, filtered=filtered):
                turn = [self.held(scope, each, at) for each in elements]
                return in_turns(turn, frozenset(calls_in(elements)), but_each=not filtered)
            case ir.Sequence(elements=elements, keys=keys):
                return container(self, scope, elements, at, keys)
            case ir.Starred(value=value):
                return Held(None, spread(self.held(scope, value, at), Located(scope, value)))
            case ir.Choice(options=options):
                return either(self.held(scope, each, at) for each in options)
            case ir.Computed(operands=operands) if operands:
                return joined(self, scope, operands, at)
            case ir.Within(key=key, expr=inner):
                return self.held(Scope(scope.module, key), inner, LAST)
            case ir.Call():
                return called(self, scope, expr, at)
            case _:
                return NOTHING

    def _item(self, scope: Scope, expr: ir.Unpacked | ir.Element, at: float) -> Held:
        """What is under an index or a key, or given in each turn of a loop."""
        base, here = expr.base, Located(scope, expr)
        if isinstance(expr, ir.Iterated) and is_dict(self.evaluator.values(scope, base)):
            return NOTHING  # a key
        is_last = isinstance(expr, ir.Unpacked) and expr.index < 0  # of all, or it would be another
        if isinstance(expr, ir.Iterated) and (copied := copied_name(self, scope, base)):
            whole = self.so_far(scope, copied, at, "on entry")
        elif isinstance(base, ir.Name) and not is_last:
            whole = self.so_far(scope, base.id, at)
        else:
            whole = self.held(scope, base, at)
        match expr:
            case ir.Unpacked(index=index) if index < 0 and self._changes(scope, base):
                found = element(whole, here)  # the last one is another one later
            case ir.Unpacked(index=index):
                found = at_index(whole, index, here)
                found = identified(self, scope, found, base, str(index))
            case ir.Iterated():
                found = known_as(element(whole, here), EACH)
                return with_own_turns(self, scope, found, expr, at)
            case ir.Element(key=key, index=index):
                if not key and len(index) == 1:
                    key = literal_of(self, scope, index[0], at)
                found = at_key(whole, key, here) if key else element(whole, here)
                if key:
                    found = identified(self, scope, found, base, key)
                elif index:
                    found = one_under(self, scope, found, base, index, at)
        return with_own_items(self, scope, found, expr, at)

    def _changes(self, scope: Scope, base: ir.Expr) -> bool:
        """Whether a function binds the name of a container anew, or changes what is in it."""
        if isinstance(base, ir.Name) and len(self.project.bindings(scope, base.id)) > 1:
            return True
        function = self.project.function(scope)
        return any(write.target == base for write in function.writes) or any(
            isinstance(call.func, ir.Attribute)
            and call.func.base == base
            and call.func.name in MUTATING_METHODS
            for call in function.calls
        )

    def _so_far(self, scope: Scope, name: str, at: float, filled: Filled) -> Held:
        return named(self, scope, name, at, filled)

    def _bound(self, name: str, to: tuple[tuple[Binding, int], ...]) -> Held:
        return any_binding(self, name, to)

    def _returned(self, scope: Scope) -> Held:
        return what_is_returned(self, scope)

    def _kept(self, method: Scope) -> tuple[Kept, ...]:
        found = tuple(what_is_kept(self, method))
        found = without_removed(found, self.project.function(method).removals)
        if not self._without:
            return found
        return tuple(kept for kept in found if (method, *kept[0][:1]) not in self._without)

    def _may_store(self, scope: Scope, name: str) -> bool:
        return may_store(self, scope, name)

    def _stored(self, scope: Scope, name: str) -> tuple[Kept, ...]:
        found = tuple(what_is_stored(self, scope, name))
        function = self.project.function(scope)
        if function.removals and name == function.parameters[0].name:
            found = without_removed(found, function.removals)
        return tuple(kept for kept in found if (scope, *kept[0][:1]) not in self._without)
