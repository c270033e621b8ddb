"""What a constructor takes out of the parts of its object again: `del self.head.rngs`.

    self.blocks = nnx.List([Block(rngs) for _ in range(3)])
    for block in self.blocks[1:]:
        del block.rngs

Only what is known to be there before is taken out. What another name leads to keeps it, so that an
object may seem to hold more than it does, and never less.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.points_to.abstract_objects import Held, is_element, is_some
from nnx_migrate.analysis.points_to.queries import Kept


def without_removed(kept: tuple[Kept, ...], removals: Sequence[ir.Removal]) -> tuple[Kept, ...]:
    """What a method stores, but for what it deletes from that afterwards."""
    for removal in removals:
        kept = _without(kept, removal)
    return kept


def _without(kept: tuple[Kept, ...], removal: ir.Removal) -> tuple[Kept, ...]:
    path, length = removal.path, len(removal.path)
    # Which of the elements is the first is known where one line alone puts them in.
    puts = {n for at, held, n in kept if at[:length] == path and (at != path or held.parts)}
    if removal.first and len(puts) > 1:
        return kept
    return tuple(
        (place, _without_below(held, place[length:], removal), line)
        if place[:length] == path and line < removal.line
        else (place, held, line)
        for place, held, line in kept
    )


def _without_below(held: Held, below: tuple[str, ...], removal: ir.Removal) -> Held:
    """What is stored in a part, or among its elements, but for what is deleted from it."""
    name, first = removal.attribute, removal.first
    if first is None:
        return held if below else _without_attribute(held, name)
    if not below:
        return _without_of_elements(held, name, first)
    if len(below) > 1 or not (is_element(below[0]) or is_some(below[0])):
        return held
    # What the first turn of a loop puts in, or that of any other turn.
    first = 0 if is_some(below[0]) or below[0].endswith("+>") else first
    if held.is_container and _in_their_order(held, name):
        return _without_of_elements(held, name, first)
    return held if first else _without_attribute(held, name)


def _without_of_elements(held: Held, name: str, first: int) -> Held:
    """A container of which the elements lack an attribute, but for those before the first."""
    if held.way == "either":
        parts = tuple((at, _without_of_elements(part, name, first)) for at, part in held.parts)
        return dataclasses.replace(held, parts=parts)
    if held.way == "some" or not _in_their_order(held, name):
        return held
    parts = tuple(
        (at, part if i < first else _without_attribute(part, name))
        for i, (at, part) in enumerate(held.parts)
    )
    return dataclasses.replace(held, parts=parts)


def _in_their_order(held: Held, name: str) -> bool:
    """Whether the parts of a container are its elements in their order, or all have the same."""
    keys = [at for at, _ in held.parts]
    if keys == [str(i) for i in range(len(keys))]:
        return True
    kept = [dict(part.parts).get(name) if part.way == "all" else None for part in held]
    return not any(keys) and None not in kept and all(each == kept[0] for each in kept)


def _without_attribute(held: Held, name: str) -> Held:
    """A value that lacks an attribute, which ever of several it may be."""
    if held.way == "all":
        parts = tuple((at, part) for at, part in held.parts if at != name)
    else:
        parts = tuple((at, _without_attribute(part, name)) for at, part in held.parts)
    return dataclasses.replace(held, parts=parts)
