"""What values become when they are combined: by an operator, an index, a partial, a union."""

from __future__ import annotations

import dataclasses

from nnx_migrate.analysis.domain.containers import is_container, parts_of
from nnx_migrate.analysis.domain.unknown import Unknown, unknown
from nnx_migrate.analysis.domain.values import (
    ARRAY,
    NOTHING,
    PLAIN,
    Basic,
    ClassValue,
    ContainerValue,
    FunctionValue,
    Instance,
    TupleValue,
    Value,
    Values,
    short_name,
)
from nnx_migrate.analysis.domain.witnesses import are_told_apart, with_one_witness
from nnx_migrate.analysis.flax.names import layer_of
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.library.return_model import CONTAINER_CLASSES, elements_of, is_dict

#: Values of one answer; beyond, it costs more than all that is done with it.
_MAX_VALUES = 24
#: A function that a project shares is given an object of as many classes as there are files that
#: use it. Such values are of one kind and hold nothing, and each costs what it costs alone.
_MAX_OF_ONE_KIND = 1000
_MAX_DEPTH = 4
#: More arguments than that are bound by no other partial: `f = partial(f, x)` in a loop.
_MOST_BOUND = 8
_HOLDING = Instance | ContainerValue | TupleValue
_NESTED = unknown(Unknown.NESTED)
_TOO_MANY = unknown(Unknown.TOO_MANY)


def limited(found: Values) -> Values:
    """An answer, each value of it once, of bounded size and depth."""
    if len(found) <= _MAX_OF_ONE_KIND and are_told_apart(found):
        return found  # the form in which many come, so not looked at value by value
    if len(found) == 1 and not isinstance(next(iter(found)), _HOLDING):
        return found  # and so is the answer "an array"
    found = with_one_witness(found)
    if len(found) > _MAX_VALUES and len(found) > _most(found):
        return _TOO_MANY
    if any(_deeper(value, _MAX_DEPTH) for value in found):
        return with_one_witness(frozenset(_cut(value, _MAX_DEPTH) for value in found))
    return found


def _most(values: Values) -> int:
    known = [each for each in values if not (isinstance(each, Basic) and each.sort == "unknown")]
    if not known or not isinstance(known[0], Instance | ClassValue | FunctionValue):
        return _MAX_VALUES
    of_one_kind = all(type(each) is type(known[0]) for each in known)
    holds = any(isinstance(each, Instance) and each.wraps for each in known)
    return _MAX_OF_ONE_KIND if of_one_kind and not holds else _MAX_VALUES


def _deeper(value: Value, depth: int) -> bool:
    """Whether containers are nested in each other more than `depth` times."""
    if isinstance(value, Instance):
        return bool(value.wraps) and (depth == 0 or any(_deeper(v, depth - 1) for v in value.wraps))
    if not any(parts := parts_of(value)) and not isinstance(value, TupleValue):
        return False
    return depth == 0 or any(_deeper(v, depth - 1) for part in parts for v in part)


def _cut(value: Value, depth: int) -> Value:
    """A value with what is in it more than `depth` times no longer told.

    All above stays as it is, so that what holds itself has the same answer after a few rounds:
    were the whole no longer told, the next round would begin with `[unknown]`.
    """
    if not _deeper(value, depth):
        return value

    def cut(held: Values) -> Values:
        if depth > 1:
            return frozenset(_cut(each, depth - 1) for each in held)
        return frozenset(each for each in held if not _deeper(each, 0)) | _NESTED

    match value:
        case Instance(wraps=held):
            return dataclasses.replace(value, wraps=cut(held))
        case ContainerValue(element=held, keyed=keyed):
            return ContainerValue(cut(held), keyed)
        case TupleValue(elements=elements):
            return TupleValue(tuple(map(cut, elements)))
        case _:
            return value


def grown(assumed: Values, found: Values) -> Values:
    """What an answer is and what it was before; that it is too much stays so."""
    return assumed if assumed >= _TOO_MANY else limited(assumed | found)


def unsettled(found: Values) -> Values:
    return frozenset(v for v in found if isinstance(v, FunctionValue)) | unknown(
        Unknown.IN_A_CIRCLE
    )


def outside_circles(values: Values) -> Values:
    """Without what is only not known because it is made from itself, where more is known."""
    circle = frozenset(
        v for v in values if isinstance(v, Basic) and v.reason == Unknown.IN_A_CIRCLE.words
    )
    return values - circle or values


def operator_result(operands: list[Values]) -> Values:
    """The result of an operator: containers are joined; what an unknown operand gives is open."""
    held = {v for operand in operands for v in operand}
    containers: Values = frozenset(filter(is_container, held))
    containers |= {as_container(v) for v in held if is_library_container(v)}
    open_ends = frozenset(v for v in held if isinstance(v, Basic) and v.sort == "unknown")
    if containers:
        return containers | open_ends
    if any(operand and operand <= ARRAY | PLAIN for operand in operands):
        return ARRAY
    return open_ends or ARRAY


def is_library_container(value: Value) -> bool:
    short = value.class_name.removeprefix("flax.nnx.") if isinstance(value, Instance) else ""
    return short in CONTAINER_CLASSES


def as_container(value: Value) -> Value:
    """An nnx.List, nnx.Dict or nnx.Sequential as the list or dict that it is like."""
    held = value.wraps if isinstance(value, Instance) else NOTHING
    keyed: ir.Keyed = "yes" if is_dict(frozenset({value})) else "no"
    return ContainerValue(held or unknown(Unknown.LIBRARY_ELEMENT), keyed)


def partial_of(value: Value, given: int, keywords: frozenset[str]) -> Values:
    match value:
        case FunctionValue(partial_args=partial_args) if partial_args > _MOST_BOUND:
            return unknown(Unknown.TOO_MANY)
        case FunctionValue(partial_args=partial_args, bound_keywords=bound):
            held = partial_args + given
            new = dataclasses.replace(value, partial_args=held, bound_keywords=bound | keywords)
            return frozenset({new})
        case Instance(bound_keywords=bound):
            bound |= keywords
            return frozenset({dataclasses.replace(value, bound_keywords=bound, partial=True)})
        case ClassValue(class_name=class_name):
            layer = layer_of(class_name)
            decisive = layer.conditional_variables.keys() | {"**"} if layer else frozenset()
            if keywords & decisive or (given and layer and "argument" in layer.attributes.values()):
                return unknown(Unknown.DECISIVE_ARGUMENTS, name=short_name(class_name))
            return frozenset({value})
        case _:
            return frozenset({value})


def last_of_pair(value: Value) -> Values:
    """The value of a pair (key, value) that a dict is made of."""
    if isinstance(value, TupleValue) and value.elements:
        return value.elements[-1]
    return frozenset({value})


def item_of(value: Value, index: int) -> Values:
    if isinstance(value, TupleValue) and -len(value.elements) <= index < len(value.elements):
        return value.elements[index]
    return elements_of(value)


def library_attribute(description: str) -> Values:
    if description in {"static", "None"}:
        return PLAIN
    if description == "array":
        return ARRAY
    if layer_of(f"flax.nnx.{description}") is not None:
        return frozenset({Instance(f"flax.nnx.{description}", exact=False, origin="flax")})
    return unknown(Unknown.KEPT_BY_LIBRARY)
