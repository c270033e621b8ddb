"""Where code may store to an attribute of an object that it did not make: by name, keyword, text.

Each question is asked of the modules of a program, and of objects of some classes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from nnx_migrate.analysis.callgraph.base import Evaluation
from nnx_migrate.analysis.domain.values import (
    ClassValue,
    FunctionValue,
    Instance,
    LibraryValue,
    ParameterOf,
    Scope,
    Value,
)
from nnx_migrate.analysis.effects.effect import TestedField
from nnx_migrate.analysis.effects.flags.guards import FALSE
from nnx_migrate.analysis.interp.string_constants import literal_names
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.library.effect_model import CHANGING_METHODS
from nnx_migrate.analysis.symbols.passed_on import writes_in

#: Functions and methods that set attributes by keywords, or make another object so.
_REPLACING = (
    *("replace", "_replace", "__replace__", "evolve", "partial"),
    *sorted(CHANGING_METHODS | {"set_mode", "view", "with_attributes", "recursive_map"}),
)
#: Packages whose functions may do that by a keyword.
_WITH_ATTRIBUTES = ("attr", "builtins.", "copy.", "dataclasses.", "flax.", "functools.", "types.")
#: `setattr(x, name, v)`, `object.__setattr__(x, name, v)`, and `mock.patch.object(x, name, v)`.
_BY_TEXT = ("setattr", "__setattr__", "object")
_DICTIONARY = "__dict__"


class FieldStores:
    """Says what may store something else than False or None to an attribute."""

    def __init__(self, evaluator: Evaluation) -> None:
        self.evaluator = evaluator
        self.project = evaluator.project
        self.hierarchy = evaluator.hierarchy
        self.mentions = evaluator.callers.mentions

    def are_false(self, field: TestedField, modules: Collection[str]) -> bool:
        """Whether nothing but constructors stores anything else, in some modules."""
        for module in sorted(modules):
            record = self.project.modules[module]
            if field.name not in record.words:
                continue
            for key, function in record.functions.items():
                scope = Scope(module, key)
                written = (each for each in writes_in(function) if _is_to(each, field.name))
                if not all(self._is_harmless(scope, each, field) for each in written):
                    return False
                if not all(self._asks_not(scope, call, field) for call in function.calls):
                    return False
        return not any(
            self._is_meant(scope, base, field)
            for scope, base in self.changed_by_text(field.name, modules)
        )

    def parameters_stored(self, init: Scope, name: str) -> frozenset[str] | None:
        """The parameters of a constructor that it stores in an attribute; None for other things.

        Constants that are false do not count.
        """
        function = self.project.function(init)
        stored: set[str] = set()
        for write in function.writes:
            if not _is_to(write, name) or _is_false(write):
                continue
            parameter = self._parameter_stored(init, write)
            if parameter is None:
                return None
            stored.add(parameter)
        return frozenset(stored)

    def _parameter_stored(self, init: Scope, write: ir.Write) -> str | None:
        """The parameter that a constructor stores in its own object, as it came."""
        function = self.project.function(init)
        own = ir.Name(function.parameters[0].name) if function.parameters else None
        value = write.value
        if isinstance(value, ir.Call) and value.func == ir.ANNOTATED:
            value = value.args[-1]
        if write.how != "set" or not isinstance(value, ir.Name):
            return None
        if not isinstance(write.target, ir.Attribute) or write.target.base != own:
            return None
        given = [each for each in function.parameters if each.name == value.id]
        as_it_came = [ParameterOf(init, each) for each in given]
        same = len(given) == 1 and self.project.bindings(init, value.id) == as_it_came
        return value.id if same else None

    def _is_harmless(self, scope: Scope, write: ir.Write, field: TestedField) -> bool:
        """Whether a store leaves the attribute of such objects false, or is their constructor's."""
        assert isinstance(write.target, ir.Attribute)
        if _is_false(write) or not self._is_meant(scope, write.target.base, field):
            return True
        inits = {self.hierarchy.method(each, "__init__") for each in field.classes}
        return inits == {scope} and self._parameter_stored(scope, write) is not None

    def _asks_not(self, scope: Scope, call: ir.Call, field: TestedField) -> bool:
        """Whether a call passes nothing by the name of the attribute that may come to be it.

        What it passes to a constructor, or a function of the project, is asked of these.
        """
        given = [value for keyword, value in call.keywords if keyword == field.name]
        if all(each in FALSE for each in given):
            return True
        called = self.evaluator.values(scope, call.func)
        return bool(called) and all(self._takes(value, field) for value in called)

    def _takes(self, called: Value, field: TestedField) -> bool:
        match called:
            case FunctionValue(partial_args=0, bound_keywords=keywords):
                return not keywords
            case ClassValue(class_name=name):
                below = self.hierarchy.descendants(name)
                return name in field.classes or not set(field.classes).intersection(below)
            case LibraryValue(dotted=dotted):
                return not dotted.startswith(_WITH_ATTRIBUTES)
            case _:
                return False

    def changed_by_text(
        self, attribute: str, modules: Collection[str]
    ) -> Iterator[tuple[Scope, ir.Expr]]:
        """Objects whose attribute code may set by a computed name, a keyword, or in `__dict__`."""
        for name in _REPLACING:
            for scope, call in self.mentions.calls_of(name):
                if any(keyword is None for keyword, _ in call.keywords):
                    yield from ((scope, each) for each in _changed(call) if scope.module in modules)
        for name in _BY_TEXT:
            for scope, call in self.mentions.calls_of(name):
                if scope.module in modules and self._may_name(scope, call, attribute):
                    yield from ((scope, each) for each in _changed(call))
        for module in sorted(modules):
            record = self.project.modules[module]
            for key, function in record.functions.items():
                if {_DICTIONARY, "vars"}.isdisjoint(record.words):
                    break
                yield from ((Scope(module, key), each) for each in _dictionaries(function))

    def _may_name(self, scope: Scope, call: ir.Call, name: str) -> bool:
        """Whether a call sets an attribute of that name, or of a computed one, to something."""
        texts = [each.text for each in call.args if isinstance(each, ir.Constant)]
        if name in texts:
            return call.args[-1] not in FALSE
        if any(isinstance(each, ir.Constant) and each.type == "str" for each in call.args[:-1]):
            return False
        set_by = ir.set_by_name(call)
        names = literal_names(self.evaluator, scope, set_by[1]) if set_by is not None else None
        return not names or name in names

    def _is_meant(self, scope: Scope, expr: ir.Expr, field: TestedField) -> bool:
        """Whether an expression may be an object of one of the classes."""
        values = self.evaluator.values(scope, expr)
        return not values or any(
            not isinstance(each, Instance)
            or each.probable
            or not set(field.classes).isdisjoint(self.hierarchy.classes_of(each))
            for each in values
        )


def _is_to(write: ir.Write, name: str) -> bool:
    return isinstance(write.target, ir.Attribute) and write.target.name == name


def _is_false(write: ir.Write) -> bool:
    value = write.value
    if isinstance(value, ir.Call) and value.func == ir.ANNOTATED:
        value = value.args[-1]
    return write.how == "delete" or (write.how == "set" and value in FALSE)


def _changed(call: ir.Call) -> Iterator[ir.Expr]:
    """What a call that sets attributes may set them of."""
    if isinstance(call.func, ir.Attribute):
        yield call.func.base
    yield from call.args[:1]


def _dictionaries(function: ir.Function) -> Iterator[ir.Expr]:
    """The objects whose dictionary of attributes a function stores to, or hands on."""
    for write in function.writes:
        yield from _owner(write.target)
    for call in function.calls:
        if isinstance(call.func, ir.Attribute):
            yield from _owner(call.func.base)
        for argument in (*call.args, *(value for keyword, value in call.keywords if keyword)):
            yield from _owner(argument)
    for values in function.bindings.values():
        for value in values:
            yield from _owner(value)


def _owner(expr: ir.Expr) -> Iterator[ir.Expr]:
    """`x` of `vars(x)`, and of `x.__dict__`."""
    match expr:
        case ir.Attribute(base=base, name="__dict__"):
            yield base
        case ir.Call(func=ir.Name(id="vars"), args=(base,)):
            yield base
