"""What containers hold, and questions about all that they hold at any depth."""

from __future__ import annotations

from collections.abc import Callable

from nnx_migrate.analysis.domain.values import (
    ContainerValue,
    TupleValue,
    Value,
    Values,
    is_unknown,
    union,
)


def is_container(value: Value) -> bool:
    return isinstance(value, ContainerValue | TupleValue)


def parts_of(value: Value) -> tuple[Values, ...]:
    """What stands at each place of a tuple, or anywhere in another container."""
    match value:
        case TupleValue(elements=elements):
            return elements
        case ContainerValue(element=element):
            return (element,)
        case _:
            return ()


def leaves(values: Values) -> Values:
    """What is in containers, however deep, and what is none."""
    found: set[Value] = set()
    for value in values:
        found |= leaves(union(parts_of(value))) if is_container(value) else {value}
    return frozenset(found)


def any_leaf(values: Values, holds: Callable[[Value], bool]) -> bool:
    """Whether something that is no container passes a test, at whatever depth it is."""
    return any(
        any(any_leaf(part, holds) for part in parts_of(value))
        if is_container(value)
        else holds(value)
        for value in values
    )


def all_leaves(values: Values, holds: Callable[[Value], bool]) -> bool:
    """Whether all that is no container passes a test, and what is in each container is known."""
    return bool(values) and all(
        all(all_leaves(part, holds) for part in parts_of(value))
        if is_container(value)
        else holds(value)
        for value in values
    )


def holds_unknown(values: Values) -> bool:
    """Whether a container among them has parts of which nothing is known."""
    return any(is_unknown(part) or holds_unknown(part) for v in values for part in parts_of(v))
