"""Parts of an object that one statement puts in each other's places: `m.a, m.b = m.b, m.a`.

Before it and after it the object holds the same. So it may be either of two objects, of which
neither holds a part twice; what each place may be by itself would say that both hold the same.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from nnx_migrate.analysis.domain.values import Instance, Located, Scope
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.ir.records import record
from nnx_migrate.analysis.points_to.abstract_objects import Held, step
from nnx_migrate.analysis.points_to.queries import Objects
from nnx_migrate.analysis.points_to.stores.puts import Place, place_in


@record
class Permutation:
    """The stores of one statement: where each stores, on which line, and what was where before."""

    stores: tuple[tuple[Place, int], ...]
    sources: tuple[Place, ...]

    @property
    def line(self) -> int:
        return self.stores[0][1]


def permutations(objects: Objects, scope: Scope, name: str) -> list[Permutation]:
    """The statements of a function that do so to the object of a name."""
    own = ir.Name(name)
    together: dict[tuple[ir.Expr, int], list[ir.Write]] = {}
    for write in objects.project.function(scope).writes:
        match write:
            case ir.Write(value=ir.Unpacked(base=ir.Sequence() as values), how="set", line=line):
                together.setdefault((values, line), []).append(write)
    found = (_permutation(own, values, writes) for (values, _), writes in together.items())
    return [
        each
        for each in found
        if each is not None
        and all(_is_plain(objects, scope, name, place) for place, _ in each.stores)
    ]


def _is_plain(objects: Objects, scope: Scope, name: str, place: Place) -> bool:
    """Whether each attribute that leads to a place is no property, and is set by no method."""
    classes: set[str] = set()
    for depth, attribute in enumerate(place):
        values = objects.evaluator.values(scope, _part(name, place[:depth]))
        if not values or not all(isinstance(value, Instance) for value in values):
            return False
        for value in values:
            assert isinstance(value, Instance)
            classes.update(objects.hierarchy.classes_of(value))
        asked = (attribute, "__setattr__", "__getattribute__")
        if any(isinstance(objects.hierarchy.method(c, m), Scope) for c in classes for m in asked):
            return False
    return True


def _permutation(own: ir.Name, values: ir.Expr, writes: Sequence[ir.Write]) -> Permutation | None:
    assert isinstance(values, ir.Sequence)
    taken = [each.value.index for each in writes if isinstance(each.value, ir.Unpacked)]
    if values.each or sorted(taken) != list(range(len(values.elements))):
        return None
    targets = [_names_to(own, each.target) for each in writes]
    sources = [_names_to(own, values.elements[index]) for index in taken]
    known = [each for each in targets if each]
    if len(known) != len(targets) or sorted(known) != sorted(each or () for each in sources):
        return None
    if len({*known}) != len(known) or len({each[:-1] for each in known}) > 1:
        return None  # one may be in another
    lines = tuple(each.line for each in writes)
    return Permutation(tuple(zip(known, lines, strict=True)), tuple(filter(None, sources)))


def _names_to(own: ir.Name, expr: ir.Expr) -> Place | None:
    """The attributes that lead to a part of an object; None for anything else."""
    place = place_in(own, expr)
    return place if place and all(map(str.isidentifier, place)) else None


def permuted(held: Held, permutation: Permutation, scope: Scope, name: str) -> Held:
    """An object after such a statement."""
    found = held
    for (place, _), source in zip(permutation.stores, permutation.sources, strict=True):
        part, expr = held, _part(name, source)
        for each in source:
            part = step(part, each, Located(scope, expr))
        found = _with(found, place, part, Located(scope, _part(name, place[:-1])))
    return found


def _part(name: str, place: Place) -> ir.Expr:
    expr: ir.Expr = ir.Name(name)
    for each in place:
        expr = ir.Attribute(expr, each)
    return expr


def _with(held: Held, place: Place, part: Held, at: Located) -> Held:
    """An object that has a part in a place, whatever was there."""
    first, *below = place
    if below:
        part = _with(step(held, first, at), tuple(below), part, at)
    parts = {**dict(held.parts), first: part}
    return dataclasses.replace(held, parts=tuple(parts.items()))
