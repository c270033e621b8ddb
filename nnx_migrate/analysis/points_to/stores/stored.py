"""What a function stores in an object that a name of it is bound to, or has others store there.

A place is the names that lead to what is stored: of an element of which it is not known where it
is put, "<12>" for the line that puts it there.
"""

from __future__ import annotations

import collections
from collections.abc import Iterator, Mapping

from nnx_migrate.analysis.callgraph.binding import argument_for
from nnx_migrate.analysis.domain.values import (
    FunctionValue,
    Instance,
    Located,
    Scope,
)
from nnx_migrate.analysis.domain.witnesses import in_order
from nnx_migrate.analysis.flax.names import layer_of
from nnx_migrate.analysis.heap.retention import is_super_init
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.ir.mentioned_names import names_in
from nnx_migrate.analysis.ir.records import record
from nnx_migrate.analysis.points_to.abstract_objects import (
    Held,
    Object,
    Variable,
    is_element,
)
from nnx_migrate.analysis.points_to.call_results import in_terms_of
from nnx_migrate.analysis.points_to.queries import Kept, Objects, StoredByName
from nnx_migrate.analysis.points_to.stores.by_name import (
    is_method_of_attributes,
    passed_name,
    set_by_name,
    setter,
)
from nnx_migrate.analysis.points_to.stores.by_then import stores_alone
from nnx_migrate.analysis.points_to.stores.puts import (
    PUTTING,
    Place,
    place_in,
    put,
    put_all,
    put_by_name,
    told,
)
from nnx_migrate.analysis.points_to.stores.turns import without_elements

_NONE = StoredByName((), ())
_CONTAINERS = frozenset({"flax.nnx.List", "flax.nnx.Dict"})
_PUTTING_BY_KEY = frozenset({"setdefault", "update"})
#: So many names lead to what is stored: `fill(node.below)` would make them without end.
_DEEPEST = 4
#: So many lines, of calls within each other, tell elements apart.
_MOST_LINES = 6
#: Its function is called as it is, on an object too.
_STATIC = ir.Name("staticmethod")


def may_store(objects: Objects, scope: Scope, name: str) -> bool:
    """Whether a function stores anything in what a name is bound to: most do not.

    No value is looked at for it.
    """
    own = ir.Name(name)
    return (
        any(True for _ in _writes(objects, scope, own))
        or any(
            setter(own, call) is not None or _growing(objects, scope, own, call) is not None
            for call in _of_name(objects, scope, name).calls
        )
        or any(
            objects.may_store(passed.callee, passed.parameter)
            for call in _of_name(objects, scope, name).calls
            for passed in _passed_on(objects, scope, own, call)
        )
    )


def what_is_stored(objects: Objects, scope: Scope, name: str) -> Iterator[Kept]:
    """Where something is stored in what a name is bound to, what, and on which line.

    Each element of a container is told apart, as all turns of a loop put it there.
    """
    own = ir.Name(name)
    for write, place in _writes(objects, scope, own):
        assert write.value is not None
        part = None if _is_own_object(objects, scope, own) else place_in(own, write.value)
        held = (
            itself(scope, name, part)
            if part is not None
            else objects.held(scope, write.value, _read_at(objects, scope, write))
        )
        if write.renews:
            held = without_elements(held, write.target)
        if write.how == "set" or (write.how == "key" and write.key):
            yield from told(objects, (*place, *filter(None, [write.key])), held, write.line)
        elif write.how == "key":
            yield from put(objects, scope, place, held, write.line)
        elif held.is_container:
            yield from put_all(objects, scope, place, write.value, write.line)
    for call in _of_name(objects, scope, name).calls:
        if (named := setter(own, call)) is not None:
            yield from set_by_name(objects, scope, call, named)
        elif (grown := _growing(objects, scope, own, call)) is not None:
            yield from _grown(objects, scope, grown, call)
        else:
            for passed in _passed_on(objects, scope, own, call):
                if objects.may_store(passed.callee, passed.parameter):
                    yield from _stored_by(objects, scope, own, call, passed)


def _read_at(objects: Objects, scope: Scope, write: ir.Write) -> float:
    """Where what a line stores is read: before that stores it, in `m.part = Wrap(m.part)`."""
    assert write.value is not None
    bindings = objects.project.function(scope).bindings
    stored_in = (
        name in bindings and _of_name(objects, scope, name).writes
        for name in names_in((write.value,))
    )
    return (
        write.line - 0.5
        if any(stored_in) and stores_alone(objects, scope, write.line)
        else write.line
    )


def _writes(objects: Objects, scope: Scope, own: ir.Name) -> Iterator[tuple[ir.Write, Place]]:
    """The stores in an object, each with the place."""
    function = objects.project.function(scope)
    for write in _of_name(objects, scope, own.id).writes:
        place = place_in(own, write.target)
        # Else what the name is bound to says it.
        if place or (place is not None and (write.how != "key" or own.id not in function.bindings)):
            yield write, place


def _of_name(objects: Objects, scope: Scope, name: str) -> StoredByName:
    """What of a function may store something in what a name is bound to, by its syntax."""
    if scope not in objects.stores_by_name:
        objects.stores_by_name[scope] = _by_name(objects.project.function(scope))
    return objects.stores_by_name[scope].get(name, _NONE)


def _by_name(function: ir.Function) -> Mapping[str, StoredByName]:
    writes: dict[str, list[ir.Write]] = collections.defaultdict(list)
    calls: dict[str, list[ir.Call]] = collections.defaultdict(list)
    for write in function.writes:
        if write.value is not None and write.how not in {"delete", "item", "outer"}:
            writes[_root(write.target)].append(write)
    own = function.parameters[0].name if function.owner and function.parameters else ""
    for call in function.calls:
        used = [*call.args, *(value for _, value in call.keywords)]
        if isinstance(call.func, ir.Attribute):
            used.append(ir.Name(own) if is_super_init(call) else call.func.base)
        for name in dict.fromkeys(map(_root, used)):
            calls[name].append(call)
    names = {*writes, *calls} - {""}
    return {each: StoredByName(tuple(writes[each]), tuple(calls[each])) for each in names}


def _root(expr: ir.Expr) -> str:
    """The name that a part is found from, as `place_in` finds it."""
    while True:
        match expr:
            case ir.Name(id=name):
                return name
            case ir.Call(func=ir.Name(id="vars"), args=(base,)):
                expr = base
            case ir.Attribute(base=base) | ir.Element(base=base):
                expr = base
            case _:
                return ""


def itself(scope: Scope, name: str, place: Place) -> Held:
    """The object that something is stored in, or a part of it, whatever the name is bound to."""
    expr: ir.Expr = ir.Name(name)
    for each in place:
        expr = ir.Attribute(expr, each)
    return Held(Object(Variable(scope, name, 0), place, Located(scope, expr), name))


@record
class _Passed:
    """An object, or a part of it, that a call passes to a function.

    Args:
        parameter: the one that gets it, and its place.
        bound: whether the first parameter is an object that the function is called of.
        place: which part it is.
    """

    callee: Scope
    parameter: str
    nth: int
    bound: bool
    place: Place


def _passed_on(objects: Objects, scope: Scope, own: ir.Name, call: ir.Call) -> Iterator[_Passed]:
    """The functions that a call passes an object to, or a part of it."""
    passed = [
        (each, place)
        for each in (*call.args, *(value for _, value in call.keywords))
        if (place := place_in(own, each)) is not None
    ]
    called_of = None
    if isinstance(call.func, ir.Attribute):
        called_of = place_in(own, call.func.base)
        if is_super_init(call) and _is_own_object(objects, scope, own):
            called_of = ()
    if called_of is None and not passed:
        return
    for callee, bound in _targets(objects, scope, call):
        parameters = objects.project.function(callee).parameters
        for nth, parameter in enumerate(parameters):
            place = called_of if bound and nth == 0 else None
            if place is None:
                argument = argument_for(parameters, parameter, call, int(bound))
                place = next((place for each, place in passed if each is argument), None)
            if place is not None:
                yield _Passed(callee, parameter.name, nth, bound, place)


def _is_own_object(objects: Objects, scope: Scope, own: ir.Name) -> bool:
    function = objects.project.function(scope)
    return (
        function.owner is not None
        and function.parameters[:1] != ()
        and (function.parameters[0].name == own.id)
    )


def _targets(objects: Objects, scope: Scope, call: ir.Call) -> Iterator[tuple[Scope, bool]]:
    """The functions that a call runs, and whether their first parameter is an object."""
    owner = objects.project.function(scope).owner
    if is_super_init(call) and owner is not None:
        for method in objects.hierarchy.super_methods(f"{scope.module}:{owner}", "__init__")[:1]:
            if isinstance(method, Scope):
                yield method, True
        return
    for value in in_order(objects.evaluator.values(scope, call.func)):
        if isinstance(value, FunctionValue) and not value.partial_args:
            static = objects.project.function(value.scope).decorators == (_STATIC,)
            if not value.transforms or static:
                yield value.scope, value.bound


def _stored_by(
    objects: Objects, scope: Scope, own: ir.Name, call: ir.Call, passed: _Passed
) -> Iterator[Kept]:
    """What a function that a call runs stores in an object that it is passed."""
    callee, via, line = passed.callee, (scope, call), call.line
    known = {passed.parameter: itself(scope, own.id, passed.place)}
    first = {}
    if passed.bound:
        base = call.func.base if isinstance(call.func, ir.Attribute) else ir.UNSEEN
        first = {0: objects.held(scope, base, line) if passed.nth else known[passed.parameter]}
    for below, held, _ in objects.stored(callee, passed.parameter):
        if len(passed.place) + len(below) > _DEEPEST:
            continue
        given = in_terms_of(
            objects, callee, held, call, first, via, line, known=known, in_turn=True
        )
        if not below or not is_element(below[-1]):
            yield from told(objects, (*passed.place, *below), given, line)
            continue
        where = (*passed.place, *below[:-1])
        if name := passed_name(objects, scope, call, callee, passed.bound, below[-1]):
            yield from told(objects, (*where, name), given, line)
            continue
        at = ":".join(below[-1][1:-1].split(":")[-_MOST_LINES:])
        all_told = given.way == "some" and given.object is None  # all of a list that is passed
        for i, each in enumerate(given if all_told else (given,)):
            yield from put(objects, scope, where, each, line, f":{at}:{i}")


def _growing(objects: Objects, scope: Scope, own: ir.Name, call: ir.Call) -> Place | None:
    """Where in an object a call of a method puts something into a container."""
    if not isinstance(call.func, ir.Attribute):
        return None
    method = call.func.name
    if method not in PUTTING and method not in _PUTTING_BY_KEY:
        return None
    place = place_in(own, call.func.base)
    if place is None or (place and method in PUTTING):
        return None  # under an attribute it is a store that is recorded
    if not place and own.id in objects.project.function(scope).bindings:
        return None  # what the name is bound to says it
    values = objects.evaluator.values(scope, call.func.base)
    classes = (each.class_name for each in values if isinstance(each, Instance))
    return place if all(_is_container(objects, each, method) for each in classes) else None


def _is_container(objects: Objects, class_name: str, method: str) -> bool:
    """Whether a method of that name puts something into an object as it does into a list."""
    if layer_of(class_name) is not None:
        return class_name in _CONTAINERS
    return not isinstance(objects.hierarchy.method(class_name, method), Scope)


def _grown(objects: Objects, scope: Scope, place: Place, call: ir.Call) -> Iterator[Kept]:
    """What a method of a container puts into it, where nothing else says so."""
    method, args = ir.last_name(call.func), call.args
    if method == "update":
        store = put_by_name if is_method_of_attributes(call.func) else put_all
        for each in args:
            yield from store(objects, scope, place, each, call.line)
        for name, value in call.keywords:
            if name:
                yield from told(
                    objects, (*place, name), objects.held(scope, value, call.line), call.line
                )
            else:
                yield from store(objects, scope, place, value, call.line)
        return
    at, whole = PUTTING.get(method, (1, False))
    if at >= len(args):
        return
    held = objects.held(scope, args[at], call.line)
    if whole:
        yield from put_all(objects, scope, place, args[at], call.line)
    elif method == "setdefault" and isinstance(args[0], ir.Constant) and args[0].text:
        yield from told(objects, (*place, args[0].text), held, call.line)
    else:
        yield from put(objects, scope, place, held, call.line)
