"""What an object holds on a line: with what the code beside has stored in it by then."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from nnx_migrate.analysis.domain.values import Scope
from nnx_migrate.analysis.points_to.abstract_objects import (
    NOTHING,
    Held,
    MadeBy,
    Object,
    Variable,
    either,
    mapped,
    step,
)
from nnx_migrate.analysis.points_to.queries import LAST, Kept, Objects
from nnx_migrate.analysis.points_to.stores.permuted import permutations, permuted
from nnx_migrate.analysis.points_to.stores.puts import Place
from nnx_migrate.analysis.points_to.stores.turns import is_in_a_loop

#: After so many statements that exchange parts, an object may be any of some.
_MOST_PERMUTATIONS = 2


def with_stored(objects: Objects, scope: Scope, name: str, held: Held, at: float = LAST) -> Held:
    """An object with what the code beside stores in it, or has methods and functions store.

    Args:
        at: the line that it is read on; half a line less for what is read before that stores.
    """
    if held.object is None or held.object.path or held.way != "all":
        return held
    if not _is_made_by(scope, held.object):
        at = LAST  # another call of the function may have stored in it before
    kept = [each for each in objects.stored(scope, name) if _is_done(objects, scope, each, at)]
    if not kept:
        return held
    options = _in_each_order(objects, scope, name, held, kept)
    if options is None:
        return _with_kept(held, scope, name, kept)
    if len(options) < 2:
        return options[0]
    return Held(held.object, tuple(("", option) for option in options), "either")


def _in_each_order(
    objects: Objects, scope: Scope, name: str, held: Held, kept: Sequence[Kept]
) -> list[Held] | None:
    """What an object may be before and after statements that exchange parts of it; None for none.

    Of what may run again, it is known after one exchange of two parts alone.
    """
    moves = permutations(objects, scope, name)
    if not 0 < len(moves) <= _MOST_PERMUTATIONS:
        return None
    stores = {(*place, line) for each in moves for place, line in each.stores}
    others = [each for each in kept if (*each[0], each[2]) not in stores]
    again = not (held.object and _is_made_by(scope, held.object)) or any(
        is_in_a_loop(objects, scope, each.line) for each in moves
    )
    if again and (len(moves) > 1 or len(moves[0].stores) > 2 or others):
        return None
    done = {(*place, line) for place, _, line in kept}
    options, last = [held], 0
    for each in sorted(moves, key=lambda each: each.line):
        if not any((*place, line) in done for place, line in each.stores):
            continue
        before = [store for store in others if last <= store[2] <= each.line]
        options = [_with_kept(option, scope, name, before) for option in options]
        options += [permuted(option, each, scope, name) for option in options]
        last = each.line
    behind = [store for store in others if last <= store[2]]
    return [_with_kept(option, scope, name, behind) for option in options]


def _with_kept(held: Held, scope: Scope, name: str, kept: Sequence[Kept]) -> Held:
    """The same, with what is stored by name; `held` is all that is known of it else."""
    if not kept:
        return held
    here = Variable(scope, name, 0)
    whole = Held(held.object)

    def change(each: Held) -> Held:
        own = each.object
        if own is None or own.root != here or held.object == own:
            return each
        found = whole
        for part in own.path:
            found = step(found, part, own.place)
        return dataclasses.replace(each, object=found.object)

    stored: dict[Place, list[Held]] = {}
    for place, each, _ in kept:
        stored.setdefault(place, []).append(mapped(each, change))
    for place, options in stored.items():
        held = _with_part(held, place, options)
    return held


def _with_part(held: Held, place: Place, options: Sequence[Held]) -> Held:
    """An object that holds one of several values in a place, or what it held there before."""
    parts = dict(held.parts)
    first, *below = place or ("",)
    inner = parts.get(first, NOTHING)
    if below and inner.object is not None and inner.way == "all" and all(map(_is_name, below)):
        parts[first] = _with_part(inner, tuple(below), options)
    else:
        under = ".".join(place)
        parts[under] = either([*options, parts.get(under, NOTHING)])
    return dataclasses.replace(held, parts=tuple(parts.items()))


def _is_name(part: str) -> bool:
    return part.isidentifier()


def _is_made_by(scope: Scope, one: Object) -> bool:
    """Whether each call of a function makes another one."""
    return isinstance(one.root, MadeBy) and one.root.outermost[0] == scope


def _is_done(objects: Objects, scope: Scope, kept: Kept, at: float) -> bool:
    """Whether a store may be done where an object is read: `m.a = Wrap(m.a)` reads the old one."""
    _, _, line = kept
    if at == LAST or line <= at or is_in_a_loop(objects, scope, line):
        return True
    return at == int(at) or not stores_alone(objects, scope, line)


def stores_alone(objects: Objects, scope: Scope, line: int) -> bool:
    """Whether a line has one store, and binds no name."""
    function = objects.project.function(scope)
    bound = (each.first[0] for several in function.definitions.values() for each in several)
    return [each.line for each in function.writes].count(line) == 1 and line not in bound
