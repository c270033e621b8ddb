"""What methods store in their own object, those that they call included."""

from __future__ import annotations

import functools
from collections.abc import Iterator

from nnx_migrate.analysis.domain.values import (
    Located,
    Scope,
)
from nnx_migrate.analysis.heap.retention import attribute_path, is_super_init
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.points_to.abstract_objects import (
    NOTHING,
    Held,
    Object,
    Variable,
)
from nnx_migrate.analysis.points_to.call_results import in_terms_of
from nnx_migrate.analysis.points_to.containers.elements import (
    again,
    same_each_turn,
    unknown_which,
    without,
)
from nnx_migrate.analysis.points_to.queries import Objects
from nnx_migrate.analysis.points_to.stores.turns import (
    is_in_a_loop,
    is_made_in_a_loop,
    without_elements,
)

_SETATTR = ir.Name("setattr")


def what_is_kept(objects: Objects, method: Scope) -> Iterator[tuple[tuple[str, ...], Held, int]]:
    """Where a method stores something, what, and on which line."""
    function = objects.project.function(method)
    if not function.parameters or ir.Name("staticmethod") in function.decorators:
        return
    own = ir.Name(function.parameters[0].name)
    for write in (*function.writes, *function.repeated):
        if write.value is None or write.how not in {"set", "grow", "key", "augment"}:
            continue
        place = attribute_path(write.target)
        if ir.root_name(write.target) != own and write.target != own:
            continue
        held = objects.held(method, write.value, write.line)
        if write.renews:
            held = without_elements(held, write.target)
        if held == NOTHING:
            continue
        if isinstance(write.value, ir.Sequence) and write.value.each and write in function.repeated:
            yield (*place, "[]"), held, write.line
        elif write in function.repeated:
            same = same_each_turn(unknown_which(held))
            yield (*place, "[]"), again(same), write.line
        elif write.how == "set" or write.key:
            yield (*place, *filter(None, [write.key])), held, write.line
        elif write.how != "augment" or held.is_container:
            yield from _put_somewhere(objects, method, place, held, write.line)
    for put in function.puts:  # self.tables[key].append(value)
        place = attribute_path(put.target)
        if put.how == "key" and put.value is not None and ir.root_name(put.target) == own:
            held = objects.held(method, put.value, put.line)
            yield from _put_somewhere(objects, method, place, held, put.line)
    for call in function.calls:
        yield from _kept_by_call(objects, method, function, own, call)


def _put_somewhere(
    objects: Objects, method: Scope, place: tuple[str, ...], held: Held, line: int
) -> Iterator[tuple[tuple[str, ...], Held, int]]:
    """A store under a name or a key that is computed: in a loop it is another one in each turn."""
    yield (*place, f"<{line}>"), held, line
    if is_in_a_loop(objects, method, line):
        is_new = functools.partial(is_made_in_a_loop, objects)
        yield (*place, "[]"), same_each_turn(without(unknown_which(held), is_new)), line


def _kept_by_call(
    objects: Objects, method: Scope, function: ir.Function, own: ir.Name, call: ir.Call
) -> Iterator[tuple[tuple[str, ...], Held, int]]:
    owner = f"{method.module}:{function.owner}"
    match call:
        case (
            ir.Call(func=ir.Name(id="setattr"), args=(base, key, value))
            | ir.Call(
                func=ir.Attribute(base=ir.Name(id="object"), name="__setattr__"),
                args=(base, key, value),
            )
        ) if base == own:
            if call.func != _SETATTR and objects.hierarchy.kind(owner) == "plain":
                return  # frozen dataclasses compute all that they hold so, which is long to follow
            held = objects.held(method, value, call.line)
            if isinstance(key, ir.Constant) and key.text:
                yield (key.text,), held, call.line
            else:
                yield from _put_somewhere(objects, method, (), held, call.line)
            return
    callees: list[Scope | str] = []
    if is_super_init(call):
        callees = objects.hierarchy.super_methods(owner, "__init__")
    elif isinstance(call.func, ir.Attribute) and call.func.base == own and function.owner:
        found = objects.hierarchy.method(owner, call.func.name)
        callees = [found] if found is not None else []
    for callee in callees[:1]:
        if isinstance(callee, Scope):
            itself = Held(Object(Variable(method, own.id, 0), (), Located(method, own), own.id))
            for place, held, _ in objects.kept(callee):
                given = in_terms_of(
                    objects, callee, held, call, {0: itself}, (method, call), call.line
                )
                yield place, given, call.line
