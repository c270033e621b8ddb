"""What a Module holds: the types of its Variables, raw arrays, and what could not be seen."""

from __future__ import annotations

import dataclasses

from nnx_migrate.facts import ir
from nnx_migrate.facts.evaluate import Evaluator
from nnx_migrate.facts.fixpoint import Fixpoint
from nnx_migrate.facts.project import layer_of
from nnx_migrate.facts.values import (
    Basic,
    ContainerValue,
    Instance,
    Scope,
    TupleValue,
    Value,
    Values,
)


@dataclasses.dataclass(frozen=True, slots=True)
class Contents:
    """The leaves of an object.

    Args:
        variables: names of the Variable types among them; a subclass of Param counts as "Param".
        arrays: it may hold arrays outside of any Variable.
        unseen: why the list may not be complete; empty when it is.
    """

    variables: frozenset[str] = frozenset()
    arrays: bool = False
    unseen: tuple[str, ...] = ()

    def __or__(self, other: Contents) -> Contents:
        return Contents(
            self.variables | other.variables,
            self.arrays or other.arrays,
            tuple(dict.fromkeys(self.unseen + other.unseen)),
        )

    @property
    def only_params(self) -> bool:
        return self.variables == {"Param"} and not self.arrays and not self.unseen


_EMPTY = Contents()


def _unsettled(found: Contents) -> Contents:
    return found | Contents(unseen=("it holds objects of its own class",))


class ContentsFinder:
    """Computes the contents of instances of project and library classes."""

    def __init__(self, evaluator: Evaluator) -> None:
        self.evaluator = evaluator
        self.hierarchy = evaluator.hierarchy
        self.project = evaluator.project
        self._fixpoint = Fixpoint()

    def of(self, values: Values) -> Contents:
        """The contents of an object that can be any of `values`."""
        found = _EMPTY if values else Contents(unseen=("nothing is known about it",))
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
                return Contents(unseen=("a State is kept as an attribute",))
            case _:
                return _EMPTY

    def _instance(self, instance: Instance) -> Contents:
        kind = self.hierarchy.kind(instance.class_name)
        if kind == "variable":
            return Contents(frozenset({self._variable_type(instance.class_name)}))
        if kind == "plain":
            return _EMPTY
        if kind is None:
            return Contents(unseen=(f"{instance.class_name} is not defined in the project",))
        layer = layer_of(instance.class_name)
        if layer is not None:
            found = Contents(layer.variables, layer.raw_arrays)
            for keyword in instance.keywords & layer.conditional_variables.keys():
                found |= Contents(layer.conditional_variables[keyword])
            if layer.name == "Module":
                found |= Contents(unseen=("its class is not known",))
            return found | (self.of(instance.wraps) if instance.wraps else _EMPTY)
        names = [instance.class_name]
        if not instance.exact:
            names += self.hierarchy.descendants(instance.class_name)
        found = _EMPTY
        for name in dict.fromkeys(names):
            found |= self._class(name)
        return found

    def _variable_type(self, class_name: str) -> str:
        names = [
            name.rpartition(".")[2]
            for name in self.hierarchy.ancestry(class_name).classes
            if layer_of(name) is not None
        ]
        return "Param" if "Param" in names else names[0] if names else class_name

    def _class(self, class_name: str) -> Contents:
        return self._fixpoint.get(
            class_name, lambda: self._class_contents(class_name), _EMPTY, _unsettled
        )

    def _class_contents(self, class_name: str) -> Contents:
        ancestry = self.hierarchy.ancestry(class_name)
        found = _EMPTY if ancestry.closed else Contents(unseen=(f"a base class of {class_name}",))
        for ancestor in ancestry.classes:
            layer = layer_of(ancestor)
            if layer is not None and layer.name not in {"Module", "Pytree"}:
                found |= self._value(Instance(ancestor))
            found |= self._own_attributes(ancestor)
        return found

    def _own_attributes(self, class_name: str) -> Contents:
        located = self.project.class_of(class_name)
        if located is None:
            return _EMPTY
        module, record = located
        found = _EMPTY
        for name in self._attribute_names(module, record):
            stored = self.evaluator.stored(class_name, name)
            for value in stored:
                found |= self.of(self.evaluator.values(value.scope, value.expr))
            if not stored and name in record.annotations:
                scope = Scope(module, record.scope)
                found |= self.of(self.evaluator.annotated(scope, record.annotations[name]))
        return found

    def _attribute_names(self, module: str, record: ir.Class) -> list[str]:
        names = [*record.attributes, *record.annotations]
        for key in record.methods.values():
            function = self.project.modules[module].functions[key]
            if not function.parameters:
                continue
            own = ir.Name(function.parameters[0].name)
            names += [
                write.target.name
                for write in function.writes
                if isinstance(write.target, ir.Attribute) and write.target.base == own
            ]
        return list(dict.fromkeys(names))
