"""Values of several types are sown: each type becomes a result of its own."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from nnx_codemods._sown.pops.forward_calls import NotCaptured
from nnx_codemods._sown.propagation import Route
from nnx_codemods._sown.sowing import INTERMEDIATE, Sowing
from nnx_codemods._sown.types import check_only_sown, name_at
from nnx_migrate.analysis.domain.values import ClassValue, TupleValue, Values, short_name
from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.sown_plans import CapturedCall, SownType


def is_of_several(context: FileContext, sowing: Sowing, calls: Sequence[CapturedCall]) -> bool:
    """Whether more than one type is sown, or it is popped by more than one."""
    if len({each.types for each in sowing.sown}) > 1:
        return True
    for call in calls:
        there = context.where_it_is(call.module)
        if len(call.filters) > 1 or any(_is_tuple(there.values(each)) for each in call.filters):
            return call.pop is not None
    return False


def of_several(
    context: FileContext, site: Site, sowing: Sowing, route: Route
) -> tuple[tuple[SownType, ...], tuple[CapturedCall, ...]]:
    """The types, and the calls with what each filter of their pops takes.

    `nnx.capture` goes by the exact type and gives a State for each, `nnx.pop` takes subclasses too
    and gives a State for each filter: every type has to be taken by one.

    Raises:
        NotCaptured: the types are not known, or one is left.
    """
    if sowing.aux or sowing.output.by_axes or route.runs or route.passes or sowing.passes:
        raise NotCaptured(
            "values of several types are sown in a loss, with StateAxes, or by several calls before"
            " one pop: a State for each type comes out of a whole function alone"
        )
    ancestry = context.evaluator.hierarchy.ancestry
    types = sorted(
        {_the_class(each.types) for each in sowing.sown},
        key=lambda name: (-len(ancestry(name).classes), name),
    )
    calls = tuple(_taken_apart(context, call, types) for call in route.calls)
    named = tuple(
        SownType("Intermediate", True)
        if name == INTERMEDIATE
        else SownType(name_at(context, site, ClassValue(name)), False)
        for name in types
    )
    return named, calls


def _taken_apart(context: FileContext, call: CapturedCall, types: Sequence[str]) -> CapturedCall:
    if call.pop is None:
        raise NotCaptured("values of several types are read where they lie")
    there = context.where_it_is(call.module)
    left = dict(enumerate(types))
    parts = []
    for each in call.filters:
        taken = set[str]()
        for wanted in _classes(there.values(each)):
            if wanted != INTERMEDIATE and context.project.class_of(wanted) is None:
                raise NotCaptured(f"{short_name(wanted)} may be the type of other Variables")
            check_only_sown(context, wanted)
            taken |= {wanted, *context.evaluator.hierarchy.descendants(wanted)}
        part = tuple(place for place, name in left.items() if name in taken)
        parts.append(part)
        left = {place: name for place, name in left.items() if place not in part}
    if left:
        name = short_name(next(iter(left.values())))
        raise NotCaptured(f"{name} is sown too, and not popped ({there.where(call.pop)})")
    return dataclasses.replace(call, parts=tuple(parts))


def _is_tuple(values: Values) -> bool:
    return any(isinstance(value, TupleValue) for value in values)


def _classes(values: Values) -> list[str]:
    """The types that a filter names, be it a tuple of them."""
    if len(values) == 1:
        (value,) = values
        if isinstance(value, TupleValue):
            return [name for element in value.elements for name in _classes(element)]
    return [_the_class(values)]


def _the_class(values: Values) -> str:
    """The one class that some values are."""
    if len(values) == 1:
        (value,) = values
        if isinstance(value, ClassValue):
            return value.class_name
    raise NotCaptured("what is sown, or popped, is of no one type that is known")
