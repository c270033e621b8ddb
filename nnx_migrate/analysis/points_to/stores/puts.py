"""What puts an element into a container, and where that is: at a place of its own."""

from __future__ import annotations

import functools
from collections.abc import Iterator

from nnx_migrate.analysis.domain.values import ARRAY, PLAIN, Located, Scope
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.points_to.abstract_objects import (
    NAMED,
    Held,
    Object,
    Variable,
    is_some,
    is_untold,
)
from nnx_migrate.analysis.points_to.containers.elements import spread, without
from nnx_migrate.analysis.points_to.queries import Kept, Objects
from nnx_migrate.analysis.points_to.stores.turns import is_in_a_loop, put_in_turns, same_in_turns

#: Methods that put something into a container, which of their arguments, and whether all of it.
PUTTING = {
    "add": (0, False),
    "append": (0, False),
    "appendleft": (0, False),
    "insert": (1, False),
    "extend": (0, True),
    "extendleft": (0, True),
}
#: The names that lead from an object to something that is stored in it.
Place = tuple[str, ...]


def place_in(own: ir.Name, expr: ir.Expr) -> Place | None:
    """The names that lead from an object to a part of it; None for what is no part of it."""
    names: list[str] = []
    while expr != own:
        match expr:
            case ir.Attribute(base=base, name="__dict__"):
                expr = base
            case ir.Call(func=ir.Name(id="vars"), args=(base,)):
                expr = base
            case ir.Attribute(base=base, name=name):
                names.append(name)
                expr = base
            case ir.Element(base=base, key=key) if key:
                names.append(key)
                expr = base
            case _:
                return None
    return tuple(reversed(names))


def told(objects: Objects, place: Place, held: Held, line: int) -> Iterator[Kept]:
    """A store of what may be or hold an object: of numbers and arrays nobody asks."""
    held = without(held, functools.partial(_is_plain, objects))
    if not is_untold(held):
        yield place, held, line


def _is_plain(objects: Objects, one: Object) -> bool:
    if isinstance(one.root, Variable) and not one.root.version and not one.path:
        return False  # of what is passed each caller knows that
    values = objects.evaluator.values(one.place.scope, one.place.expr)
    return bool(values) and values <= PLAIN | ARRAY


def put(
    objects: Objects, scope: Scope, place: Place, held: Held, line: int, at: str = ""
) -> Iterator[Kept]:
    """A store of an element: in a loop it is another one in each turn, or the same each time."""
    if not is_in_a_loop(objects, scope, line):
        where = (*place, f"<{_line_or_branch(objects, scope, line)}{at}>")
        yield from told(objects, where, put_in_turns(objects, scope, held, line), line)
        return
    yield from told(
        objects, (*place, f"<{line}{at}>"), put_in_turns(objects, scope, held, line), line
    )
    same = same_in_turns(objects, without(held, _is_some_element))
    yield from told(objects, (*place, f"<{line}{at}+>"), same, line)


def _line_or_branch(objects: Objects, scope: Scope, line: int) -> str:
    """A line; of the branches of one `if`, of which one runs, the same for each that begins so."""
    branches = objects.project.function(scope).branches
    around = [each for each in branches if each.first <= line <= each.last]
    if not around:
        return str(line)
    inner = max(around, key=lambda each: each.first)
    return f"{inner.of}|{line - inner.first}"


def _is_some_element(one: Object) -> bool:
    """Whether it may be another element in each turn of a loop."""
    return any(map(is_some, one.path))


def put_by_name(
    objects: Objects, scope: Scope, place: Place, expr: ir.Expr, line: int
) -> Iterator[Kept]:
    """A store of all that a mapping holds, under the names that this has: `update(kwargs)`."""
    own = objects.held(scope, expr, line).object
    if own is not None and isinstance(own.root, Variable) and not own.root.version:
        yield from told(objects, (*place, NAMED), Held(own), line)
    else:
        yield from put_all(objects, scope, place, expr, line)


def put_all(
    objects: Objects, scope: Scope, place: Place, expr: ir.Expr, line: int
) -> Iterator[Kept]:
    """A store of all that is in a container, under names where these are known."""
    held = objects.held(scope, expr, line)
    parts = held.parts if held.is_container else spread(held, Located(scope, expr))
    for i, (name, part) in enumerate(parts):
        if name.isidentifier():
            yield from told(objects, (*place, name), part, line)
        else:
            yield from put(objects, scope, place, part, line, f":{i}")
