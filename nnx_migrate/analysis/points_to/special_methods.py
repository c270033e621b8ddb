"""What `x[i]` and loops give of an object whose class has methods for them."""

from __future__ import annotations

from collections.abc import Iterator

from nnx_migrate.analysis.domain.values import Instance, Located, Scope
from nnx_migrate.analysis.domain.witnesses import in_order
from nnx_migrate.analysis.flax.names import layer_of
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.points_to.abstract_objects import (
    EACH,
    NOTHING,
    Held,
    Object,
    either,
    element,
    known_as,
)
from nnx_migrate.analysis.points_to.call_results import given_by
from nnx_migrate.analysis.points_to.containers.elements import without
from nnx_migrate.analysis.points_to.queries import Objects


def with_own_items(
    objects: Objects, scope: Scope, found: Held, expr: ir.Element | ir.Unpacked, at: float
) -> Held:
    """An element of a value, or what `__getitem__` of its class gives."""
    match expr:
        case ir.Unpacked(index=index):
            place: ir.Expr = ir.Constant("str", str(index))
        case ir.Element(key=key) if key:
            place = ir.Constant("str", key)
        case ir.Element(index=(ir.Name() as name,)):
            place = name
        case _:
            place = ir.UNSEEN
    call = ir.Call(ir.Attribute(expr.base, "__getitem__"), (place,), (), 0)
    return _or_given(found, list(_given(objects, scope, call, at)))


def with_own_turns(
    objects: Objects, scope: Scope, found: Held, expr: ir.Iterated, at: float
) -> Held:
    """An element of a value in a loop, or of what `__iter__` of its class gives."""
    call = ir.Call(ir.Attribute(expr.base, "__iter__"), (), (), 0)
    here = Located(scope, expr)
    given = _given(objects, scope, call, at)
    return _or_given(found, [known_as(element(each, here), EACH) for each in given])


def _or_given(found: Held, given: list[Held]) -> Held:
    """What methods give, or where that is not known, the element of which nothing is known."""
    return either(given) if given else found


def _given(objects: Objects, scope: Scope, call: ir.Call, at: float) -> Iterator[Held]:
    assert isinstance(call.func, ir.Attribute)
    base, name = call.func.base, call.func.name
    if not objects.evaluator.callers.mentions.defines(name):
        return
    via = scope, call

    def is_new(one: Object) -> bool:
        """Whether the method makes it, another one each time."""
        return one.given_by == via

    for value in in_order(objects.evaluator.values(scope, base)):
        if isinstance(value, Instance) and layer_of(value.class_name) is None:
            method = objects.hierarchy.method(value.class_name, name)
            if isinstance(method, Scope):
                own = {0: objects.held(scope, base, at)}
                given = given_by(objects, method, own, call, via, at)
                if given != NOTHING:
                    yield without(given, is_new)
