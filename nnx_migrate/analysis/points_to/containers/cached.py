"""What functions under `functools.cache` give: one object for all calls that pass the same."""

from __future__ import annotations

import dataclasses

from nnx_migrate.analysis.domain.values import Scope
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.points_to.abstract_objects import Anything, Held, mapped
from nnx_migrate.analysis.points_to.containers.places import place_of
from nnx_migrate.analysis.points_to.queries import Objects


def made_once(
    objects: Objects, function: Scope, held: Held, via: tuple[Scope, ir.Call], at: float
) -> Held:
    """What a function with a cache gives: the same for all calls that pass the same."""
    where, call = via
    args = [place_of(objects, where, each, at) for each in call.args]
    named = [(name, place_of(objects, where, value, at)) for name, value in call.keywords]
    if not all(args) or not all(name and place for name, place in named):
        return held
    keywords = tuple((name, ir.Name(place)) for name, place in named)
    once = function, ir.Call(ir.UNSEEN, tuple(map(ir.Name, args)), keywords, 0)

    def change(each: Held) -> Held:
        own = each.object
        if own is None or isinstance(own.root, Anything) or own.root.within[:1] != (via,):
            return each
        root = dataclasses.replace(own.root, within=(once, *own.root.within[1:]))
        return dataclasses.replace(each, object=dataclasses.replace(own, root=root))

    return mapped(held, change)
