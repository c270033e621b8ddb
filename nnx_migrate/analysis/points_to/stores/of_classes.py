"""Containers that the body of a class binds, `nets = []`: one for all objects of the class."""

from __future__ import annotations

from collections.abc import Iterator

from nnx_migrate.analysis.domain.values import ClassValue, Located, Scope
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.points_to.abstract_objects import (
    NOTHING,
    Held,
    Object,
    Variable,
    either,
    together,
)
from nnx_migrate.analysis.points_to.call_results import in_terms_of
from nnx_migrate.analysis.points_to.queries import LAST, Objects
from nnx_migrate.analysis.points_to.stores.turns import put_in_turns


def container_of_class(
    objects: Objects, class_name: str, name: str, bound: Located, here: Located
) -> Held:
    """The container, with what methods put into it, whichever object they are called of."""
    located = objects.project.class_of(class_name)
    assert located is not None
    root = Variable(Scope(located[0], located[1].scope), f"{class_name}.{name}", LAST)
    own = Held(Object(root, (), here, name))
    put = [together(held.parts) for held in _put(objects, class_name, name)]
    made = objects.held(bound.scope, bound.expr)
    return either([own, together(part for each in (made, *put) for part in each.parts)])


def replaces(objects: Objects, class_name: str, name: str) -> bool:
    """Whether an object of a class may have its own under a name: `self.nets = []`."""
    writes = (write for _, write in _writes(objects, class_name, name))
    return any(write.how == "set" for write in writes)


def _put(objects: Objects, class_name: str, name: str) -> Iterator[Held]:
    """What is put into the container, each time as a container of it, as calls pass it."""
    for scope, write in _writes(objects, class_name, name):
        if write.value is None or write.how not in {"grow", "key", "augment"}:
            continue
        held = objects.held(scope, write.value, write.line)
        if write.how == "key":
            held = together([(write.key, held)])
        if held == NOTHING or not held.is_container:
            continue
        held = put_in_turns(objects, scope, held, write.line)
        for where, call, value in objects.evaluator.callers.of(scope):
            objects.rests_on.read(where.module)
            first = {0: NOTHING} if value.bound else {}
            told = in_terms_of(objects, scope, held, call, first, (where, call), call.line)
            yield put_in_turns(objects, where, told, call.line)


def _writes(objects: Objects, class_name: str, name: str) -> Iterator[tuple[Scope, ir.Write]]:
    """The stores under an attribute of a class, or of its objects, by methods and other code."""
    for each in (class_name, *objects.hierarchy.descendants(class_name)):
        located = objects.project.class_of(each)
        if located is None:
            continue
        module, record = located
        for key, function in objects.project.methods_of(module, record.key):
            if function.parameters:
                target = ir.Attribute(ir.Name(function.parameters[0].name), name)
                yield from ((Scope(module, key), w) for w in function.writes if w.target == target)
    for scope, write in objects.evaluator.callers.mentions.outside_writes(name):
        if isinstance(write.target, ir.Attribute):
            bases = objects.evaluator.values(scope, write.target.base)
            if ClassValue(class_name) in bases:
                yield scope, write
