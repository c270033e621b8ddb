"""Variables that methods put on their object each time they run: `self.kl = Loss(v)`.

Where nothing else makes Variables of the type, and nothing else is ever kept under the name, one
lies on the object as a value lies there that was sown: until somebody pops it.
"""

from __future__ import annotations

from collections.abc import Iterator

from nnx_migrate.analysis.domain.values import ClassValue, Scope
from nnx_migrate.analysis.interp.interpreter import Evaluator
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.library.effect_model import VARIABLE_READS

#: What takes such Variables off again, without which they are no more than attributes.
_POP = "pop"


class AddedVariables:
    """Finds the stores by which that is done."""

    def __init__(self, evaluator: Evaluator) -> None:
        self.evaluator = evaluator
        self.project = evaluator.project
        self.hierarchy = evaluator.hierarchy
        self._known: dict[str, bool] = {}

    def type_of(self, scope: Scope, write: ir.Write) -> str:
        """The class of the Variable that a store puts on the object; empty for any other store."""
        call = write.value
        if not isinstance(call, ir.Call) or not self.project.has_word(_POP):
            return ""
        if not self._stored_by(scope, call):
            return ""
        match [*self.evaluator.values(scope, call.func)]:
            case [ClassValue(class_name=name)] if self.is_only_added(name):
                return name
            case _:
                return ""

    def _stored_by(self, scope: Scope, call: ir.Call) -> str:
        """The attribute under which a method stores what a call makes; empty where it does not."""
        function = self.project.function(scope)
        if function.owner is None or function.name == "__init__" or not function.parameters:
            return ""
        own = ir.Name(function.parameters[0].name)
        if any(call in values for values in function.bindings.values()):
            return ""  # it has a name beside the attribute
        match [write for write in function.writes if write.value == call]:
            case [ir.Write(target=ir.Attribute(base=base, name=name), how="set")] if base == own:
                return name
            case _:
                return ""

    def is_only_added(self, name: str) -> bool:
        """Whether such stores are all that makes Variables of a class."""
        if name not in self._known:
            self._known[name] = False  # while it is asked for
            self._known[name] = self._find_only_added(name)
        return self._known[name]

    def _find_only_added(self, name: str) -> bool:
        if self.project.class_of(name) is None or self.hierarchy.kind(name) != "variable":
            return False
        if set(self.hierarchy.descendants(name)) > {name} or ClassValue(name) in self._sown():
            return False
        made = self.evaluator.callers.constructing(name)
        calls = {call for _, call in made}
        return all(self._is_alone(scope, call, calls) for scope, call in made)

    def _sown(self) -> Iterator[object]:
        """The types that are given to `sow`."""
        for scope, call in self.evaluator.callers.mentions.calls_of("sow"):
            yield from self.evaluator.values(scope, call.args[0]) if call.args else ()

    def _is_alone(self, scope: Scope, call: ir.Call, calls: set[ir.Call]) -> bool:
        """Whether nothing but what these calls make is kept where one of them is stored."""
        attribute = self._stored_by(scope, call)
        owner = f"{scope.module}:{self.project.function(scope).owner}"
        if not attribute:
            return False
        below = self.hierarchy.descendants(owner)
        mentions = self.evaluator.callers.mentions
        outside = (*mentions.outside_writes(attribute), *mentions.set_elsewhere(attribute))
        if attribute in VARIABLE_READS or outside:
            return False
        related = dict.fromkeys(a for each in below for a in self.hierarchy.ancestry(each).classes)
        return all(self.hierarchy.ancestry(each).closed for each in below) and all(
            self.hierarchy.method(each, attribute) is None
            and all(stored.expr in calls for stored in self.evaluator.stored(each, attribute))
            for each in related
        )
