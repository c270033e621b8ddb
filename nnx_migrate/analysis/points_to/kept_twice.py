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
    objects,
    on_several,
    surely_on_several,
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
    lines: dict[tuple[str, ...], int] = {}
    for place, held, line in finder.kept(scope):
        places[place].append(held)
        lines[place] = line
    if not places:
        return ""
    own = finder.project.function(scope).parameters[0].name
    kept = {place: either(held) for place, held in places.items()}
    absent = {
        _own_part(scope, own, place)
        for place, held in kept.items()
        if _is_none(held.object, scope, none)
    }
    sides = {place: _stored(scope, own, place, held) for place, held in kept.items()}
    for i, (place, side) in enumerate(sides.items()):
        pairs = [(lines[place], pair) for pair in twice(together([("", kept[place])]))]
        for later in list(sides)[i + 1 :]:
            # Of `self.mid` and `self.mid.head` the second is in the first by its name alone.
            by_name = {side[0], sides[later][0]}
            both = on_several([side, sides[later]])
            line = max(lines[place], lines[later])
            pairs += ((line, pair) for pair in both if {*pair} != by_name)
            some = surely_on_several([kept[place], kept[later]])
            pairs += ((line, pair) for pair in some)
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


def _is_none(held: Object | None, scope: Scope, none: frozenset[str]) -> bool:
    """Whether an object is what a parameter holds that is None."""
    if held is None or held.path or not isinstance(held.root, Variable):
        return False
    root = held.root
    return root.scope == scope and not root.version and root.name in none
