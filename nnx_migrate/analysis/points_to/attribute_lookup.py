"""What attributes give: what objects keep, what their classes bind, properties, other modules."""

from __future__ import annotations

from collections.abc import Iterator

from nnx_migrate.analysis.domain.values import ClassValue, Instance, Located, Scope, Value
from nnx_migrate.analysis.domain.witnesses import in_order
from nnx_migrate.analysis.flax.names import layer_of
from nnx_migrate.analysis.interp.record_fields import fields_of
from nnx_migrate.analysis.interp.stores.class_stores import put_in_class, stored_in_class
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.ir.lowering.expressions import is_new_container
from nnx_migrate.analysis.points_to.abstract_objects import (
    NOTHING,
    Held,
    Object,
    attribute,
    either,
    is_some,
    mapped,
    step,
)
from nnx_migrate.analysis.points_to.call_results import in_terms_of
from nnx_migrate.analysis.points_to.containers.elements import without
from nnx_migrate.analysis.points_to.queries import LAST, ClassBinding, Objects
from nnx_migrate.analysis.points_to.stores.of_classes import container_of_class, replaces

#: Texts of functions and classes, whatever they are. Nothing of nnx is kept under them.
_NAMES = frozenset({"__name__", "__qualname__", "__module__", "__doc__"})


def attribute_of(objects: Objects, scope: Scope, base: ir.Expr, name: str, at: float) -> Held:
    """What an attribute gives, or a property, or `__getattr__`."""
    if name in _NAMES:
        return NOTHING
    expr = ir.Attribute(base, name)
    here = Located(scope, expr)
    held = objects.held(scope, base, at)
    options: list[Held] = []
    for value in in_order(objects.evaluator.values(scope, base)):
        if isinstance(value, Instance) and layer_of(value.class_name) is None:
            options += _by_method(objects, here, held, value.class_name)
        options += _bound_by_class(objects, value, name, held, here)
    if options:
        return either(options)
    if held == NOTHING:
        return _of_other_module(objects, scope, expr)
    if _is_method_of_layer(objects, scope, base, name):
        return NOTHING  # bound to the object, of which no tree sees anything there
    return attribute(held, name, here)


def _by_method(objects: Objects, here: Located, held: Held, class_name: str) -> Iterator[Held]:
    """What a property gives, or the method that gives the attributes that an object has not."""
    assert isinstance(here.expr, ir.Attribute)
    name = here.expr.name
    if held == NOTHING:
        return
    method = objects.hierarchy.method(class_name, name)
    if isinstance(method, Scope):
        if _is_cached(objects, method):
            yield attribute(held, name, here)  # the same each time
        yield _given_by_property(objects, method, objects.returned(method), held, here.scope)
        return
    method = objects.hierarchy.method(class_name, "__getattr__")
    if isinstance(method, Scope) and not _is_kept(objects, class_name, name):
        returned = mapped(objects.returned(method), lambda each: _part_by_name(each, name))
        yield _given_by_property(objects, method, returned, held, here.scope)


def _is_method_of_layer(objects: Objects, scope: Scope, base: ir.Expr, name: str) -> bool:
    """Whether an attribute is a method of a layer of flax, for all that its object can be."""
    values = objects.evaluator.values(scope, base)
    layers = [
        layer_of(v.class_name) if isinstance(v, Instance) and v.exact else None for v in values
    ]
    return bool(layers) and all(
        layer is not None and layer.kind == "module" and name in layer.methods for layer in layers
    )


def _is_cached(objects: Objects, method: Scope) -> bool:
    decorators = objects.project.function(method).decorators
    return any(ir.last_name(each) == "cached_property" for each in decorators)


def _given_by_property(
    objects: Objects, method: Scope, returned: Held, held: Held, scope: Scope
) -> Held:
    via = scope, ir.UNSEEN
    given = in_terms_of(objects, method, returned, ir.UNSEEN, {0: held}, via, LAST)
    return without(given, _is_made_by_a_property)


def _is_made_by_a_property(one: Object) -> bool:
    """Whether it is another one each time."""
    return one.given_by is not None and one.given_by[1] == ir.UNSEEN


def _is_kept(objects: Objects, class_name: str, name: str) -> bool:
    """Whether a class, or one above it, stores or declares an attribute."""
    for above in objects.hierarchy.ancestry(class_name).classes:
        located = objects.project.class_of(above)
        declared = located is not None and name in located[1].annotations
        if declared or objects.evaluator.stored(above, name):
            return True
    return False


def _part_by_name(held: Held, name: str) -> Held:
    """`getattr(self.part, name)` and `self.parts[name]` for the name that is asked for."""
    own = held.object
    if own is None or not any(map(is_some, own.path)):
        return held
    found = Held(Object(own.root, (), own.place))
    for each in own.path:
        found = step(found, name if is_some(each) else each, own.place)
    return found


def _bound_by_class(
    objects: Objects, value: Value, name: str, held: Held, here: Located
) -> Iterator[Held]:
    """What the body of a class binds to a name, or code outside: one for all its objects.

    An object may have its own in place of it, where the class stores one.
    """
    if not isinstance(value, Instance | ClassValue) or layer_of(value.class_name) is not None:
        return
    key = value.class_name, name
    if key not in objects.of_classes:
        objects.of_classes[key] = _class_binding(objects, *key)
    bound = objects.of_classes[key]
    if bound.container:
        yield container_of_class(objects, bound.container, name, bound.by_all[0], here)
        return
    options = [objects.held(each.scope, each.expr) for each in bound.by_all]
    options = [each for each in options if each != NOTHING]
    yield from options
    if options and held != NOTHING and (bound.stored or not _are_objects(objects, bound.by_all)):
        yield attribute(held, name, here)


def _class_binding(objects: Objects, class_name: str, name: str) -> ClassBinding:
    for above in objects.hierarchy.ancestry(class_name).classes:
        located = objects.project.class_of(above)
        if located is None:
            continue
        scope = Scope(located[0], located[1].scope)
        own = [Located(scope, each) for each in located[1].attributes.get(name, ())]
        others = (stored_in_class, put_in_class)
        bound = (*own, *(each for of in others for each in of(objects.evaluator, above, name)))
        if len(bound) == 1 and is_new_container(bound[0].expr):
            container = "" if replaces(objects, above, name) else above
            return ClassBinding(bound, not container, container)
        if any(each.name == name for each in fields_of(objects.evaluator, above)):
            break  # the default of a field, which the constructor stores
        if bound:
            return ClassBinding(bound, len(objects.evaluator.stored(above, name)) > len(own))
    return ClassBinding((), False)


def _are_objects(objects: Objects, bound: tuple[Located, ...]) -> bool:
    """Whether all are objects of known classes, and no properties or other descriptors."""
    values = [objects.evaluator.values(each.scope, each.expr) for each in bound]
    return all(isinstance(value, Instance) for several in values for value in several)


def _of_other_module(objects: Objects, scope: Scope, expr: ir.Attribute) -> Held:
    """An object of another module: `models.SHARED`."""
    dotted = objects.project.dotted(scope, expr)
    bindings = objects.project.member(dotted) if dotted else None
    if not bindings or len(bindings) != 1 or not isinstance(bindings[0], Located):
        return NOTHING
    return objects.held(bindings[0].scope, bindings[0].expr)
