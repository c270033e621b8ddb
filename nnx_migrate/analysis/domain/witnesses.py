"""Which witness stands for a value that several places show, or several reasons leave open.

An object is the same whatever place shows it, and what is not known is so for whatever reason: an
answer holds each value once. Which of the witnesses it holds is what a message names, so it must
not depend on the order in which a set is gone through, a question is asked, or a circle is closed:
of all witnesses the least is taken, at every depth.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Hashable, Sequence

from nnx_migrate.analysis.domain.unknown import Unknown
from nnx_migrate.analysis.domain.values import (
    NOTHING,
    Basic,
    ContainerValue,
    Instance,
    TupleValue,
    Value,
    Values,
)
from nnx_migrate.core.place import Place


def with_one_witness(values: Values) -> Values:
    """Some values, of which those that differ in witnesses alone become one."""
    if len(values) == 1:
        (value,) = values
        inside = _settled_inside(value)
        return values if inside is value else frozenset({inside})
    if are_told_apart(values):
        return values
    found: dict[Hashable, Value] = {}
    for value in values:
        key = _without_witness(value)
        known = found.get(key)
        found[key] = _settled_inside(value) if known is None else _joined(known, value)
    return frozenset(found.values())


def are_told_apart(values: Values) -> bool:
    """Whether all are objects that hold nothing, each of another class."""
    names: set[str] = set()
    for value in values:
        if not isinstance(value, Instance) or value.wraps:
            return False
        names.add(value.class_name)
    return len(names) == len(values)


# The same few values are asked for in every union of a circle, some of them hundreds deep. What is
# said of one hangs on the value alone, so the answers serve all projects of a process.
_KEPT = 1 << 16


# Of the value alone.
@functools.lru_cache(_KEPT)
def _settled_inside(value: Value) -> Value:
    match value:
        case Instance(wraps=held) if held:
            settled = with_one_witness(held)
            return value if settled is held else dataclasses.replace(value, wraps=settled)
        case ContainerValue(element=held) if held:
            settled = with_one_witness(held)
            return value if settled is held else ContainerValue(settled, value.keyed)
        case TupleValue(elements=elements):
            parts = tuple(map(with_one_witness, elements))
            same = all(new is old for new, old in zip(parts, elements, strict=True))
            return value if same else TupleValue(parts)
        case _:
            return value


def _joined(one: Value, other: Value) -> Value:
    """Two values that differ in witnesses alone, with the least of these."""
    match one, other:
        case Basic(), Basic():
            return min(one, other, key=_order_of_reason)
        case Instance(), Instance():
            origin = min(one.origin, other.origin, key=_order_of_origin)
            wraps = with_one_witness(one.wraps | other.wraps)
            return dataclasses.replace(one, origin=origin, wraps=wraps)
        case ContainerValue(), ContainerValue():
            return ContainerValue(with_one_witness(one.element | other.element), one.keyed)
        case TupleValue(), TupleValue():
            pairs = zip(one.elements, other.elements, strict=True)
            return TupleValue(tuple(with_one_witness(a | b) for a, b in pairs))
        case _:
            return one


def _order_of_reason(value: Basic) -> tuple[bool, bool, str]:
    """That it stands in a circle says least of all."""
    return not value.reason, value.reason == Unknown.IN_A_CIRCLE.words, value.reason


def _order_of_origin(origin: Place | str) -> tuple[bool, Place | str]:
    """A place before words, and any words before none."""
    return isinstance(origin, str), origin or "\uffff"


# Of the value alone, too.
@functools.lru_cache(_KEPT)
def _without_witness(value: Value) -> Hashable:
    """What tells a value apart from others, its witnesses left out."""
    match value:
        case Basic():
            return dataclasses.replace(value, reason="") if value.reason else value
        case Instance():
            held = frozenset(map(_without_witness, value.wraps))
            return dataclasses.replace(value, origin="", wraps=NOTHING), held
        case ContainerValue(element=element, keyed=keyed):
            return ContainerValue, keyed, frozenset(map(_without_witness, element))
        case TupleValue(elements=elements):
            return tuple(frozenset(map(_without_witness, each)) for each in elements)
        case _:
            return value


def in_order(values: Values) -> Sequence[Value]:
    """Some values in an order that is the same in every run, for whoever stops at the first."""
    return tuple(values) if len(values) < 2 else sorted(values, key=_text)


def _text(part: object) -> str:
    match part:
        case frozenset():
            return f"{{{','.join(sorted(map(_text, part)))}}}"
        case tuple():
            return f"({','.join(map(_text, part))})"
        case str() | bool() | int():
            return repr(part)
        case _:
            names = getattr(part, "__match_args__", ())  # the fields of a dataclass
            if not names:
                return repr(part)
            fields = ",".join([_text(getattr(part, name)) for name in names])
            return f"{type(part).__name__}({fields})"
