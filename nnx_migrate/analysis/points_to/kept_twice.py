"""What a method stores in two places of its own object."""

from __future__ import annotations

import collections
from collections.abc import Callable

from nnx_migrate.analysis.domain.values import Located, Scope
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.points_to.abstract_objects import Held, Object, Variable, either, together
from nnx_migrate.analysis.points_to.object_finder import ObjectFinder
from nnx_migrate.analysis.points_to.repeated_objects import (
    Found,
    Paths,
    choices_on_several,
    has_choices,
    objects,
    on_several,
    twice,
)
from nnx_migrate.core.place import Place


def kept_twice(
    finder: ObjectFinder,
    scope: Scope,
    none: frozenset[str],
    is_in_both: Callable[[Found, Found], bool],
    untold: Callable[[Held], str],
) -> str:
    """What a method stores in two places of its own object, in words.

    Args:
        none: its parameters that are None.
        is_in_both: whether what was found twice may be an object of nnx.
        untold: why it is not known what a value holds; "" where it is.
    """
    places: dict[tuple[str, ...], list[Held]] = collections.defaultdict(list)
    lines: dict[tuple[str, ...], list[int]] = collections.defaultdict(list)
    for place, held, line in finder.kept(scope):
        places[place].append(held)
        lines[place].append(line)
    if not places:
        return ""
    function = finder.project.function(scope)
    own = function.parameters[0].name
    kept = {place: either(held) for place, held in places.items()}
    absent = {
        _own_part(scope, own, place)
        for place, held in kept.items()
        if _is_none(held.object, scope, none)
    }
    sides = {place: _stored(scope, own, place, held) for place, held in kept.items()}
    roots = {place: {each.object.root for each in side[1:]} for place, side in sides.items()}
    paths = {place: Paths(side) for place, side in sides.items()}
    growing = {place for place in kept if Variable(scope, own, 0) in roots[place]}
    choosing = {place for place, held in kept.items() if has_choices(held)}
    for i, (place, side) in enumerate(sides.items()):
        pairs = [(lines[place][-1], pair) for pair in twice(together([("", kept[place])]))]
        for later in list(sides)[i + 1 :]:
            chosen = place in choosing or later in choosing
            nested = place in growing or later in growing or _may_be_nested(place, later)
            if not (chosen or nested) and roots[place].isdisjoint(roots[later]):
                continue  # they have nothing in common
            # Of `self.mid` and `self.mid.head` the second is in the first by its name alone.
            by_name = {side[0], sides[later][0]}
            meet = paths[place].may_meet(paths[later])
            both = on_several([side, sides[later]]) if meet else ()
            line = max(lines[place][-1], lines[later][-1])
            found = [pair for pair in both if {*pair} != by_name]
            found += choices_on_several([kept[place], kept[later]]) if chosen else ()
            if _both_grow(place, later) and _is_either(function, lines[place], lines[later]):
                # What the object has had before it may have beside either.
                found = [pair for pair in found if any(_is_of(each, scope, own) for each in pair)]
            pairs += ((line, pair) for pair in found)
        for line, (one, other) in pairs:
            if one.object in absent or _is_none(one.object, scope, none):
                continue
            if is_in_both(one, other):
                where = Place(scope.module, line)
                return f"{one.object} is held in several places ({where})"
    return next((reason for held in kept.values() if (reason := untold(held))), "")


def _stored(scope: Scope, own: str, place: tuple[str, ...], held: Held) -> tuple[Found, ...]:
    """The objects in a place of a method's own object, this itself included."""
    root = Variable(scope, own, 0)
    inside = [
        each for each in objects(held) if each.object.root != root or each.object.path != place
    ]
    return (Found(_own_part(scope, own, place)), *inside)


def _own_part(scope: Scope, own: str, place: tuple[str, ...]) -> Object:
    """A place of a method's own object."""
    expr: ir.Expr = ir.Name(own)
    for name in place:
        expr = ir.Attribute(expr, name)
    return Object(Variable(scope, own, 0), place, Located(scope, expr))


def _is_of(found: Found, scope: Scope, own: str) -> bool:
    """Whether it is the method's own object, or a part of it."""
    return found.object is None or found.object.root == Variable(scope, own, 0)


def _both_grow(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Whether both put an element into the same container.

    To give a method the same element in two calls is to pass it twice, which is seen there. What
    two calls set as different attributes is not.
    """
    return one[:-1] == other[:-1] and one[-1].startswith("<") and other[-1].startswith("<")


def _may_be_nested(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Whether one of two places may be in the other: they begin alike, as far as is known."""
    first = {*one[:1], *other[:1]}
    return len(first) < 2 or not all(name.isidentifier() for name in first)


def _is_either(function: ir.Function, some: list[int], others: list[int]) -> bool:
    """Whether one run of a function comes to some lines, or to the others, and never to both."""
    return all(_are_alternatives(function, one, other) for one in some for other in others)


def _are_alternatives(function: ir.Function, one: int, other: int) -> bool:
    for branch in function.branches:
        if branch.first <= one <= branch.last:
            again = any(first <= branch.of <= last for first, last in function.loops)
            beside = (b for b in function.branches if b.of == branch.of)
            if not again and any(b.first <= other <= b.last for b in beside if b != branch):
                return True
    return False


def _is_none(held: Object | None, scope: Scope, none: frozenset[str]) -> bool:
    """Whether an object is what a parameter holds that is None."""
    if held is None or held.path or not isinstance(held.root, Variable):
        return False
    root = held.root
    return root.scope == scope and not root.version and root.name in none
