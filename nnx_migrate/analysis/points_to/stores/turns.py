"""What the turns of a loop make, and what a line of it puts into a container in all of them."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable

from nnx_migrate.analysis.domain.values import Scope
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.points_to.abstract_objects import (
    ALL_TURNS,
    Anything,
    Held,
    MadeBy,
    Object,
    Variable,
)
from nnx_migrate.analysis.points_to.containers.elements import (
    same_each_turn,
    unknown_which,
    without,
)
from nnx_migrate.analysis.points_to.queries import Objects


def put_in_turns(objects: Objects, scope: Scope, held: Held, line: int) -> Held:
    """What a line puts into a list, in all turns of the loop around it."""
    is_new = functools.partial(is_made_in_a_loop, objects)
    if not is_in_a_loop(objects, scope, line):
        return without(held, functools.partial(is_one_of_some, objects))
    if any(first < line <= last for first, last in objects.project.function(scope).conditional):
        return without(unknown_which(held), is_new)  # other turns may put it elsewhere
    return _of_all_turns(unknown_which(held, but_each=True), is_new)


def _of_all_turns(held: Held, is_new: Callable[[Object], bool]) -> Held:
    """The same with all that the turns make for each that is new in a turn."""
    own = held.object
    if own is None:
        parts = tuple((name, _of_all_turns(part, is_new)) for name, part in held.parts)
        return dataclasses.replace(held, parts=parts)
    found = without(held, is_new)
    if found.object is None and ALL_TURNS not in own.path:
        own = dataclasses.replace(own, path=(*own.path, ALL_TURNS))
        return dataclasses.replace(found, object=own)
    return found


def same_in_turns(objects: Objects, held: Held) -> Held:
    """What of it is one object in all turns of a loop."""
    is_new = functools.partial(is_made_in_a_loop, objects)
    return same_each_turn(without(unknown_which(held), is_new))


def without_elements(held: Held, container: ir.Expr) -> Held:
    """What replaces elements of a container: they are in it, and no more in the container."""

    def is_element(one: Object) -> bool:
        match one.place.expr:
            case ir.Element(base=base) | ir.Unpacked(base=base):
                return base == container
            case _:
                return False

    return without(held, is_element)


def whatever_is_made(objects: Objects, held: Held) -> Held:
    """The same without a word of which call made it, where another turn may have made it too."""
    held = without(unknown_which(held), lambda one: ALL_TURNS in one.path)
    if held.object is not None and is_made_in_a_loop(objects, held.object):
        return dataclasses.replace(held, object=None)
    return held


def is_one_of_some(objects: Objects, one: Object) -> bool:
    """Whether it is one of those that the turns of a loop make, and not all of them."""
    return ALL_TURNS not in one.path and is_made_in_a_loop(objects, one)


def is_made_in_a_loop(objects: Objects, one: Object) -> bool:
    """Whether each turn of a loop makes another one, or binds its name to another one."""
    match one.root:
        case Variable(within=((scope, call), *_)) | MadeBy(outermost=(scope, call)):
            return is_in_a_loop(objects, scope, call.line)
        case Variable(scope=scope, version=line):
            return is_in_a_loop(objects, scope, line)
        case Anything():
            return False


def is_in_a_loop(objects: Objects, scope: Scope, line: int) -> bool:
    return any(a <= line <= b for a, b in objects.project.function(scope).loops)
