"""What a Module holds: the types of its Variables, raw arrays, and what could not be seen."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Sequence

from nnx_migrate.analysis.domain.fixpoint import Fixpoint, Lasts
from nnx_migrate.analysis.domain.values import (
    PLAIN,
    Basic,
    ContainerValue,
    Instance,
    Located,
    Scope,
    TupleValue,
    Value,
    Values,
    short_name,
)
from nnx_migrate.analysis.flax.model import Layer
from nnx_migrate.analysis.flax.names import layer_of
from nnx_migrate.analysis.heap.construction.settled_branches import (
    Construction,
    Settled,
    SettledBranches,
)
from nnx_migrate.analysis.heap.contents import Contents, Hides, unseen
from nnx_migrate.analysis.heap.data_leaves import marked_as_data
from nnx_migrate.analysis.heap.stored_names import has_computed_names, stored_names
from nnx_migrate.analysis.interp.annotations import annotated
from nnx_migrate.analysis.interp.containers.passed_to_base import keywords_to_base
from nnx_migrate.analysis.interp.containers.sequential_layers import held_by_layer
from nnx_migrate.analysis.interp.interpreter import Evaluator
from nnx_migrate.analysis.interp.stores.outside import stored_outside
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.library.return_model import CONTAINER_CLASSES
from nnx_migrate.analysis.symbols.passed_on import writes_in

_EMPTY = Contents()


def _unsettled(found: Contents) -> Contents:
    return found | unseen(Hides.OWN_CLASS)


class ContentsFinder:
    """Computes the contents of instances of project and library classes.

    Args:
        lasting: gives those of a class that were found earlier and still hold.
    """

    def __init__(self, evaluator: Evaluator, lasting: Lasts | None = None) -> None:
        self.evaluator = evaluator
        self.hierarchy = evaluator.hierarchy
        self.project = evaluator.project
        self.fixpoint = Fixpoint(lasting)
        self._known: dict[Values, Contents] = {}
        self._branches = SettledBranches(evaluator)

    def of(self, values: Values) -> Contents:
        """The contents of an object that can be any of `values`."""
        if self.fixpoint.computing:
            return self._of(values)
        if values not in self._known:
            self._known[values] = self._of(values)
        return self._known[values]

    def of_expression(self, scope: Scope, expr: ir.Expr, around: Settled | None = None) -> Contents:
        """The same of what an expression gives: the calls that make it may settle what it holds.

        Args:
            around: of an expression of a constructor, how that is called.
        """
        made = self._branches.constructions(scope, expr, around)
        return self._made(made) or self.of(self.evaluator.values(scope, expr))

    def of_passed(self, scope: Scope, expr: ir.Expr) -> Contents:
        """The same of what a function passes: of what it made itself, only what has run since."""
        found = self.of_expression(scope, expr)
        function = self.project.function(scope)
        if found.only_params or scope.function == ir.MODULE_SCOPE or function.yields:
            return found
        return self._made(self._branches.constructions(scope, expr, during=scope)) or found

    def _made(self, made: Sequence[Construction]) -> Contents | None:
        """The contents of Modules that calls make; None where these settle nothing."""
        kinds = {self.hierarchy.kind(each.class_name) for each in made}
        if kinds != {"module"} or not any(each.settled for each in made):
            return None
        found = _EMPTY
        for each in made:
            found |= self._class(each.class_name, each.settled)
            if each.settled is not None and (found.only_params or found == _EMPTY):
                found |= self._put_in(each)
        return found

    def _put_in(self, made: Construction) -> Contents:
        """What other code stores in an object that a call makes."""
        found = _EMPTY
        of_project = filter(self.project.class_of, self.hierarchy.ancestry(made.class_name).classes)
        for ancestor in of_project:
            for name in sorted(self.evaluator.names_stored_outside(ancestor)):
                in_place = self._is_variable(ancestor, name, made.settled)
                leave_out = functools.partial(self._is_apart, made, in_place)
                for value in stored_outside(self.evaluator, ancestor, name, leave_out):
                    found |= self._stored(name, value, made.settled)
        return found

    def _is_apart(
        self, made: Construction, in_place: bool, scope: Scope, write: ir.Write, base: ir.Expr
    ) -> bool:
        """Whether a store puts no other object into what a call makes.

        Args:
            in_place: what is there is a Variable, which gets another value by `m.w[...] = x`.
        """
        if in_place and write.how in {"item", "key"}:
            return True
        return self._branches.makes_another(made, scope, base)

    def _is_variable(self, class_name: str, name: str, settled: Settled | None) -> bool:
        """Whether what a class stores in an attribute of such an object is a Variable."""
        expressions = [
            (each.scope, self._branches.chosen(settled, each.expr) if settled else each.expr)
            for each in self.evaluator.stored(class_name, name)
            if self._may_be_stored(name, each, settled)
        ]
        found = {value for each in expressions for value in self.evaluator.values(*each) or {None}}
        held = found - PLAIN  # of None nobody sets an element
        return bool(held) and all(
            isinstance(value, Instance) and self.hierarchy.kind(value.class_name) == "variable"
            for value in held
        )

    def _of(self, values: Values) -> Contents:
        found = _EMPTY if values else unseen(Hides.NOTHING_KNOWN)
        for value in values:
            found |= self._value(value)
        return found

    def _value(self, value: Value) -> Contents:
        match value:
            case Instance():
                return self._instance(value)
            case ContainerValue(element=element):
                return self.of(element) if element else _EMPTY
            case TupleValue(elements=elements):
                found = _EMPTY
                for element in elements:
                    found |= self.of(element)
                return found
            case Basic(sort="array"):
                return Contents(arrays=True)
            case Basic(sort="unknown", reason=reason):
                return Contents(unseen=(reason,))
            case Basic(sort="state"):
                return unseen(Hides.STATE_KEPT)
            case _:
                return _EMPTY

    def _instance(self, instance: Instance) -> Contents:
        kind = self.hierarchy.kind(instance.class_name)
        if kind == "variable":
            return Contents(frozenset({self._variable_type(instance.class_name)}))
        if kind == "plain":
            tree = self.hierarchy.is_tree(instance.class_name)
            return self._class(instance.class_name) if tree else _EMPTY
        if kind is None:
            return unseen(Hides.NOT_IN_PROJECT, name=short_name(instance.class_name))
        layer = layer_of(instance.class_name)
        if layer is not None:
            found = Contents(layer.variables, layer.raw_arrays)
            for keyword, variables in layer.conditional_variables.items():
                if {keyword, "**"} & instance.keywords:
                    found |= Contents(variables)
            if layer.name == "Module":
                found |= unseen(Hides.CLASS_UNKNOWN)
            if layer.name == "ToNNX":
                found |= unseen(Hides.LINEN)
            return found | self._wrapped(instance, layer)
        found = _EMPTY
        for name in self.hierarchy.classes_of(instance):
            found |= self._class(name)
        return found

    def _wrapped(self, instance: Instance, layer: Layer) -> Contents:
        """What a library's Module holds of what its constructor was given."""
        held = held_by_layer(self.evaluator, instance)
        if instance.wraps:
            return self.of(held)
        if "argument" not in layer.attributes.values() or layer.kind != "module":
            return _EMPTY
        if instance.exact and layer.name in CONTAINER_CLASSES:
            # Made empty; what is added to a list is seen where it is added.
            return self.of(held) if held else _EMPTY
        return unseen(Hides.GIVEN_TO_LAYER, layer=layer.name)

    def _variable_type(self, class_name: str) -> str:
        names = [
            name.rpartition(".")[2]
            for name in self.hierarchy.ancestry(class_name).classes
            if layer_of(name) is not None
        ]
        return "Param" if "Param" in names else names[0] if names else class_name

    def of_class(self, class_name: str) -> Contents:
        """What objects of a class hold."""
        return self._class(class_name)

    def _class(self, class_name: str, settled: Settled | None = None) -> Contents:
        key = class_name if settled is None else (class_name, settled)
        return self.fixpoint.get(
            key, lambda: self._class_contents(class_name, settled), _EMPTY, _unsettled
        )

    def _class_contents(self, class_name: str, settled: Settled | None) -> Contents:
        ancestry = self.hierarchy.ancestry(class_name)
        found = _EMPTY if ancestry.closed else unseen(Hides.BASE_CLASS, name=short_name(class_name))
        for ancestor in ancestry.classes:
            layer = layer_of(ancestor)
            if layer is not None and layer.name not in {"Module", "Pytree"}:
                # Only some layers hold more when they are asked to.
                asked = bool(layer.conditional_variables)
                given = keywords_to_base(self.evaluator, class_name) if asked else frozenset[str]()
                found |= self._value(Instance(ancestor, keywords=given))
            found |= self._own_attributes(ancestor, settled)
        for ancestor in ancestry.classes if settled is None else ():
            # To look for what other code stores in its instances is dear, and often needless.
            if found.only_params or found == _EMPTY:
                found |= self._own_attributes(ancestor, settled, outside=True)
        return found

    def _own_attributes(
        self, class_name: str, settled: Settled | None, outside: bool = False
    ) -> Contents:
        """What the class's own code stores in its instances, or else what other code does too."""
        located = self.project.class_of(class_name)
        if located is None:
            return _EMPTY
        module, record = located
        found = _EMPTY
        if has_computed_names(self.project, module, record):
            found |= unseen(Hides.COMPUTED_NAMES, name=record.name)
        names = stored_names(self.project, module, record)
        if outside:
            names += sorted(self.evaluator.names_stored_outside(class_name))
        for name in dict.fromkeys(names):
            stored = self.evaluator.stored(class_name, name)
            others = stored_outside(self.evaluator, class_name, name) if outside else ()
            body = Scope(module, record.scope)
            for value in stored:
                held = self._stored(name, value, settled)
                if value.scope == body and not self._may_have_fields(class_name):
                    # It is the class's: no leaf of an object. Variables count all the same.
                    held = dataclasses.replace(held, arrays=bool(held.plain), unseen=())
                found |= held
            for value in others:
                found |= self._stored(name, value, settled)
            if name in record.annotations and all(each.scope == body for each in stored):
                found |= self.of(annotated(self.hierarchy, body, record.annotations[name]))
        return found

    def _stored(self, name: str, stored: Located, settled: Settled | None) -> Contents:
        """The contents of what is stored under a name, unless the constructor does not do that."""
        scope, expr = stored.scope, stored.expr
        if not self._may_be_stored(name, stored, settled):
            return _EMPTY
        if settled is None or scope != settled.init:
            return self.of_expression(scope, expr) | marked_as_data(self.evaluator, scope, expr)
        if self._branches.is_plain(settled, expr):
            return marked_as_data(self.evaluator, scope, expr)
        expr = self._branches.chosen(settled, expr)
        return self.of_expression(scope, expr, settled) | marked_as_data(
            self.evaluator, scope, expr
        )

    def _may_be_stored(self, name: str, stored: Located, settled: Settled | None) -> bool:
        """Whether what stores that under a name may run."""
        if settled is None:
            return True
        if stored.scope != settled.init:
            return self._branches.may_have_run(settled, stored.scope)
        lines = [
            write.line
            for write in writes_in(self.project.function(stored.scope))
            if write.value == stored.expr and ir.last_name(write.target) == name
        ]
        return not lines or any(self._branches.runs(settled, line) for line in lines)

    def _may_have_fields(self, class_name: str) -> bool:
        """Whether what the body of a class binds may become attributes of its objects."""
        above = map(self.project.class_of, self.hierarchy.ancestry(class_name).classes)
        return self.hierarchy.kind(class_name) != "module" or any(
            located is not None and located[1].decorators for located in above
        )
