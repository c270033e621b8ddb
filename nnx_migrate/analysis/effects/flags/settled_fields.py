"""Attributes that are false in all objects that a program makes of some classes.

`Config.use_cache` is, where no call of the class passes anything else than its default of False,
and nothing stores to it. What other programs make does not matter to one that is only started; a
class that code out of sight may use is settled nowhere else.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from nnx_migrate.analysis.callgraph.base import Evaluation
from nnx_migrate.analysis.callgraph.binding import argument_for, hides_arguments
from nnx_migrate.analysis.domain.values import ParameterOf, Scope
from nnx_migrate.analysis.effects.effect import TestedField
from nnx_migrate.analysis.effects.flags.escaping_classes import (
    EscapingClasses,
    is_plain_decorator,
)
from nnx_migrate.analysis.effects.flags.field_stores import FieldStores
from nnx_migrate.analysis.effects.flags.guards import FALSE
from nnx_migrate.analysis.interp.record_fields import fields_of
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.symbols.imports.import_graph import ImportFinder
from nnx_migrate.analysis.symbols.visibility import is_visible_outside

#: Methods by which a class decides more than its constructor shows.
_DECIDING = ("__new__", "__getattribute__", "__init_subclass__", "__setattr__")
#: Attributes that methods of every Module set.
_OF_MODES = frozenset({"deterministic", "use_running_average"})
#: How many parameters a call of a class does not pass.
_SELF = 1


class SettledFields:
    """Says which attributes are never true in the programs that run a file."""

    def __init__(self, evaluator: Evaluation, imports: ImportFinder) -> None:
        self.evaluator = evaluator
        self.project = evaluator.project
        self.hierarchy = evaluator.hierarchy
        self.imports = imports
        self.stores = FieldStores(evaluator)
        self.escaping = EscapingClasses(evaluator)
        self._known: dict[tuple[str, TestedField], bool] = {}

    def is_never_true(self, module: str, field: TestedField) -> bool:
        """Whether no object has anything but False or None there, where a file runs."""
        key = module, field
        if key not in self._known:
            self._known[key] = self._is_never_true(module, field)
        return self._known[key]

    def _is_never_true(self, module: str, field: TestedField) -> bool:
        program = self.imports.program_alone(module)
        if program is None and any(map(self._is_visible, field.classes)):
            return False
        modules = self.project.modules.keys() if program is None else program
        made = [each for each in field.classes if each.partition(":")[0] in modules]
        above = {each for name in made for each in self.hierarchy.ancestry(name).classes}
        return (
            any(self._calls_within(each, modules) for each in made)  # or others make its objects
            and all(self._is_made_false(each, field, modules) for each in made)
            and self.stores.are_false(field, modules)
            and not self.escaping.may_escape(above, modules)
        )

    def _is_visible(self, class_name: str) -> bool:
        located = self.project.class_of(class_name)
        return located is None or is_visible_outside(self.project, located[0], located[1].name)

    def _is_made_false(self, class_name: str, field: TestedField, modules: Collection[str]) -> bool:
        """Whether the calls of a class leave the attribute false."""
        above = self.hierarchy.ancestry(class_name)
        if not above.closed or not all(self._is_plain(each, field.name) for each in above.classes):
            return False
        if any(isinstance(self.hierarchy.method(class_name, each), Scope) for each in _DECIDING):
            return False
        if self.hierarchy.kind(class_name) == "module" and field.name in _OF_MODES:
            return False
        defaults = list(self._defaults(above.classes, field.name))
        if any(each not in FALSE for each in defaults):
            return False
        calls = self._calls_within(class_name, modules)
        taking = self._taking(class_name, field.name)
        return taking is not None and all(
            self._passes_false(scope, call, *taking, bool(defaults)) for scope, call in calls
        )

    def _is_plain(self, class_name: str, name: str) -> bool:
        """Whether what a class has under a name is what is stored there."""
        located = self.project.class_of(class_name)
        if located is None:
            return True
        record = located[1]
        known = all(map(is_plain_decorator, record.decorators))
        asked = {keyword for keyword, _ in record.keywords} <= {"pytree"}
        return known and asked and name not in record.methods

    def _defaults(self, classes: tuple[str, ...], name: str) -> Iterator[ir.Expr]:
        """What the bodies of classes bind the attribute to."""
        for each in classes:
            located = self.project.class_of(each)
            for value in () if located is None else located[1].attributes.get(name, ()):
                match value:
                    case ir.Call(func=ir.ANNOTATED, args=(_,)):
                        continue
                    case ir.Call(func=ir.ANNOTATED, args=(_, given)):
                        yield _default_of_field(given)
                    case _:
                        yield value

    def _calls_within(
        self, class_name: str, modules: Collection[str]
    ) -> list[tuple[Scope, ir.Call]]:
        return [row for row in self._calls(class_name) if row[0].module in modules]

    def _calls(self, class_name: str) -> Iterator[tuple[Scope, ir.Call]]:
        """The calls that may make objects of the class, `cls()` of one above it included."""
        yield from self.evaluator.callers.constructing(class_name)
        for above in self.hierarchy.ancestry(class_name).classes:
            if above != class_name and self.project.class_of(above) is not None:
                for scope, call in self.evaluator.callers.constructing(above):
                    if self.hierarchy.class_name(scope, call.func) != above:
                        yield scope, call

    def _taking(
        self, class_name: str, name: str
    ) -> tuple[tuple[ir.Parameter, ...], frozenset[str]] | None:
        """The parameters of a constructor, and those that it stores; None where that is unclear."""
        init = self.hierarchy.method(class_name, "__init__")
        if isinstance(init, Scope):
            parameters = self.project.function(init).parameters[_SELF:]
            stored = self.stores.parameters_stored(init, name)
            return None if stored is None else (parameters, stored)
        if init is not None:
            return None
        fields = fields_of(self.evaluator, class_name)
        return fields, frozenset({name} & {each.name for each in fields})

    def _passes_false(
        self,
        scope: Scope,
        call: ir.Call,
        parameters: tuple[ir.Parameter, ...],
        stored: frozenset[str],
        has_default: bool,
    ) -> bool:
        if hides_arguments(call):
            return False
        for parameter in parameters:
            if parameter.name not in stored:
                continue
            given = argument_for(parameters, parameter, call) or parameter.default
            if given is None and not has_default:
                return False
            if given is not None and not self._is_false(scope, given):
                return False
        return True

    def _is_false(self, scope: Scope, given: ir.Expr) -> bool:
        """Whether it is False or None, or a name that is bound to nothing else."""
        if not isinstance(given, ir.Name):
            return given in FALSE
        bindings = self.project.bindings(scope, given.id)
        return bool(bindings) and all(
            not isinstance(each, ParameterOf) and each.expr in FALSE for each in bindings
        )


def _default_of_field(value: ir.Expr) -> ir.Expr:
    """`False` of `field(default=False)`."""
    match value:
        case ir.Call(func=func, args=(), keywords=keywords) if ir.last_name(func) == "field":
            named = dict(keywords)
            return named["default"] if set(named) <= {"default", "metadata"} else ir.UNSEEN
        case _:
            return value
