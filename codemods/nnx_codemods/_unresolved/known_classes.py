"""Whether it is known of which classes some values are."""

from __future__ import annotations

from nnx_migrate.analysis.domain.values import (
    ARRAY,
    PLAIN,
    ContainerValue,
    Instance,
    TupleValue,
    Value,
    Values,
)


def all_known(values: Values, in_lists: bool = False) -> bool:
    """Whether everything that can take an attribute is an object of a known class.

    Args:
        in_lists: lists and dictionaries of such objects count too.
    """
    return bool(values) and all(_is_known(value, in_lists) for value in values)


def _is_known(value: Value, in_lists: bool) -> bool:
    match value:
        case Instance():
            return True
        case TupleValue(elements=elements):
            return all(all_known(each, in_lists) for each in elements)
        case ContainerValue(element=element) if in_lists:
            return all_known(element, in_lists)
        case _:  # numbers and arrays take no attributes
            return value in ARRAY | PLAIN
