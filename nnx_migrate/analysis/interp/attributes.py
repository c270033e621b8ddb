"""What an attribute of a value is: a method, a property, what was stored, what is declared."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping

from nnx_migrate.analysis.callgraph.base import Evaluation
from nnx_migrate.analysis.callgraph.lattice import (
    as_container,
    is_library_container,
    library_attribute,
)
from nnx_migrate.analysis.callgraph.transformed import defined
from nnx_migrate.analysis.domain.unknown import Unknown, unknown, unknown_attribute
from nnx_migrate.analysis.domain.values import (
    NOTHING,
    PLAIN,
    Basic,
    ClassValue,
    ContainerValue,
    FunctionValue,
    Instance,
    LibraryValue,
    Located,
    Scope,
    TupleValue,
    Value,
    Values,
    is_unknown,
    union,
)
from nnx_migrate.analysis.flax.names import layer_of
from nnx_migrate.analysis.interp.annotations import calls_tell_more
from nnx_migrate.analysis.interp.containers.dict_items import item_by_name, put_by_name
from nnx_migrate.analysis.interp.containers.passed_to_base import keywords_of, passed_to_base
from nnx_migrate.analysis.interp.containers.puts import holds_container
from nnx_migrate.analysis.interp.containers.sequential_layers import is_sequential, layers_of
from nnx_migrate.analysis.interp.names import imported
from nnx_migrate.analysis.interp.record_fields import passed_for_field, seen_among
from nnx_migrate.analysis.interp.stores.absent import lacks
from nnx_migrate.analysis.interp.stores.class_stores import (
    attribute_of_class,
    put_in_class,
    put_in_classes,
    stored_in_class,
)
from nnx_migrate.analysis.interp.stores.computed_names import (
    modules_set_by_computed_name,
    stored_by_computed_name,
)
from nnx_migrate.analysis.interp.stores.outside import OutsideStores, stored_outside
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.library.return_model import (
    CONTAINER_CLASSES,
    elements_of,
    library_member,
    module_member,
)
from nnx_migrate.analysis.symbols.higher_order import METHOD, TAKERS

#: Classes whose objects have the attributes that they are made with.
NAMESPACES = frozenset({"types.SimpleNamespace", "argparse.Namespace", "threading.local"})
#: The method that gives a tree like this one, with other fields.
REPLACE = "<tree>.replace"
#: Attributes of a function, or of a partial, that are called like it.
_SAME_FUNCTION = frozenset({"__call__", "__wrapped__", "func"})
#: What `x.at[i]` has that gives an array like `x`, and calls no function.
_AT_METHODS = frozenset({"add", "divide", "get", "max", "min", "mul", "multiply", "power", "set"})
#: Attributes of an array that are none.
_DESCRIBING = frozenset({"dtype", "itemsize", "nbytes", "ndim", "shape", "sharding", "size"})


#: Attributes of a Variable, which a State holds, that are what it holds and no State.
_VALUES = frozenset({"value", "raw_value"})


def attribute_values(evaluator: Evaluation, scope: Scope, expr: ir.Attribute) -> Values:
    """What `expr` can be: a member of a module, or of each value that its base can be."""
    project = evaluator.project
    dotted = project.dotted(scope, expr)
    if dotted is not None and not project.member(dotted.rpartition(".")[0]):
        return imported(evaluator, dotted)
    if isinstance(expr.base, ir.Call) and expr.base.func == ir.Name("super"):
        return _of_super(evaluator, scope, expr.name)
    if _is_array_update(evaluator, expr):
        return frozenset({LibraryValue(f"jax.numpy.ndarray.at.{expr.name}")})
    found = {v: _of_value(evaluator, v, expr.name) for v in evaluator.values(scope, expr.base)}
    return union(found[v] for v in _having(evaluator, found, expr.name))


def having(evaluator: Evaluation, values: Values, name: str) -> Collection[Value]:
    """Those of some values that have an attribute, if any does: of the others code raises."""
    if len(values) < 2:
        return values
    return _having(evaluator, {v: _of_value(evaluator, v, name) for v in values}, name)


def _having(evaluator: Evaluation, found: Mapping[Value, Values], name: str) -> Collection[Value]:
    """The values that are meant where an attribute is read: those that have it, if any does.

    `batch.labels` of what is declared as `Images | Labelled` is read where it is a Labelled.
    """
    lacking = {
        value
        for value, attribute in (found.items() if len(found) > 1 else ())
        if isinstance(value, Instance)
        and attribute == unknown_attribute(name, value.class_name)
        and lacks(evaluator, value, name)
    }
    rest = found.keys() - lacking
    return rest if any(not is_unknown(frozenset({value})) for value in rest) else found


def is_of_sown(evaluator: Evaluation, expr: ir.Expr) -> bool:
    """Whether it is `state.name` for a name by which Modules sow values, and keep nothing else.

    The State has a Variable there, whose elements are what was sown.
    """
    if not isinstance(expr, ir.Attribute):
        return False
    name, hierarchy = expr.name, evaluator.hierarchy
    sown = any(
        ir.Constant("str", name) in (*call.args, *(value for _, value in call.keywords))
        for _, call in evaluator.callers.mentions.calls_of("sow")
    )
    return sown and not any(
        evaluator.stored(each, name)
        for each in hierarchy.all_classes
        if hierarchy.kind(each) not in {"plain", None}
    )


def _is_array_update(evaluator: Evaluation, expr: ir.Attribute) -> bool:
    """Whether it is `x.at[i].set`, and no function of the project has that name."""
    match expr:
        case ir.Attribute(base=ir.Element(base=ir.Attribute(name="at")), name=name):
            named = evaluator.callers.mentions.functions_named
            return name in _AT_METHODS and not any(True for _ in (*named("at"), *named(name)))
        case _:
            return False


def _of_super(evaluator: Evaluation, scope: Scope, name: str) -> Values:
    function = evaluator.project.function(scope)
    if function.owner is None:
        return unknown(Unknown.SUPER_OUTSIDE)
    owner = f"{scope.module}:{function.owner}"
    for ancestor in evaluator.hierarchy.ancestry(owner).classes[1:]:
        method = evaluator.hierarchy.method(ancestor, name)
        if isinstance(method, Scope):
            return frozenset({FunctionValue(method, method.function, bound=True)})
    return unknown(Unknown.SUPER_NOT_DEFINED, name=name)


def _of_value(evaluator: Evaluation, value: Value, name: str) -> Values:
    match value:
        case Instance():
            return member(evaluator, value, name)
        case ClassValue(class_name=class_name):
            method = evaluator.hierarchy.method(class_name, name)
            if isinstance(method, Scope):
                bound = ir.Name("classmethod") in evaluator.project.function(method).decorators
                return frozenset({FunctionValue(method, method.function, bound=bound)})
            if evaluator.hierarchy.is_enum(class_name):
                return frozenset({Instance(class_name)})
            return attribute_of_class(evaluator, class_name, name) or unknown(
                Unknown.ATTRIBUTE_OF_CLASS, name=name
            )
        case LibraryValue(dotted=dotted):
            return frozenset({LibraryValue(f"{dotted}.{name}")})
        case Basic(sort="state") if name in _VALUES:
            return unknown(Unknown.HELD_BY_VARIABLE)
        case Basic(sort="array") if name in _DESCRIBING:
            return PLAIN
        case Basic():
            return frozenset({value})
        case ContainerValue() | TupleValue():
            found = item_by_name(value, name)
            return found or frozenset({LibraryValue(f"<container>.{name}")})
        case FunctionValue():
            return _of_function(evaluator, value, name)


def _of_function(evaluator: Evaluation, function: FunctionValue, name: str) -> Values:
    """What is stored on a function, what functions have, or what a transform gave it."""
    if name in _SAME_FUNCTION:
        return frozenset({function})
    stored = union(
        evaluator.values(scope, write.value)
        for scope, write in evaluator.callers.mentions.outside_writes(name)
        if isinstance(write.target, ir.Attribute) and write.value is not None
        if any(
            isinstance(v, FunctionValue) and v.scope == function.scope
            for v in evaluator.values(scope, write.target.base)
        )
    )
    if stored:
        return stored
    by_method = f"{METHOD}{name}"
    if by_method in TAKERS:
        return frozenset({LibraryValue(by_method)})
    return unknown(Unknown.ATTRIBUTE_OF_LIBRARY, name=name)


def member(evaluator: Evaluation, instance: Instance, name: str) -> Values:
    """What attribute `name` of an instance can be."""
    hierarchy = evaluator.hierarchy
    if name == "__class__":
        return classes(evaluator, instance)
    if name == "value" and hierarchy.is_enum(instance.class_name):
        return _of_members(evaluator, instance.class_name)
    if isinstance(hierarchy.method(instance.class_name, name), Scope):
        methods = dict.fromkeys(hierarchy.first_methods.of(hierarchy, instance, (name,)))
        return union(_bound_method(evaluator, method) for method in methods)
    found = _stored(evaluator, instance, name)
    if found and not found <= PLAIN:
        known = _or_passed(evaluator, instance.class_name, name, found - PLAIN)
        if any(isinstance(v, Instance) and hierarchy.kind(v.class_name) == "module" for v in known):
            return known | modules_set_by_computed_name(evaluator, instance.class_name, name)
        return known
    if name in {"items", "values"} and is_library_container(instance):
        held = elements_of(as_container(instance)) | put_by_name(evaluator, instance)
        return frozenset({ContainerValue(held)})
    if instance.class_name in NAMESPACES:
        return instance.wraps | _set_from_outside(evaluator, instance, name)
    return (
        _or_passed(evaluator, instance.class_name, name, evaluator.declared(instance, name))
        or found
        or library_member(instance, name)
        or _replacing(evaluator, instance.class_name, name)
        or _set_from_outside(evaluator, instance, name)
        or (module_member(name) if hierarchy.kind(instance.class_name) == "module" else NOTHING)
        or stored_by_computed_name(evaluator, instance.class_name, name)
        | unknown_attribute(name, instance.class_name)
    )


def field_values(evaluator: Evaluation, value: Value, index: int | None = None) -> Values:
    """What the field of a NamedTuple at an index can be, or any of them; nothing of others."""
    if not isinstance(value, Instance):
        return NOTHING
    names = evaluator.hierarchy.named_tuple_fields(value.class_name)
    if index is not None:
        names = names[index : index + 1 or None]
    return union(member(evaluator, value, name) for name in names)


def _of_members(evaluator: Evaluation, class_name: str) -> Values:
    """What the members of an Enum stand for, whichever it is."""
    located = evaluator.project.class_of(class_name)
    if located is None:
        return unknown(Unknown.ENUM_MEMBER)
    module, record = located
    bound = [each for values in record.attributes.values() for each in values]
    return evaluator.all_of(Scope(module, record.scope), tuple(bound)) or PLAIN


def classes(evaluator: Evaluation, instance: Instance) -> Values:
    """The classes that an object can be of, as values."""
    return frozenset(map(ClassValue, evaluator.hierarchy.classes_of(instance)))


def _bound_method(evaluator: Evaluation, method: Scope) -> Values:
    """A method as an attribute of an instance: what a property gives, or a bound function."""
    if method not in evaluator.bound:
        decorators = evaluator.project.function(method).decorators
        if any(ir.is_property(d) for d in decorators):
            return evaluator.returned(method)
        bound = ir.Name("staticmethod") not in decorators
        function = dataclasses.replace(defined(evaluator, method), bound=bound)
        evaluator.bound[method] = frozenset({function})
    return evaluator.bound[method]


def _stored(evaluator: Evaluation, instance: Instance, name: str) -> Values:
    found: Values = NOTHING
    storing = evaluator.storing(instance, name)
    outside = OutsideStores(evaluator, name)
    for class_name in storing:
        layer = layer_of(class_name)
        if layer is None:
            for stored in evaluator.stored(class_name, name):
                found |= _as_stored(evaluator, class_name, name, stored)
            for stored in outside.in_class(class_name) if found else ():
                found |= evaluator.values(stored.scope, stored.expr)
        elif name == "layers" and is_sequential(evaluator, instance):
            found |= {ContainerValue(layers_of(evaluator, instance))}
        elif (kept := layer.attribute(name)) == "argument" and (
            held := instance.wraps
            | put_by_name(evaluator, instance)
            | _passed_above(evaluator, instance, name)
        ):
            # `layers` of a Sequential is all of them, `d.name` of a Dict one.
            in_list = layer.name in CONTAINER_CLASSES and name in layer.attributes
            found |= {ContainerValue(held)} if in_list else held
        elif kept is not None:
            more = layer.attributes_with(name, keywords_of(evaluator, instance))
            found = found.union(*map(library_attribute, {kept, *more}))
    if holds_container(found):
        own = (put for class_name in storing for put in evaluator.put(class_name, name))
        for put in (*own, *put_in_classes(evaluator, storing, name)):
            found |= evaluator.values(put.scope, put.expr)
    return found


def _passed_above(evaluator: Evaluation, instance: Instance, name: str) -> Values:
    """The model that the project's own kind of a ModelAndOptimizer holds."""
    below = layer_of(instance.class_name) is None
    if name != "model" or not below or evaluator.hierarchy.kind(instance.class_name) != "optimizer":
        return NOTHING
    found = _set_from_outside(evaluator, instance, name)
    for class_name in evaluator.hierarchy.classes_of(instance):
        for passed in passed_to_base(evaluator, class_name, name):
            found |= evaluator.values(passed.scope, passed.expr) or unknown(Unknown.KEPT_BY_LIBRARY)
    return found


def _as_stored(evaluator: Evaluation, class_name: str, name: str, stored: Located) -> Values:
    """A value as an attribute of an instance: functions of the class's body become methods."""
    values = evaluator.values(stored.scope, stored.expr)
    located = evaluator.project.class_of(class_name)
    if located is None or name in located[1].annotations:
        return values
    if stored.expr not in located[1].attributes.get(name, ()):
        return values
    later = isinstance(stored.expr, ir.Call) and ir.last_name(stored.expr) == "partialmethod"
    if not later and not isinstance(stored.expr, ir.Name | ir.FunctionRef | ir.ImportRef):
        return values
    return _as_methods(values)


def _set_from_outside(evaluator: Evaluation, instance: Instance, name: str) -> Values:
    """What code outside of all that is known of a class stores in it, or in objects of it."""
    found: Values = NOTHING
    for class_name in evaluator.hierarchy.ancestry(instance.class_name).classes:
        for stored in stored_outside(evaluator, class_name, name):
            found |= evaluator.values(stored.scope, stored.expr)
        for stored in stored_in_class(evaluator, class_name, name):
            values = evaluator.values(stored.scope, stored.expr)
            static = ir.last_name(stored.expr) == "staticmethod"
            found |= values if static else _as_methods(values)
        for put in put_in_class(evaluator, class_name, name) if holds_container(found) else ():
            found |= evaluator.values(put.scope, put.expr)
    return found


def _as_methods(values: Values) -> Values:
    return frozenset(
        dataclasses.replace(v, bound=True) if isinstance(v, FunctionValue) else v for v in values
    )


def _replacing(evaluator: Evaluation, class_name: str, name: str) -> Values:
    """The method of a NamedTuple, or of a dataclass of flax, that gives one like it."""
    replaces = name in {"_replace", "replace"} and evaluator.hierarchy.is_plain_tree(class_name)
    return frozenset({LibraryValue(REPLACE)}) if replaces else NOTHING


def _or_passed(evaluator: Evaluation, class_name: str, name: str, declared: Values) -> Values:
    """What a field is declared as; where that says little, what calls of the class pass.

    Where one of these is not known, the objects that others pass are among what it may be.
    """
    if not declared or not (is_unknown(declared) or calls_tell_more(declared)):
        return declared
    given = passed_for_field(evaluator, class_name, name)
    passed = union(evaluator.values(each.scope, each.expr) for each in given)
    if is_unknown(passed):
        return declared | seen_among(evaluator, passed)
    return passed
