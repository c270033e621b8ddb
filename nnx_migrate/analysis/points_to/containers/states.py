"""States, what is put together of them, and copies."""

from __future__ import annotations

import dataclasses

from nnx_migrate.analysis.domain.values import Located, Scope
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.points_to.abstract_objects import (
    NOTHING,
    Anything,
    Held,
    MadeBy,
    Variable,
    attribute,
    together,
)


def split(scope: Scope, call: ir.Call, whole: Held) -> Held:
    """A graphdef, and the States, which have nothing in common with each other."""
    place = Located(scope, call)
    if len(call.args) <= 2 and not any(isinstance(a, ir.Starred) for a in call.args):
        return Held(None, (("0", NOTHING), ("1", whole)))
    own = f"<{call.line}:{call.column}>"
    states = [(str(i), _part(whole, f"{own}{i}", place)) for i in range(1, len(call.args))]
    return Held(None, (("0", NOTHING), *states))


def some_state(whole: Held, filters: tuple[ir.Expr, ...], place: Located) -> Held:
    if not filters:
        return whole
    parts = [_part(whole, f"<{ir.last_name(each) or each}>", place) for each in filters]
    if len(parts) == 1:
        return parts[0]
    return Held(None, tuple((str(i), part) for i, part in enumerate(parts)))


def states_of(args: tuple[ir.Expr, ...]) -> tuple[ir.Expr, ...]:
    """The arguments, with `*nnx.split(m)` as the graphdef and the rest."""
    first, *rest = args
    if isinstance(first, ir.Starred) and not rest:
        return (ir.Unpacked(first.value, 0), ir.Starred(first.value))
    return args


def merged(states: list[Held]) -> Held:
    """An object put together of States: it has their Variables."""
    flat: list[Held] = []
    for each in states:
        flat += [part for part in each if part != NOTHING] if each.is_container else [each]
    if len(flat) == 1:
        return flat[0]
    return together(("", each) for each in flat)


def copied(scope: Scope, call: ir.Call, held: Held) -> Held:
    """An object of a copy: what was one object in two places is one again."""
    own = held.object
    if own is None:
        return held
    match own.root:
        case MadeBy(scope=made_in, call=made, within=within):
            if (scope, call) in ((made_in, made), *within):  # a copy of the copy of another turn
                return dataclasses.replace(held, object=None)
            root = dataclasses.replace(own.root, within=((scope, call), *within))
            copy = dataclasses.replace(own, root=root)
        case Variable(name=name, version=version):
            path = (f"<{name}:{version}>", *own.path)
            copy = dataclasses.replace(own, root=MadeBy(scope, call), path=path, label="")
        case Anything():
            copy = own
    return dataclasses.replace(held, object=copy)


def _part(held: Held, name: str, place: Located) -> Held:
    """Some of the Variables of an object."""
    if held.object is None:
        return Held(None, tuple((n, _part(p, name, place)) for n, p in held.parts), held.way)
    return attribute(Held(held.object), name, place)
