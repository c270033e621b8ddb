"""Classes of which code that no file shows may make objects: `tyro.cli(Config)`, `REGISTRY[name]`.

Libraries that read options make objects of the classes that they find in annotations, too: of the
fields of a class that they are given, and of the parameters of a function.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from nnx_migrate.analysis.callgraph.base import Evaluation
from nnx_migrate.analysis.domain.values import (
    FunctionValue,
    LibraryValue,
    Located,
    Scope,
    is_unknown,
)
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.ir.mentioned_names import mentioned_in
from nnx_migrate.analysis.symbols.passed_on import PassedOn, called_names

#: Functions that look at a class, and make no object of it.
_ONLY_LOOKING = frozenset({"fields", "isinstance", "issubclass", "register_dataclass", "repr"})
#: Decorators that leave a class as it is, or give it a constructor by its fields.
_KNOWN_DECORATORS = frozenset({"dataclass", "final", "register_dataclass", "register_static"})
#: `type(x)()` and `x.__class__()` make another object of any class.
_CLASS_OF = ("type", "__class__")
#: Packages that make no objects by annotations, decorators that they have included.
_NOT_READING = ("abc.", "builtins.", "contextlib.", "flax.", "functools.", "jax.", "typing.")


class EscapingClasses:
    """Looks for what hands classes to code that is not seen, in the modules of a program."""

    def __init__(self, evaluator: Evaluation) -> None:
        self.evaluator = evaluator
        self.project = evaluator.project
        self.hierarchy = evaluator.hierarchy
        self.mentions = evaluator.callers.mentions

    def may_escape(self, classes: Iterable[str], modules: Collection[str]) -> bool:
        """Whether objects of some classes may be made by more than their calls in sight."""
        names = {name for each in classes if (name := self._name(each))}
        holding = self._holding(names, modules)
        return (
            any(self._is_passed_on(each, modules) for each in sorted(holding))
            or any(self._is_registered(each, modules) for each in sorted(holding))
            or any(self._is_called_unseen(each, modules) for each in sorted(names))
            or self._is_read_from_functions(holding, modules)
            or self._makes_more_of_any(modules)
        )

    def _name(self, class_name: str) -> str:
        located = self.project.class_of(class_name)
        return "" if located is None else located[1].name

    def _holding(self, names: set[str], modules: Collection[str]) -> set[str]:
        """The names of these classes, and of those with fields that are annotated with them."""
        found, size = set(names), 0
        while size != len(found):
            size = len(found)
            for module in modules:
                for key, record in self.project.modules[module].classes.items():
                    if self.hierarchy.kind(f"{module}:{key}") == "plain" and not found.isdisjoint(
                        mentioned_in(record.annotations.values())
                    ):
                        found.add(record.name)
        return found

    def _is_passed_on(self, name: str, modules: Collection[str]) -> bool:
        """Whether a class is a value somewhere."""
        return any(
            passed.site.module in modules and self._is_value(passed)
            for passed in self.mentions.passed_on(name)
        )

    def _is_registered(self, name: str, modules: Collection[str]) -> bool:
        """Whether a decorator of a class of that name may keep it for others."""
        return any(
            scope.module in modules and not all(map(is_plain_decorator, record.decorators))
            for scope, record in self.mentions.classes_named(name)
        )

    def _is_value(self, passed: PassedOn) -> bool:
        if isinstance(passed.source, ir.Call):
            return False  # an object of it
        if passed.variable == ir.last_name(passed.source) and self._is_imported(passed):
            return False
        return passed.call is None or ir.last_name(passed.call.func) not in _ONLY_LOOKING

    def _is_imported(self, passed: PassedOn) -> bool:
        bound = self.project.bindings(passed.site, passed.variable)
        return all(isinstance(b, Located) and isinstance(b.expr, ir.ImportRef) for b in bound)

    def _is_called_unseen(self, name: str, modules: Collection[str]) -> bool:
        """Whether something of that name, or made of it, is called that is not known."""
        return any(
            not isinstance(call.func, ir.Name | ir.Attribute)
            or is_unknown(self.evaluator.values(scope, call.func))
            for scope, function in self._functions(modules)
            for call in function.calls
            if name in called_names(call.func)
        )

    def _functions(self, modules: Collection[str]) -> Iterator[tuple[Scope, ir.Function]]:
        for module in sorted(modules):
            for key, function in self.project.modules[module].functions.items():
                yield Scope(module, key), function

    def _is_read_from_functions(self, names: set[str], modules: Collection[str]) -> bool:
        """Whether a function that takes objects of such classes goes to code that is not seen."""
        for scope, function in self._functions(modules):
            annotations = [each.annotation for each in function.parameters if each.annotation]
            if names.isdisjoint(mentioned_in(annotations)):
                continue
            around = Scope(scope.module, function.parent or ir.MODULE_SCOPE)
            if any(self._may_read(around, each) for each in function.decorators):
                return True
            for passed in self.mentions.passed_on(function.name):
                here = passed.site.module in modules and passed.call is not None
                if here and not isinstance(passed.source, ir.Call):
                    assert passed.call is not None
                    if self._may_read(passed.site, passed.call.func):
                        return True
        return False

    def _may_read(self, scope: Scope, func: ir.Expr) -> bool:
        """Whether code that gets a function may read the annotations of its parameters."""
        if isinstance(func, ir.Call):
            return any(self._may_read(scope, each) for each in (func.func, *func.args))
        if isinstance(func, ir.Attribute) and func.name in {"setter", "getter", "defvjp"}:
            return False
        values = self.evaluator.values(scope, func)
        return any(
            not isinstance(each, FunctionValue)
            and not (isinstance(each, LibraryValue) and each.dotted.startswith(_NOT_READING))
            and not self._is_class(scope, func)
            for each in values
        )

    def _is_class(self, scope: Scope, func: ir.Expr) -> bool:
        """Whether it is a class of the project, or of a package that reads no annotations."""
        name = self.hierarchy.class_name(scope, func)
        known = name is not None and self.project.class_of(name) is not None
        return known or (name is not None and name.startswith(_NOT_READING))

    def _makes_more_of_any(self, modules: Collection[str]) -> bool:
        """Whether objects are made of the classes of others."""
        return any(
            scope.module in modules and (name != "type" or isinstance(call.func, ir.Call))
            for name in _CLASS_OF
            for scope, call in self.mentions.calls_of(name)
        )


def is_plain_decorator(decorator: ir.Expr) -> bool:
    """Whether a decorator does nothing to a class but give it a constructor by its fields."""
    named = decorator.func if isinstance(decorator, ir.Call) else decorator
    return ir.last_name(named) in _KNOWN_DECORATORS
