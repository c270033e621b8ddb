"""The class hierarchy over all modules of a project, the library's classes at its top."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterator

from nnx_migrate.analysis.domain.values import (
    FunctionValue,
    Instance,
    Located,
    ParameterOf,
    Scope,
    Value,
)
from nnx_migrate.analysis.flax.names import layer_of, library_class
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.symbols.first_methods import FirstMethods
from nnx_migrate.analysis.symbols.library_names import (
    ENUMS,
    HARMLESS_BASES,
    NAMED_TUPLES,
    OPAQUE_DECORATORS,
    PROTOCOLS,
    REGISTERING,
    TREE_BASES,
    TYPE_VARIABLES,
)
from nnx_migrate.analysis.symbols.program import Project
from nnx_migrate.analysis.symbols.reaching_definitions import meant_at

_MODULE_BASES = frozenset({"Module", "Pytree", "Object"})


@dataclasses.dataclass(frozen=True, slots=True)
class Ancestry:
    """The ancestors of a class, itself first.

    Args:
        classes: project classes "module:Key:line" and library classes "flax.nnx.Linear", in the
            order in which Python would look a method up (close enough: depth first, left to right).
        closed: every base was resolved to a class of the project, of flax.nnx, or to `object` and
            other harmless bases; otherwise anything may be inherited.
        possible: classes that may be above it besides: an `if` decides on a base.
    """

    classes: tuple[str, ...]
    closed: bool
    possible: tuple[str, ...] = ()


class Hierarchy:
    """Ancestors, descendants and method look-up for the classes of a project."""

    def __init__(self, project: Project, before: Hierarchy | None = None) -> None:
        self.project = project
        self._before = before
        self._ancestry: dict[str, Ancestry] = {}
        #: By name and class: each name is asked for of hundreds of classes.
        self._methods: dict[str, dict[str, Scope | str | None]] = {}
        self.first_methods = FirstMethods()
        #: The classes that have what a protocol asks for.
        self.implementing: dict[str, tuple[str, ...]] = {}
        self._below: dict[str, tuple[str, ...]] = {}

    def ancestry(self, class_name: str) -> Ancestry:
        known = self._ancestry.get(class_name)
        if known is not None:
            return known
        if self._before is not None and _module(class_name) not in self.project.renewed:
            return self._before.ancestry(class_name)
        self._ancestry[class_name] = Ancestry((class_name,), False)  # a cycle ends here
        found = self._compute(class_name)
        self._ancestry[class_name] = found
        return found

    def _compute(self, class_name: str) -> Ancestry:
        layer = layer_of(class_name)
        if layer is not None:
            bases = tuple(f"flax.nnx.{base}" for base in layer.bases)
            return Ancestry((class_name, *bases), True)
        located = self.project.class_of(class_name)
        if located is None:
            return Ancestry((class_name,), class_name in HARMLESS_BASES)
        module, record = located
        classes = [class_name]
        possible: dict[str, None] = {}
        closed = True
        for base in record.bases:
            scope = Scope(module, record.scope)
            meant = meant_at(self.project, scope, base, record.line)
            name = self.class_name(scope, meant)
            if name is None or not self._is_known(name):
                for each in map(self.ancestry, self._alternatives(scope, meant, set())):
                    possible.update(dict.fromkeys((*each.classes, *each.possible)))
            if name is None:
                closed = False
                continue
            above = self.ancestry(name)
            closed = closed and above.closed
            classes += [c for c in above.classes if c not in classes]
            possible.update(dict.fromkeys(above.possible))
        others = tuple(each for each in possible if each not in classes)
        return Ancestry(tuple(classes), closed, others)

    def _is_known(self, class_name: str) -> bool:
        return layer_of(class_name) is not None or self.project.class_of(class_name) is not None

    def _alternatives(
        self, scope: Scope, expr: ir.Expr, seen: set[tuple[Scope, ir.Expr]]
    ) -> Iterator[str]:
        """The classes that something may be: it is bound several times, or a parameter.

        Args:
            seen: what was looked at, to which this adds: each counts once, however it is reached.
        """
        if (scope, expr) in seen:
            return
        seen.add((scope, expr))
        match expr:
            case ir.Name(id=name):
                bound = self.project.bindings(scope, name)
            case ir.ClassRef():
                bound = [Located(scope, expr)]
            case ir.Choice(options=options):
                bound = [Located(scope, option) for option in options]
            case _:
                bound = self.project.member(self.project.dotted(scope, expr) or "") or []
        for each in bound:
            if isinstance(each, ParameterOf):
                for passed in self._passed(each):
                    yield from self._alternatives(passed.scope, passed.expr, seen)
                continue
            found = self.class_name(each.scope, each.expr)
            if found is not None and self._is_known(found):
                yield found
            else:
                yield from self._alternatives(each.scope, each.expr, seen)

    def _passed(self, parameter: ParameterOf) -> Iterator[Located]:
        """What calls of that name pass for a parameter, decorators of classes among them."""
        function = self.project.function(parameter.scope)
        place = function.parameters.index(parameter.parameter)
        for tables in self.project.tables:
            for record, scope, call in tables.calls.get(function.name, ()):
                given = dict(call.keywords).get(parameter.parameter.name)
                given = call.args[place] if given is None and call.args[place:] else given
                if given is not None and self.project.holds(record):
                    yield Located(scope, given)

    def class_name(
        self, scope: Scope, expr: ir.Expr, seen: frozenset[tuple[Scope, str]] = frozenset()
    ) -> str | None:
        """The class that an expression refers to, or None when it is not clear."""
        if isinstance(expr, ir.Element | ir.Unpacked):  # Generic[T], Base[int]
            return self.class_name(scope, expr.base, seen)
        if isinstance(expr, ir.ClassRef):
            return f"{scope.module}:{expr.key}"
        if isinstance(expr, ir.Within):
            return self.class_name(Scope(scope.module, expr.key), expr.expr)
        bound = dict(expr.keywords).get("bound") if isinstance(expr, ir.Call) else None
        if isinstance(expr, ir.Call) and bound is not None:
            is_variable = self.project.dotted(scope, expr.func) in TYPE_VARIABLES
            return self.class_name(scope, bound, seen) if is_variable else None
        if isinstance(expr, ir.Call) and len(expr.args) == 2:
            renamed = self.project.dotted(scope, expr.func) == "typing.NewType"
            return self.class_name(scope, expr.args[1], seen) if renamed else None
        if isinstance(expr, ir.Name):
            if (scope, expr.id) in seen:
                return None
            seen = seen | {(scope, expr.id)}
            bindings = self.project.bindings(scope, expr.id)
            found = {
                self.class_name(b.scope, b.expr, seen) if isinstance(b, Located) else None
                for b in bindings
                if isinstance(b, ParameterOf) or not _is_none(b.expr)
            }
            if len(found) == 1:
                return found.pop()
            if found:
                return None
            return f"builtins.{expr.id}"
        dotted = self.project.dotted(scope, expr)
        return None if dotted is None else self.canonical(dotted)

    def canonical(self, dotted: str) -> str:
        """The class name for a dotted name: a project class by module and key, else as it is."""
        bindings = self.project.member(dotted) or []
        classes = {
            f"{b.scope.module}:{b.expr.key}"
            for b in bindings
            if isinstance(b, Located) and isinstance(b.expr, ir.ClassRef)
        }
        if len(classes) == 1 == len(bindings):
            return classes.pop()
        return library_class(dotted) or dotted

    def is_generic(self, class_name: str) -> bool:
        """Whether `Net[int]` is the class `Net`, as far as code that runs can tell."""
        ancestry = self.ancestry(class_name)
        located = map(self.project.class_of, ancestry.classes)
        keywords = {name for each in located if each is not None for name, _ in each[1].keywords}
        return (
            ancestry.closed
            and "typing.Generic" in ancestry.classes
            and keywords.isdisjoint({"metaclass", None})
            and self.method(class_name, "__class_getitem__") is None
        )

    def kind(self, class_name: str) -> str | None:
        """What an instance is: "module", "variable", "rngs", "optimizer", "metric", "state",
        "plain"; None when a base class is not known."""
        ancestry = self.ancestry(class_name)
        for name in ancestry.classes:
            layer = layer_of(name)
            if layer is None:
                continue
            if layer.kind != "other":
                return layer.kind
            if layer.name in _MODULE_BASES:
                return "module"
        return "plain" if ancestry.closed else None

    def is_tree(self, class_name: str) -> bool:
        """Whether jax may look into instances of a class that is nothing of nnx's."""
        ancestry = self.ancestry(class_name).classes
        if not TREE_BASES.isdisjoint(ancestry) or not self._registered.isdisjoint(ancestry):
            return True
        for name in ancestry:
            located = self.project.class_of(name)
            if located is None:
                continue
            scope = Scope(located[0], located[1].scope)
            for decorator in located[1].decorators:
                target = decorator.func if isinstance(decorator, ir.Call) else decorator
                if self.project.dotted(scope, target) not in OPAQUE_DECORATORS:
                    return True
        return False

    def is_opaque(self, value: Value) -> bool:
        """Whether it is an object that jax does not look into, of whatever class it may be."""
        return isinstance(value, Instance) and all(
            self.kind(name) == "plain" and not self.is_tree(name) for name in self.classes_of(value)
        )

    def named_tuple_fields(self, class_name: str) -> tuple[str, ...]:
        """The fields of a NamedTuple in their order; none of any other class."""
        classes = self.ancestry(class_name).classes
        located = self.project.class_of(class_name)
        if located is None or NAMED_TUPLES.isdisjoint(classes):
            return ()
        return tuple(located[1].annotations)

    def fields(self, class_name: str) -> tuple[str, ...]:
        """The fields of a class without a constructor of its own, in the order of the arguments."""
        if isinstance(self.method(class_name, "__init__"), Scope):
            return ()
        found: dict[str, None] = {}
        for above in reversed(self.ancestry(class_name).classes):  # those of base classes first
            located = self.project.class_of(above)
            if located is not None:
                found |= dict.fromkeys(located[1].annotations)
        return tuple(found)

    def is_enum(self, class_name: str) -> bool:
        return not ENUMS.isdisjoint(self.ancestry(class_name).classes)

    def is_protocol(self, class_name: str) -> bool:
        """Whether objects need not be of the class, or of one below it, to be taken for it."""
        located = self.project.class_of(class_name)
        if located is None:
            return False
        scope = Scope(located[0], located[1].scope)
        bases = [self.class_name(scope, base) for base in located[1].bases]
        return not PROTOCOLS.isdisjoint(bases)

    @functools.cached_property
    def all_classes(self) -> tuple[str, ...]:
        """Every class of the project."""
        return tuple(
            f"{module}:{key}"
            for module, index in sorted(self.project.modules.items())
            for key in index.classes
        )

    def is_plain_tree(self, class_name: str) -> bool:
        """Whether its instances are no objects of nnx, and jax looks into them."""
        return self.kind(class_name) == "plain" and self.is_tree(class_name)

    @functools.cached_property
    def _registered(self) -> frozenset[str]:
        """The classes that calls tell jax how to look into."""
        names = (
            self.class_name(scope, call.args[0])
            for tables in self.project.tables
            for register in REGISTERING
            for record, scope, call in tables.calls.get(register, ())
            if call.args and self.project.holds(record)
        )
        return frozenset(name for name in names if name is not None)

    @functools.cached_property
    def _descendants(self) -> dict[str, tuple[str, ...]]:
        """Class -> those below it, of all modules that were not looked at before."""
        below: dict[str, list[str]] = {}
        modules = self.project.modules if self._before is None else self.project.renewed
        for module in sorted(modules):
            for key in self.project.modules[module].classes:
                name = f"{module}:{key}"
                ancestry = self.ancestry(name)
                for ancestor in (*ancestry.classes, *ancestry.possible):
                    below.setdefault(ancestor, []).append(name)
        return {name: tuple(names) for name, names in below.items()}

    def descendants(self, class_name: str) -> tuple[str, ...]:
        """The class itself (when it is of the project) and every project class below it."""
        found = self._descendants.get(class_name, ())
        if self._before is None:
            return found
        if class_name not in self._below:
            renewed = self.project.renewed
            others = (c for c in self._before.descendants(class_name) if _module(c) not in renewed)
            self._below[class_name] = tuple(sorted((*found, *others), key=_module))
        return self._below[class_name]

    def classes_of(self, instance: Instance) -> tuple[str, ...]:
        """The classes that an object can be of, its own first."""
        own = (instance.class_name,)
        if instance.exact:
            return own
        return tuple(dict.fromkeys(own + self.descendants(instance.class_name)))

    def super_methods(self, class_name: str, name: str) -> list[Scope | str]:
        """What `super().name` can run in a method of a class: a subclass may put others between."""
        found: list[Scope | str] = []
        for below in self.descendants(class_name) or (class_name,):
            classes = self.ancestry(below).classes
            after = classes[classes.index(class_name) + 1 :] if class_name in classes else ()
            for ancestor in after:
                method = self.method(ancestor, name)
                if method is not None:
                    found += [method] if method not in found else []
                    break
        return found

    def method(self, class_name: str, name: str) -> Scope | str | None:
        """Where a method is defined: a scope of the project, "flax.nnx.X" for one of the library's.

        None when no known class defines it, which proves nothing unless the ancestry is closed.
        """
        known = self._methods.setdefault(name, {})
        if class_name not in known:
            known[class_name] = self._method(class_name, name)
        return known[class_name]

    def _method(self, class_name: str, name: str) -> Scope | str | None:
        for ancestor in self.ancestry(class_name).classes:
            located = self.project.class_of(ancestor)
            if located is not None:
                module, record = located
                if name in record.methods:
                    return Scope(module, record.methods[name])
                for value in record.attributes.get(name, ()):
                    key = _method_behind(record, value)
                    if key is not None:
                        return Scope(module, key)
            elif (layer := layer_of(ancestor)) is not None and layer.name not in _MODULE_BASES:
                return ancestor if layer.attribute(name) is None else None
        return None

    def run_by_call(self, value: Value) -> Value:
        """What a call of a plain object of the project runs, its `__call__`; other values as is."""
        if not isinstance(value, Instance) or value.partial:
            return value
        method = self.method(value.class_name, "__call__")
        if isinstance(method, Scope) and self.kind(value.class_name) == "plain":
            return FunctionValue(method, method.function, bound=True)
        return value


def _module(class_name: str) -> str:
    return class_name.partition(":")[0]


def _method_behind(record: ir.Class, value: ir.Expr) -> str | None:
    """The method of the class that an assignment in its body gives another name."""
    match value:
        case ir.Name(id=name):
            return record.methods.get(name)
        case ir.Call(args=(first, *_)):
            return _method_behind(record, first)
        case _:
            return None


def _is_none(expr: ir.Expr) -> bool:
    return isinstance(expr, ir.Constant) and expr.type == "none"
