"""What an expression evaluates to: demand-driven, over all modules, without running anything."""

from __future__ import annotations

import builtins
import collections
import dataclasses
import functools
import weakref
from collections.abc import Iterable

from nnx_migrate.facts import ir
from nnx_migrate.facts.callers import Callers
from nnx_migrate.facts.combining import (
    as_container,
    is_container,
    is_library_container,
    item_of,
    last_of_pair,
    leaves,
    library_attribute,
    limited,
    operator_result,
    partial_of,
    unsettled,
)
from nnx_migrate.facts.fields import passed_for_field
from nnx_migrate.facts.fixpoint import Fixpoint
from nnx_migrate.facts.hierarchy import Hierarchy
from nnx_migrate.facts.library import (
    CONTAINER_CLASSES,
    INITIALIZER,
    INITIALIZERS,
    PASS_THROUGH_TRANSFORMS,
    TREE_LEAVES,
    elements_of,
    is_transform,
    library_member,
    library_result,
)
from nnx_migrate.facts.lower import is_new_container
from nnx_migrate.facts.name_tables import writes_in
from nnx_migrate.facts.project import Binding, Project, layer_of, library_class, nnx_name
from nnx_migrate.facts.redefined import with_classes
from nnx_migrate.facts.run_time_names import (
    NAMED_AT_RUN_TIME,
    literal_names,
    methods_by_any_name,
    stored_by_any_name,
)
from nnx_migrate.facts.special_methods import arithmetic_values, element_values, operands_passed
from nnx_migrate.facts.values import (
    ARRAY,
    GRAPHDEF,
    NOTHING,
    PLAIN,
    STATE,
    Basic,
    ClassValue,
    ContainerValue,
    FunctionValue,
    Instance,
    LibraryValue,
    Located,
    ParameterOf,
    Scope,
    TupleValue,
    Value,
    Values,
    is_unknown,
    short_name,
    unknown,
)

#: Classes whose objects are called on a function.
_SETTERS = frozenset({"flax.nnx.set_graph_mode", "flax.nnx.set_graph_updates"})
#: The transform nnx.capture, followed by how many types of Variables it is told.
CAPTURED = "capture "
#: The method that gives a tree like this one, with other fields.
REPLACE = "<tree>.replace"
#: Control flow that gives what one of its branches does.
_CHOOSING = frozenset({"cond", "switch", "compat.cond", "compat.switch"}) | {
    "jax.lax.cond",
    "jax.lax.switch",
}
#: Why the result of a transform is not known that is put around a class.
MAKES_NEW = "a transform of a class"
#: Functions that give what a text names.
_NAMING = frozenset({"importlib.import_module"}) | {
    f"builtins.{name}" for name in ("__import__", "eval", "globals", "locals")
}
#: Methods that are given a class without being told so.
_OF_CLASSES = frozenset({"__init_subclass__", "__class_getitem__", "__new__"})
_PLAIN_TYPES = frozenset({"int", "float", "str", "bool", "bytes", "complex", "None"})
#: Types of the array libraries, and of flax.typing, of what is neither an array nor holds one.
_OF_ARRAY_LIBRARIES = ("jax.", "jaxtyping.", "numpy.", "chex.", "flax.typing.", *INITIALIZERS)
_DESCRIBING_TYPES = frozenset(
    {
        "Axes",
        "DTypeLike",
        "Dtype",
        "LaxPadding",
        "Mesh",
        "NamedSharding",
        "PaddingLike",
        "PartitionSpec",
        "Precision",
        "PrecisionLike",
        "Shape",
        "Sharding",
        "dtype",
    }
)
#: Attributes of an array that are none.
_DESCRIBING = frozenset({"dtype", "itemsize", "nbytes", "ndim", "shape", "sharding", "size"})
_HOLDERS = CONTAINER_CLASSES | {"Module", "ModelAndOptimizer", "MultiMetric", "Optimizer"}
#: Library classes that hold a Module of the user's and are seldom made more than once.
_MADE_ONCE = frozenset({"flax.nnx.ModelAndOptimizer"})
_ANY_OBJECT = frozenset({"flax.nnx.Module", "flax.nnx.Pytree", "flax.nnx.Object"}) | {
    "flax.nnx.bridge.Module"
}
#: So many classes that calls pass for any Module are looked at.
_MAX_SEEN = 8
#: What nnx.merge gives, for all that is known.
_ANY_MODULE: Values = frozenset({Instance("flax.nnx.Module", exact=False, origin="nnx.merge")})
#: Over how many names and parameters a graphdef is followed to the object that it is of.
_MAX_HANDED_ON = 4


class Evaluator:
    """Evaluates expressions of a project to sets of abstract values.

    Every answer covers all assignments of a name in its scope, whatever their order, and all calls
    of a function that the project holds.
    """

    def __init__(self, project: Project) -> None:
        self.project = project
        self.hierarchy = Hierarchy(project)
        # Not in a circle, so that all of it is gone as soon as nobody asks any more.
        self.callers: Callers = Callers(project, weakref.proxy(self))
        self.fixpoint = Fixpoint()
        self._stored: dict[tuple[str, str], list[Located]] = {}

    def values(self, scope: Scope, expr: ir.Expr) -> Values:
        """The values that `expr` can have in `scope`; an empty set while it is being computed."""
        if isinstance(expr, ir.Constant):
            return PLAIN
        return self.fixpoint.get(
            (scope, expr), lambda: limited(self._values(scope, expr)), NOTHING, unsettled
        )

    def _values(self, scope: Scope, expr: ir.Expr) -> Values:
        match expr:
            case ir.Name(id=name):
                return self._name(scope, name)
            case ir.Attribute():
                return self._attribute(scope, expr)
            case ir.Call():
                return self._call(scope, expr)
            case ir.Element(base=base):
                return self._union(map(self.elements, self.values(scope, base)))
            case ir.Unpacked(base=base, index=index):
                return self._union(
                    element_values(self, v) or self._field(v, index) or item_of(v, index)
                    for v in self.values(scope, base)
                )
            case ir.Sequence(elements=elements, is_tuple=True):
                if any(isinstance(e, ir.Starred) for e in elements):
                    return frozenset({ContainerValue(self._all(scope, elements))})
                return frozenset({TupleValue(tuple(self.values(scope, e) for e in elements))})
            case ir.Sequence(elements=elements):
                return frozenset({ContainerValue(self._all(scope, elements))})
            case ir.Choice(options=options):
                return self._all(scope, options)
            case ir.Starred(value=value):
                return self._union(map(self.elements, self.values(scope, value)))
            case ir.Constant():
                return PLAIN
            case ir.FunctionRef(key=key):
                return self._function(scope, key)
            case ir.ClassRef(key=key):
                return frozenset({ClassValue(f"{scope.module}:{key}")})
            case ir.ImportRef(target=target):
                return self._imported(target)
            case ir.Computed(operands=operands):
                held = [self.values(scope, operand) for operand in operands]
                return arithmetic_values(self, held) or operator_result(held)
            case ir.Within(key=key, expr=inner):
                return self.values(Scope(scope.module, key), inner)

    def elements(self, value: Value) -> Values:
        """What indexing a value, or iterating over it, gives."""
        return element_values(self, value) or self._field(value, None) or elements_of(value)

    def _field(self, value: Value, index: int | None) -> Values:
        """The field of a NamedTuple at an index, or any of them."""
        if not isinstance(value, Instance):
            return NOTHING
        names = self.hierarchy.named_tuple_fields(value.class_name)
        if index is not None:
            names = names[index : index + 1 or None]
        return self._union(self.member(value, name) for name in names)

    def _all(self, scope: Scope, expressions: tuple[ir.Expr, ...]) -> Values:
        return frozenset().union(*(self.values(scope, e) for e in expressions))

    def _union(self, parts: Iterable[Values]) -> Values:
        return frozenset[Value]().union(*parts)

    def _name(self, scope: Scope, name: str) -> Values:
        bindings = self.project.bindings(scope, name)
        if not bindings:
            if hasattr(builtins, name):
                return frozenset({LibraryValue(f"builtins.{name}")})
            return unknown(f"{name} is not bound in this file")
        return self._bound(bindings)

    def _bound(self, bindings: list[Binding]) -> Values:
        found: Values = NOTHING
        for binding in bindings:
            if isinstance(binding, ParameterOf):
                found |= self.parameter(binding.scope, binding.parameter)
            else:
                found |= self.values(binding.scope, binding.expr)
        # `x = None` before the real assignment says nothing about what x is when it is used.
        return found - PLAIN if len(found) > 1 else found

    def _imported(self, target: str) -> Values:
        followed = self.project.follow(target)
        if followed is None:
            return unknown(f"{target} has several meanings")
        bindings = self.project.member(followed) or []
        if bindings:
            return self._bound(bindings)
        return self._library(followed)

    def _library(self, dotted: str) -> Values:
        class_name = library_class(dotted)
        if class_name is not None:
            return frozenset({ClassValue(class_name)})
        name = None if dotted.startswith(INITIALIZERS) else nnx_name(dotted)
        return frozenset({LibraryValue(f"flax.nnx.{name}" if name else dotted)})

    def _function(self, scope: Scope, key: str) -> Values:
        function = self.project.modules[scope.module].functions[key]
        transforms = []
        here = Scope(scope.module, function.parent or ir.MODULE_SCOPE)
        for decorator in reversed(function.decorators):
            target = decorator.func if isinstance(decorator, ir.Call) else decorator
            dotted = self.project.dotted(here, target)
            if dotted == "functools.partial" and isinstance(decorator, ir.Call) and decorator.args:
                dotted = self.project.dotted(here, decorator.args[0])
            short = self._short(dotted)
            if short == "capture" and isinstance(decorator, ir.Call):
                short = f"{CAPTURED}{len(decorator.args)}"
            transforms.append(short)
        return frozenset({FunctionValue(Scope(scope.module, key), key, tuple(transforms))})

    def _short(self, dotted: str | None) -> str:
        name = nnx_name(dotted)
        return name.removeprefix("compat.") if name else (dotted or "?")

    def parameter(self, scope: Scope, parameter: ir.Parameter) -> Values:
        """What a parameter can be: from its annotation, or else from every call in the project."""
        return self.fixpoint.get(
            ("parameter", scope, parameter.name),
            lambda: limited(self._parameter(scope, parameter)),
            NOTHING,
            unsettled,
        )

    def _parameter(self, scope: Scope, parameter: ir.Parameter) -> Values:
        function = self.project.function(scope)
        own = self._own_object(scope, function, parameter)
        if own is not None:
            return own
        declared: Values = NOTHING
        if parameter.annotation is not None:
            outer = Scope(scope.module, function.parent or ir.MODULE_SCOPE)
            declared = self._annotated_at(outer, parameter.annotation, function.line)
            if not is_unknown(declared) and not _calls_tell_more(declared):
                return declared
        unguessed = self.fixpoint.unguessed
        passed = self._passed(scope, function, parameter)
        if passed and not is_unknown(passed) and (not declared or _agrees(declared, passed)):
            return passed
        if declared and not is_unknown(declared):
            return self._all_made(declared) or declared | self._seen_among(declared, passed)
        if not passed and self.fixpoint.unguessed != unguessed:
            return NOTHING  # what is unknown only because it is not computed yet would stay so
        return passed or unknown(
            f"no call of {function.name} found that shows what {parameter.name} is"
        )

    def _seen_among(self, declared: Values, passed: Values) -> Values:
        """Objects of the project that some call passes for what is declared as any Module.

        Others may pass anything: this adds what one of them does to what is not known of the rest.
        """
        if not _ANY_OBJECT.issuperset(v.class_name for v in declared if isinstance(v, Instance)):
            return NOTHING
        seen: dict[str, Instance] = {}
        for value in passed:
            if isinstance(value, Instance) and self.project.class_of(value.class_name):
                known = seen.setdefault(value.class_name, value)
                seen[value.class_name] = min(known, value, key=lambda v: sorted(v.keywords))
        return frozenset(seen[name] for name in sorted(seen)[:_MAX_SEEN])

    def _all_made(self, declared: Values) -> Values:
        """For something declared as a ModelAndOptimizer: all that the project makes of them."""
        if not all(isinstance(v, Instance) and v.class_name in _MADE_ONCE for v in declared):
            return NOTHING
        found: Values = NOTHING
        for name in _MADE_ONCE:
            for where, call in self.callers.mentions.calls_of(name.rpartition(".")[2]):
                if self.hierarchy.class_name(where, call.func) == name:
                    found |= self.values(where, call)
        return found

    def _own_object(
        self, scope: Scope, function: ir.Function, parameter: ir.Parameter
    ) -> Values | None:
        if function.owner is None or not function.parameters:
            return None
        decorators = {d.id for d in function.decorators if isinstance(d, ir.Name)}
        if parameter != function.parameters[0] or "staticmethod" in decorators:
            return None
        owner = f"{scope.module}:{function.owner}"
        if function.name in _OF_CLASSES:
            below = self.hierarchy.descendants(owner)
            return frozenset(map(ClassValue, (owner, *below)))
        if "classmethod" in decorators:
            return frozenset({ClassValue(owner)})
        origin = f"{self.project.path_of(scope.module)}:{function.line}"
        return frozenset({Instance(owner, exact=False, origin=f"{origin} method of the class")})

    def _passed(self, scope: Scope, function: ir.Function, parameter: ir.Parameter) -> Values:
        found: Values = NOTHING
        for argument in self.callers.arguments(scope, function, parameter):
            found |= self.values(argument.scope, argument.expr)
        if parameter == function.parameters[-1]:
            for argument in operands_passed(self, scope, function):
                found |= self.values(argument.scope, argument.expr)
        if parameter.default is not None and parameter.default != ir.Constant("none"):
            outer = Scope(scope.module, function.parent or ir.MODULE_SCOPE)
            default = self.values(outer, parameter.default)
            found |= default - PLAIN if found else default
        return found or self._fixture(function, parameter)

    def _fixture(self, function: ir.Function, parameter: ir.Parameter) -> Values:
        """What pytest passes for a parameter of a test: what the fixture of that name returns."""
        if not function.name.startswith("test") and not _is_fixture(function):
            return NOTHING
        return self._union(
            self.returned(where) | self._all(where, self.project.function(where).yields)
            for where in self.callers.mentions.functions_named(parameter.name)
            if _is_fixture(self.project.function(where))
        )

    def _annotated_at(self, scope: Scope, annotation: ir.Expr, line: int) -> Values:
        return self.annotated(scope, with_classes(self.project, scope, annotation, line))

    def annotated(self, scope: Scope, annotation: ir.Expr) -> Values:
        """The values that an annotation allows."""
        match annotation:
            case ir.Choice(options=options):
                some = [o for o in options if o != ir.Constant("none")]
                return self._union(self.annotated(scope, o) for o in some)
            case ir.Constant():
                return PLAIN
            case ir.Call(func=ir.Name(id="<tuple annotation>"), args=args):
                return frozenset({TupleValue(tuple(self.annotated(scope, a) for a in args))})
            case ir.Call(func=ir.Name(id="<container annotation>"), args=args):
                return frozenset(
                    {ContainerValue(self._union(self.annotated(scope, a) for a in args))}
                )
        name = self.hierarchy.class_name(scope, annotation)
        if name is None:
            return unknown("the annotation is not a known class")
        return self._annotated_class(name)

    def _annotated_class(self, name: str) -> Values:
        short = name.rpartition(".")[2]
        if name.startswith("builtins.") and short in _PLAIN_TYPES:
            return PLAIN
        if name.startswith(_OF_ARRAY_LIBRARIES):
            return _annotated_array(name, short)
        kind = self.hierarchy.kind(name)
        if kind == "state":
            return STATE if short != "GraphDef" else GRAPHDEF
        if kind in {None, "plain"} and self.project.class_of(name) is None:
            return unknown(f"{short} is not a class that this project defines")
        protocol = self.hierarchy.is_protocol(name)
        names = self.hierarchy.implementing(name) if protocol else (name,)
        found = frozenset(Instance(each, exact=False, origin="annotation") for each in names)
        return found or unknown(f"{short_name(name)} is a protocol, and may be any class")

    def _attribute(self, scope: Scope, expr: ir.Attribute) -> Values:
        dotted = self.project.dotted(scope, expr)
        if dotted is not None and not self.project.member(dotted.rpartition(".")[0]):
            return self._imported(dotted)
        if isinstance(expr.base, ir.Call) and expr.base.func == ir.Name("super"):
            return self._super(scope, expr.name)
        return self._union(self._member(v, expr.name) for v in self.values(scope, expr.base))

    def _super(self, scope: Scope, name: str) -> Values:
        function = self.project.function(scope)
        if function.owner is None:
            return unknown("super() outside of a method")
        owner = f"{scope.module}:{function.owner}"
        for ancestor in self.hierarchy.ancestry(owner).classes[1:]:
            method = self.hierarchy.method(ancestor, name)
            if isinstance(method, Scope):
                return frozenset({FunctionValue(method, method.function, bound=True)})
        return unknown(f"super().{name} is not defined in the project")

    def _member(self, value: Value, name: str) -> Values:
        match value:
            case Instance():
                return self.member(value, name)
            case ClassValue(class_name=class_name):
                method = self.hierarchy.method(class_name, name)
                if isinstance(method, Scope):
                    bound = self._is_classmethod(method)
                    return frozenset({FunctionValue(method, method.function, bound=bound)})
                if self.hierarchy.is_enum(class_name):
                    return frozenset({Instance(class_name)})
                return unknown(f"{name} of a class")
            case LibraryValue(dotted=dotted):
                return frozenset({LibraryValue(f"{dotted}.{name}")})
            case Basic(sort="array") if name in _DESCRIBING:
                return PLAIN
            case Basic():
                return frozenset({value})
            case ContainerValue():
                return frozenset({LibraryValue(f"<container>.{name}")})
            case TupleValue():
                return frozenset({LibraryValue(f"<container>.{name}")})
            case _:
                return unknown(f"attribute {name}")

    def _is_classmethod(self, method: Scope) -> bool:
        return any(
            isinstance(d, ir.Name) and d.id == "classmethod"
            for d in self.project.function(method).decorators
        )

    def member(self, instance: Instance, name: str) -> Values:
        """What attribute `name` of an instance can be: a method, a property, what was stored."""
        if name == "__class__":
            return self._classes(instance)
        found: Values = NOTHING
        classes = self.hierarchy.ancestry(instance.class_name).classes
        if not instance.exact:
            classes += self.hierarchy.descendants(instance.class_name)
        if isinstance(self.hierarchy.method(instance.class_name, name), Scope):
            below = () if instance.exact else self.hierarchy.descendants(instance.class_name)
            owners = (instance.class_name, *below)
            methods = dict.fromkeys(self.hierarchy.method(owner, name) for owner in owners)
            return self._union(self._bound_method(m) for m in methods if isinstance(m, Scope))
        for class_name in dict.fromkeys(classes):
            for stored in self.stored(class_name, name):
                found |= self._as_stored(class_name, name, stored)
            if found and layer_of(class_name) is None:
                for stored in self.stored_outside(class_name, name):
                    found |= self.values(stored.scope, stored.expr)
            layer = layer_of(class_name)
            if layer is None or name not in layer.attributes:
                continue
            if layer.attributes[name] == "argument" and instance.wraps:
                found |= instance.wraps
            else:
                found |= library_attribute(layer.attributes[name])
        if found and not found <= PLAIN:
            return self._or_passed(instance.class_name, name, found - PLAIN)
        if name in {"items", "values"} and is_library_container(instance):
            return frozenset({as_container(instance)})
        return (
            self._or_passed(instance.class_name, name, self._declared(classes, name))
            or found
            or library_member(instance.class_name, name)
            or self._replacing(instance.class_name, name)
            or unknown(f"attribute {name} of {short_name(instance.class_name)}")
        )

    def _replacing(self, class_name: str, name: str) -> Values:
        """The method of a NamedTuple, or of a dataclass of flax, that gives one like it."""
        replaces = name in {"_replace", "replace"} and self.hierarchy.is_plain_tree(class_name)
        return frozenset({LibraryValue(REPLACE)}) if replaces else NOTHING

    def _as_stored(self, class_name: str, name: str, stored: Located) -> Values:
        """A value as an attribute of an instance: functions of the class's body become methods."""
        values = self.values(stored.scope, stored.expr)
        located = self.project.class_of(class_name)
        if located is None or name in located[1].annotations:
            return values
        if stored.expr not in located[1].attributes.get(name, ()):
            return values
        if not isinstance(stored.expr, ir.Name | ir.FunctionRef | ir.ImportRef):
            return values
        return frozenset(
            dataclasses.replace(v, bound=True) if isinstance(v, FunctionValue) else v
            for v in values
        )

    def _classes(self, instance: Instance) -> Values:
        below = () if instance.exact else self.hierarchy.descendants(instance.class_name)
        return frozenset(map(ClassValue, (instance.class_name, *below)))

    def _bound_method(self, method: Scope) -> Values:
        """A method as an attribute of an instance: what a property gives, or a bound function."""
        function = self.project.function(method)
        if any(ir.is_property(d) for d in function.decorators):
            return self.returned(method)
        values = self._function(Scope(method.module, ir.MODULE_SCOPE), method.function)
        static = any(d == ir.Name("staticmethod") for d in function.decorators)
        return frozenset(
            dataclasses.replace(v, bound=not static, partial_args=0)
            for v in values
            if isinstance(v, FunctionValue)
        )

    def _or_passed(self, class_name: str, name: str, declared: Values) -> Values:
        """What a field is declared as; where that says little, what calls of the class pass."""
        if not declared or not (is_unknown(declared) or _calls_tell_more(declared)):
            return declared
        given = passed_for_field(self, class_name, name)
        passed = self._union(self.values(each.scope, each.expr) for each in given)
        return declared if is_unknown(passed) else passed

    def _declared(self, classes: tuple[str, ...], name: str) -> Values:
        for class_name in classes:
            located = self.project.class_of(class_name)
            if located is not None and name in located[1].annotations:
                scope = Scope(located[0], located[1].scope)
                return self.annotated(scope, located[1].annotations[name])
        return NOTHING

    def stored(self, class_name: str, name: str) -> list[Located]:
        """Every value that the class's own methods store in `self.<name>`, or its body does."""
        key = class_name, name
        if key not in self._stored:
            self._stored[key] = self._find_stored(class_name, name)
        return self._stored[key]

    def stored_outside(self, class_name: str, name: str) -> list[Located]:
        """What other code stores in that attribute of something that is shown to be of the class.

        Stores to things that nothing is known of are not among it.
        """
        found = []
        for scope, write in self.callers.mentions.outside_writes(name):
            if not isinstance(write.target, ir.Attribute) or write.value is None:
                continue
            bases = self.values(scope, write.target.base)
            if not any(self._may_be(value, class_name) for value in bases):
                continue
            if write.how in {"item", "key"} and self._holds_arrays(class_name, name):
                continue  # `m.w[...] = x` gives what is there another value
            stored = write.value
            if write.how == "key":
                stored = ir.Sequence((stored,), is_tuple=False)
            found.append(Located(scope, stored))
        return found

    def _holds_arrays(self, class_name: str, name: str) -> bool:
        """Whether an attribute is a Variable or an array by all that its class stores in it."""
        own = [self.values(each.scope, each.expr) for each in self.stored(class_name, name)]
        return bool(own) and all(
            bool(values) and all(map(self._is_array, values)) for values in own
        )

    def _is_array(self, value: Value) -> bool:
        if isinstance(value, Instance):
            return self.hierarchy.kind(value.class_name) == "variable"
        return value == Basic("array")

    @functools.cached_property
    def _names_stored_outside(self) -> dict[str, set[str]]:
        """Class -> names of the attributes that other code stores in its instances."""
        found: dict[str, set[str]] = collections.defaultdict(set)
        for name in self.callers.mentions.names_written_outside():
            for scope, write in self.callers.mentions.outside_writes(name):
                if isinstance(write.target, ir.Attribute):
                    for value in self.values(scope, write.target.base):
                        if isinstance(value, Instance):
                            found[value.class_name].add(name)
        return found

    def names_stored_outside(self, class_name: str) -> set[str]:
        """Attributes that other code stores in instances of the class, or of those above it."""
        related = {*self.hierarchy.ancestry(class_name).classes, class_name}
        related.update(self.hierarchy.descendants(class_name))
        return set().union(*(self._names_stored_outside.get(name, ()) for name in related))

    def _may_be(self, value: Value, class_name: str) -> bool:
        if isinstance(value, Instance):
            above = self.hierarchy.ancestry(value.class_name).classes
            return class_name in above or value.class_name in (
                self.hierarchy.ancestry(class_name).classes
            )
        return False

    def _find_stored(self, class_name: str, name: str) -> list[Located]:
        located = self.project.class_of(class_name)
        if located is None:
            return []
        module, record = located
        found = [
            Located(Scope(module, record.scope), value) for value in record.attributes.get(name, ())
        ]
        keyed: list[tuple[Scope, ir.Expr]] = []
        for key, function in self.project.methods_of(module, record.key):
            if not function.parameters:
                continue
            target = ir.Attribute(ir.Name(function.parameters[0].name), name)
            writes = [w for w in writes_in(function) if w.target == target and w.value is not None]
            for write in writes:
                if write.how in {"set", "grow", "augment"} and write.value is not None:
                    found.append(Located(Scope(module, key), write.value))
            keyed += [(Scope(module, key), w.value) for w in writes if w.how == "key" and w.value]
        if any(is_new_container(each.expr) for each in found):
            found += [
                Located(scope, ir.Sequence((value,), is_tuple=False)) for scope, value in keyed
            ]
        return found

    def returned(self, scope: Scope) -> Values:
        """What a function returns, from its return statements, else from its annotation."""
        return self.fixpoint.get(
            ("returned", scope), lambda: limited(self._returned(scope)), NOTHING, unsettled
        )

    def _returned(self, scope: Scope) -> Values:
        function = self.project.function(scope)
        found = self._all(scope, function.returns)
        if function.yields:
            found = frozenset({ContainerValue(self._all(scope, function.yields))})
        found = found - PLAIN if len(found) > 1 else found
        if (not found or is_unknown(found)) and function.return_annotation is not None:
            outer = Scope(scope.module, function.parent or ir.MODULE_SCOPE)
            declared = self._annotated_at(outer, function.return_annotation, function.line)
            found = declared if not is_unknown(declared) else found
        return found if function.returns else found or PLAIN

    def _call(self, scope: Scope, call: ir.Call) -> Values:
        if call.func == ir.ANNOTATED:
            held = self.values(scope, call.args[1]) if len(call.args) > 1 else NOTHING
            if held and not is_unknown(held):
                return held
            return self._annotated_at(scope, call.args[0], call.line)
        if call.func == ir.SLICED:
            return self._union(self._slice(v) for v in self.values(scope, call.args[0]))
        if call.func == ir.OPERATED:
            if not self.project.arithmetic:
                return ARRAY
            return arithmetic_values(self, [self.values(scope, arg) for arg in call.args]) or ARRAY
        if call.func == ir.ENTERED:
            return self._union(self._entered(v) for v in self.values(scope, call.args[0]))
        func = with_classes(self.project, scope, call.func, call.line)
        return self._union(self._called(scope, call, callee) for callee in self.values(scope, func))

    def _slice(self, value: Value) -> Values:
        match value:
            case TupleValue(elements=elements):
                return frozenset({ContainerValue(self._union(elements))})
            case ContainerValue() | Basic():
                return frozenset({value})
            case Instance(class_name=name) if self.hierarchy.kind(name) == "variable":
                return ARRAY
            case Instance(wraps=wraps) if wraps:
                return frozenset({ContainerValue(wraps)})
            case _:
                return unknown("a slice of something unknown")

    def _entered(self, value: Value) -> Values:
        """What `with value as name` binds."""
        match value:
            case ContainerValue(element=element):  # what a generator function yields
                return element
            case Basic():
                return frozenset({value})
            case Instance(class_name=name):
                method = self.hierarchy.method(name, "__enter__")
                if isinstance(method, Scope):
                    return self.returned(method)
        return unknown("what a with statement gives")

    def _called(self, scope: Scope, call: ir.Call, callee: Value) -> Values:
        match callee:
            case ClassValue(class_name=class_name):
                return self._constructed(scope, call, class_name)
            case FunctionValue():
                return self._called_function(callee)
            case LibraryValue(dotted=dotted):
                return self._called_library(scope, call, dotted)
            case Instance(class_name=name) if name in _SETTERS:
                return self._transformed(scope, call, name)  # nnx.set_graph_mode(True)(f)
            case Instance():
                return self._called_instance(callee)
            case Basic(sort="unknown"):
                return frozenset({callee})
            case Basic() | ContainerValue():
                return frozenset({callee})
            case _:
                return unknown("a call of something unexpected")

    def _called_instance(self, instance: Instance) -> Values:
        found: Values = NOTHING
        names: tuple[str, ...] = (instance.class_name,)
        if not instance.exact:
            names += self.hierarchy.descendants(instance.class_name)
        for name in dict.fromkeys(names):
            method = self.hierarchy.method(name, "__call__")
            if isinstance(method, Scope):
                found |= self.returned(method)
            elif method is None and not self.hierarchy.ancestry(name).closed:
                found |= unknown(f"what a call of {name} gives")
        return found or ARRAY

    def _container_call(self, scope: Scope, call: ir.Call, name: str) -> Values:
        """What a method of a list, a dict or a tuple gives."""
        if not isinstance(call.func, ir.Attribute):
            return unknown(f"the result of {name}()")
        bases = self.values(scope, call.func.base)
        held = frozenset(v for v in bases if isinstance(v, ContainerValue | TupleValue))
        element = self._union(elements_of(v) for v in held)
        if name in {"get", "pop", "popleft", "setdefault"}:
            return element | self._all(scope, call.args[1:])
        if name == "items":
            return frozenset({ContainerValue(frozenset({TupleValue((PLAIN, element))}))})
        if name == "popitem":
            return frozenset({TupleValue((PLAIN, element))})
        if name in {"values", "copy", "union", "__iter__"}:
            return held
        return PLAIN

    def _constructed(self, scope: Scope, call: ir.Call, class_name: str) -> Values:
        keywords = frozenset(name or "**" for name, _ in call.keywords)
        origin = f"{self.project.path_of(scope.module)}:{call.line} constructed"
        wraps: Values = NOTHING
        short = class_name.rpartition(".")[2]
        layer = layer_of(class_name)
        if short in {"ModelAndOptimizer", "Optimizer"} and layer is not None and call.args:
            wraps = self.values(scope, call.args[0])
        elif layer is not None and "argument" in layer.attributes.values():
            given = [*call.args, *(value for name, value in call.keywords if name != "rngs")]
            parts = [self.values(scope, argument) for argument in given]
            held = self._union(
                elements_of(v) if is_container(v) else frozenset({v}) for p in parts for v in p
            )
            wraps = held - PLAIN
        exact = not self._is_own_class(scope, call.func)
        return frozenset({Instance(class_name, keywords, exact, wraps, origin=origin)})

    def _is_own_class(self, scope: Scope, func: ir.Expr) -> bool:
        """Whether it is the class that a classmethod is called on, which may be one below."""
        bindings = self.project.bindings(scope, func.id) if isinstance(func, ir.Name) else []
        return any(
            isinstance(each, ParameterOf)
            and (function := self.project.function(each.scope)).owner is not None
            and each.parameter == function.parameters[0]
            for each in bindings
        )

    def _called_function(self, callee: FunctionValue) -> Values:
        *inner, outer = callee.transforms or ("",)
        if outer.startswith(CAPTURED):
            result = self._called_function(dataclasses.replace(callee, transforms=tuple(inner)))
            states = [STATE] * int(outer.removeprefix(CAPTURED))
            if not states:
                return result
            return frozenset({TupleValue((result, *states))})
        if outer in PASS_THROUGH_TRANSFORMS and any(n.startswith(CAPTURED) for n in inner):
            return self._called_function(dataclasses.replace(callee, transforms=tuple(inner)))
        if "grad" in callee.transforms:
            return unknown("a gradient")
        if "value_and_grad" in callee.transforms:
            return frozenset({TupleValue((self.returned(callee.scope), unknown("a gradient")))})
        if all(name in PASS_THROUGH_TRANSFORMS for name in callee.transforms):
            return self.returned(callee.scope)
        return unknown("a decorated function")

    def _called_library(self, scope: Scope, call: ir.Call, dotted: str) -> Values:
        name = nnx_name(dotted)
        if name in {"capture", "compat.capture"} and call.args:
            return self._under_capture(scope, call)
        if dotted.startswith("<container>."):
            return self._container_call(scope, call, dotted.removeprefix("<container>."))
        if dotted == "builtins.dict":
            parts = [*call.args, *(value for _, value in call.keywords)]
            pairs = [last_of_pair(v) for p in call.args for v in self.values(scope, ir.Element(p))]
            named = self._all(scope, tuple(value for _, value in call.keywords))
            return frozenset({ContainerValue(named.union(*pairs) if parts else NOTHING)})
        if dotted == "builtins.getattr" and len(call.args) > 1:
            return self._getattr(scope, call)
        if dotted in TREE_LEAVES and any(name == "is_leaf" for name, _ in call.keywords):
            return frozenset({ContainerValue(leaves(self._all(scope, call.args[:1])))})
        if dotted == "builtins.type" and len(call.args) == 1:
            held = [v for v in self.values(scope, call.args[0]) if isinstance(v, Instance)]
            return self._union(map(self._classes, held)) or unknown("the result of type()")
        if dotted == REPLACE and isinstance(call.func, ir.Attribute):
            return self.values(scope, call.func.base)
        if dotted == "dataclasses.replace" and call.args:
            return self.values(scope, call.args[0])
        if dotted in _NAMING:
            return unknown(f"{NAMED_AT_RUN_TIME}, by {ir.last_name(call.func)}()")
        if dotted == "functools.partial" and call.args:
            keywords = frozenset(name or "**" for name, _ in call.keywords)
            return self._union(
                partial_of(v, len(call.args) - 1, keywords)
                for v in self.values(scope, call.args[0])
            )
        if is_transform(dotted):
            return self._transformed(scope, call, dotted)
        if (name or dotted) in _CHOOSING and len(call.args) > 1:
            return self._chosen(scope, call)
        if name == "merge" and call.args:
            return self.merged(scope, call.args[0])
        given = call.args
        if name is not None and not given:  # nnx.clone(node=model)
            given = tuple(value for keyword, value in call.keywords if keyword == "node")
        return library_result(dotted, name, [self.values(scope, arg) for arg in given])

    def _chosen(self, scope: Scope, call: ir.Call) -> Values:
        """What a branch gives, whichever is run."""
        branches = call.args[1:3]
        if isinstance(call.args[1], ir.Sequence):
            branches = call.args[1].elements
        found: Values = NOTHING
        for value in self._all(scope, branches):
            seen = isinstance(value, FunctionValue | Instance)
            found |= self._called(scope, call, value) if seen else unknown("what a branch gives")
        return found

    def _under_capture(self, scope: Scope, call: ir.Call) -> Values:
        """`nnx.capture(f, T, U)`, which is to give what `f` does, and a State for each type."""
        around = f"{CAPTURED}{len(call.args) - 1}"
        return frozenset(
            dataclasses.replace(v, transforms=(*v.transforms, around))
            if isinstance(v, FunctionValue)
            else v
            for v in self._as_functions(self.values(scope, call.args[0]))
        )

    def _getattr(self, scope: Scope, call: ir.Call) -> Values:
        """`getattr(x, name, default)` is an attribute of one of the names in sight, or the default.

        Where the names are not in sight, what is stored under such names is among it.
        """
        target, name, *default = call.args
        names = literal_names(self, scope, name)
        if names is not None:
            found = self._all(scope, tuple(ir.Attribute(target, each) for each in sorted(names)))
            return found | self._all(scope, tuple(default))
        held = self.values(scope, target)
        objects = [value for value in held if isinstance(value, Instance)]
        parts = [stored_by_any_name(self, each) for each in objects]
        parts += [
            self.member(each, name) for each in objects for name in methods_by_any_name(self, each)
        ]
        if objects and len(objects) == len(held):
            return self._union(parts) | unknown("the result of getattr()")
        return self._union(parts) | unknown(f"{NAMED_AT_RUN_TIME}, by getattr()")

    def _transformed(self, scope: Scope, call: ir.Call, dotted: str) -> Values:
        function: ir.Expr | None = call.args[0] if call.args else None
        for keyword, value in call.keywords:
            if keyword in {"f", "fun"}:
                function = value
        if function is None:
            return frozenset({LibraryValue(dotted)})  # a decorator that waits for its function
        short = self._short(dotted)
        bound = len(call.args) - 1 if short in {"cached_partial", "jit_partial"} else 0
        if short in {"split_rngs", "fork_rngs"}:
            held = self.values(scope, function)
            if not any(isinstance(v, FunctionValue) for v in held):
                return held
        return frozenset(
            dataclasses.replace(
                v, transforms=_around(v.transforms, short), partial_args=v.partial_args + bound
            )
            if isinstance(v, FunctionValue)
            else v
            for v in self._as_functions(self.values(scope, function))
        )

    def _as_functions(self, values: Values) -> Values:
        """Replace Modules and classes that are called by the methods that a call runs."""
        found: set[Value] = set()
        for value in values:
            if isinstance(value, Instance):
                method = self.hierarchy.method(value.class_name, "__call__")
                if isinstance(method, Scope):
                    found.add(FunctionValue(method, method.function, bound=True))
                    continue
                found |= unknown("a Module used as a function")
            elif isinstance(value, Basic):
                found |= unknown(value.reason or "a transform of something unknown")
            elif isinstance(value, ClassValue):
                found |= unknown(MAKES_NEW)
            elif isinstance(value, LibraryValue):
                found |= unknown(f"a transform of {value.dotted}, which is no part of the project")
            else:
                found.add(value)
        return frozenset(found)

    def merged(self, scope: Scope, graphdef: ir.Expr) -> Values:
        """What `nnx.split` was called on to get the graphdef, and any Module where not all is seen.

        What is seen counts even then: of a name that is bound again and again, or a function that
        is called with several graphdefs, one may be of an object that tree mode refuses.
        """
        found: Values = NOTHING
        for source in self.graphdef_sources(scope, graphdef):
            values = self.values(source.scope, source.expr) if source else NOTHING
            if is_unknown(values):
                found |= _ANY_MODULE | {v for v in values if isinstance(v, Instance)}
            else:
                found |= values
        return found or _ANY_MODULE

    def graphdef_sources(
        self, scope: Scope, graphdef: ir.Expr, depth: int = 0
    ) -> list[Located | None]:
        """The objects that a graphdef may be of; None among them for one that is not seen."""
        match graphdef:
            case ir.Name(id=name) if depth <= _MAX_HANDED_ON:
                found: list[Located | None] = []
                for binding in self.project.bindings(scope, name):
                    if isinstance(binding, Located):
                        found += self.graphdef_sources(binding.scope, binding.expr, depth + 1)
                    else:
                        found += self._passed_graphdefs(binding, depth + 1)
                return list(dict.fromkeys(found)) or [None]
            case ir.Unpacked(base=ir.Name(id=name), index=0) if depth <= _MAX_HANDED_ON:
                pairs = [b for b in self.project.bindings(scope, name) if isinstance(b, Located)]
                found = [
                    source
                    for b in pairs
                    for source in self.graphdef_sources(b.scope, ir.Unpacked(b.expr, 0), depth + 1)
                ]
                return list(dict.fromkeys(found)) or [None]
            case ir.Unpacked(base=made, index=0) | ir.Element(base=made) | ir.Starred(value=made):
                return [self._taken_apart(scope, made, "split")]
            case _:
                return [self._taken_apart(scope, graphdef, "graphdef")]

    def _passed_graphdefs(self, parameter: ParameterOf, depth: int) -> list[Located | None]:
        function = self.project.function(parameter.scope)
        return [
            source
            for given in self.callers.arguments(parameter.scope, function, parameter.parameter)
            for source in self.graphdef_sources(given.scope, given.expr, depth)
        ] or [None]

    def _taken_apart(self, scope: Scope, made: ir.Expr, function: str) -> Located | None:
        """The object of `nnx.split(object)` or `nnx.graphdef(object)`."""
        match made:
            case ir.Call(func=func, args=(first, *_)):
                name = self.project.nnx_name(scope, func)
                if name is not None and name.removeprefix("compat.") == function:
                    return Located(scope, first)
        return None


def _annotated_array(name: str, short: str) -> Values:
    """What a type of the array libraries allows."""
    if short in _DESCRIBING_TYPES:
        return PLAIN
    if short == "Initializer":
        return INITIALIZER
    if _may_be_tree(short) or (name.startswith("flax.") and short not in {"Array", "PRNGKey"}):
        return unknown(f"{short} says too little")
    return ARRAY


def _around(transforms: tuple[str, ...], outer: str) -> tuple[str, ...]:
    """With one more; once each, so that `f = nnx.jit(f)` does not go on for ever."""
    return transforms if outer in transforms else (*transforms, outer)


def _may_be_tree(name: str) -> bool:
    """Whether a type of the array libraries also allows Modules: `PyTree`, `chex.ArrayTree`."""
    return "Tree" in name or name in {"Partial", "ShapeDtypeStruct", "Tracer"}


def _is_fixture(function: ir.Function) -> bool:
    return any(ir.last_name(decorator) == "fixture" for decorator in function.decorators)


def _calls_tell_more(declared: Values) -> bool:
    """Whether an annotation says less than a call can: any Module, or something that holds one."""
    return all(
        isinstance(v, Instance) and v.class_name.removeprefix("flax.nnx.") in _HOLDERS
        for v in declared
    )


def _agrees(declared: Values, passed: Values) -> bool:
    """Whether what is passed is what the annotation says, as far as its sort goes."""
    return is_unknown(declared) or all(isinstance(v, Instance) for v in passed)
