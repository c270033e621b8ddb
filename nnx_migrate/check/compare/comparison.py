"""Two observations beside each other: equal, close, or where they differ first.

Numbers may differ by what rounding explains; everything else has to be the same.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from nnx_migrate.check.compare.files import is_of_files, shown_apart, why_not_compared
from nnx_migrate.check.compare.forms import Array, Leaf, Observation, Plain, View
from nnx_migrate.check.compare.numbers import is_float, ulps, unequal, wide
from nnx_migrate.check.compare.second_names import is_gone, names_gone, shared_otherwise
from nnx_migrate.check.compare.structure import (
    has_all_numbers,
    is_of_the_tree,
    is_structural,
    undecided,
)


@dataclasses.dataclass(frozen=True, slots=True)
class Tolerance:
    """How far two floats may be apart: |old - new| <= absolute + relative * |old|."""

    relative: float
    absolute: float


EXACT: Mapping[str, Tolerance] = MappingProxyType({})
DEFAULT: Mapping[str, Tolerance] = MappingProxyType(
    {
        "float64": Tolerance(1e-12, 1e-12),
        "complex128": Tolerance(1e-12, 1e-12),
        "float32": Tolerance(1e-5, 1e-6),
        "complex64": Tolerance(1e-5, 1e-6),
        "float16": Tolerance(1e-2, 1e-3),
        "bfloat16": Tolerance(2e-2, 1e-2),
        # Of Python: what an array of float32 was turned into.
        "float": Tolerance(1e-5, 1e-6),
    }
)

#: What is left of a difference in float64, when it was rounding in float32.
WIDE: Mapping[str, Tolerance] = MappingProxyType(
    dict.fromkeys(("float64", "complex128", "float"), Tolerance(1e-9, 1e-11))
)


@dataclasses.dataclass(frozen=True, slots=True)
class Difference:
    """The place where two observations part.

    Args:
        path: of the leaf, "" for the result as a whole.
        old: what the reference has there.
        new: what the other has.
        ulps: units in the last place between the two numbers that are furthest apart; None where
            no number can say it.
        needed: the relative tolerance that would let the numbers pass; None likewise.
        rounding: whether the two are numbers within their tolerance.
        scaled: how far the numbers are apart at most, beside the largest of the leaf; None
            likewise.
        structural: whether callers may be written for it: another tree that holds the same
            numbers, or another static value that is left in an argument.
    """

    path: str
    old: str
    new: str
    ulps: int | None = None
    needed: float | None = None
    rounding: bool = False
    scaled: float | None = None
    structural: bool = False

    def __str__(self) -> str:
        where = self.path or "the result itself"
        apart = "" if self.ulps is None else f" ({self.ulps} ulps apart)"
        return f"{where}: expected {self.old}, got {self.new}{apart}"


@dataclasses.dataclass(frozen=True, slots=True)
class Unknown:
    """A leaf of which nobody can say whether it is the same.

    Args:
        path: of the leaf.
        why: what it is on both sides.
        code: whether it is a function of the user's whose code differs.
        transformation: whether it is a gradient transformation of other code or structure, which
            probes can tell apart.
    """

    path: str
    why: str
    code: bool = False
    transformation: bool = False

    @property
    def is_product(self) -> bool:
        """Whether it is a function that the call made and returned."""
        return self.code and (self.path == "result" or self.path.startswith("result/"))

    def __str__(self) -> str:
        return f"{self.path or 'the result itself'} cannot be compared: {self.why}"


@dataclasses.dataclass(frozen=True, slots=True)
class Comparison:
    """What a comparison found.

    Args:
        different: the first leaf that no rounding explains; None when there is none.
        close: the leaf within its tolerance that is furthest apart, by ulps; None when all
            leaves are equal.
        notes: what is told and counts as no difference.
        unknown: what could not be compared; not all of it is listed where something differs.
    """

    different: Difference | None
    close: Difference | None
    notes: tuple[str, ...] = ()
    unknown: tuple[Unknown, ...] = ()

    @property
    def equal(self) -> bool:
        """Whether everything was compared and not one bit differs."""
        return self.different is None and self.close is None and not self.unknown


def compare(
    old: Observation,
    new: Observation,
    tolerances: Mapping[str, Tolerance] = DEFAULT,
    *,
    strict_kinds: bool = False,
) -> Comparison:
    """Compares what became of a call on two sides.

    Args:
        old: the reference.
        new: what is compared with it.
        tolerances: by name of the dtype; what is not named is exact.
        strict_kinds: take a State in the place of a Module for a difference; else it is a note.
    """
    if old.view is None or new.view is None:
        if old.view is None and new.view is None and old.raised == new.raised:
            return _raised_alike(old, new, tolerances, strict_kinds)
        return Comparison(Difference("", ending(old), ending(new)), None)
    return compare_views(old.view, new.view, tolerances, strict_kinds=strict_kinds)


def _raised_alike(
    old: Observation, new: Observation, tolerances: Mapping[str, Tolerance], strict_kinds: bool
) -> Comparison:
    """Two exceptions of one type: what they say, and what they left of the arguments."""
    found = Comparison(None, None)
    if old.left is not None and new.left is not None:
        found = compare_views(old.left, new.left, tolerances, strict_kinds=strict_kinds)
    if _without_places(old.message) == _without_places(new.message):
        return found
    apart = Unknown("the exception", f"old raises {ending(old)}, new raises {ending(new)}")
    return dataclasses.replace(found, unknown=(*found.unknown, apart))


def _without_places(message: str) -> str:
    """A message without what differs from one process, or one line, to the next."""
    return re.sub(r"0x[0-9a-f]+|(?:/[^\s/:\"']+)+(?::\d+)*|\bline \d+|\d+:\d+", "_", message)


def compare_views(
    old: View,
    new: View,
    tolerances: Mapping[str, Tolerance] = DEFAULT,
    *,
    strict_kinds: bool = False,
) -> Comparison:
    """Compares two flattened values; the arguments are those of `compare`."""
    closest: Difference | None = None
    notes: list[str] = []
    unknown: list[Unknown] = []
    gone = names_gone(old, new)
    for name, first in gone.items():
        notes.append(f"{name} no longer names the same object as {first}")
    paths = sorted(old.form.keys() | new.form.keys(), key=natural)
    # Files come last: of these a difference may be none, where the old side does not repeat itself.
    for path in sorted(paths, key=is_of_files):
        left, right = old.form.get(path), new.form.get(path)
        if right is None and gone and is_gone(path, gone):
            continue
        if unknown and _is_inside(path, unknown[-1].path):
            continue
        why = _cannot_compare(path, left, right)
        found = None if why else _leaf_difference(path, left, right, tolerances)
        if (why or found) and (whole := undecided(path, old, new)) is not None:
            made = f"it is built differently ({path}: {show(left)} in OLD, {show(right)} in NEW)"
            why = Unknown(whole, made, transformation=True)
        if why is not None:
            unknown.append(why)
            continue
        if found is None:
            continue
        if not strict_kinds and _same_tree(left, right):
            notes.append(f"{path or 'the result'} was a {show(left)} and is a {show(right)}")
        elif not found.rounding:
            if found.structural and is_of_the_tree(left, right):
                found = dataclasses.replace(found, structural=has_all_numbers(old, new))
            return Comparison(found, closest, tuple(notes))
        elif closest is None or (found.ulps or 0) > (closest.ulps or 0):
            closest = found
    apart = shared_otherwise(old, new)
    otherwise = None if apart is None else Difference(*apart)
    return Comparison(otherwise, closest, tuple(notes), tuple(unknown))


def _cannot_compare(path: str, old: Leaf | None, new: Leaf | None) -> Unknown | None:
    for leaf in (old, new):
        if isinstance(leaf, Plain) and leaf.kind == "unknown":
            return Unknown(path, f"two values of type {leaf.text} cannot be told apart")
    if why := why_not_compared(path, old, new):
        return Unknown(path, why)
    if isinstance(old, Plain) and isinstance(new, Plain) and old != new:
        kinds = {old.kind, new.kind}
        if kinds & {"function", "library function"}:
            why = f"it is {show(old)} in OLD and {show(new)} in NEW, and no call of it was compared"
            return Unknown(path, why, code=kinds == {"function"})
    return None


def _is_inside(path: str, above: str) -> bool:
    return not above or path.startswith(f"{above}/")


def natural(path: str) -> list[tuple[int, str]]:
    """A sort key for paths that counts, so that /2 comes before /10."""
    return [(int(part) if part.isdecimal() else -1, part) for part in path.split("/")]


def show(leaf: Leaf | None) -> str:
    """A leaf in one short line."""
    if leaf is None:
        return "nothing"
    if isinstance(leaf, Plain):
        return f"{leaf.kind} {leaf.text}".strip()[:120]
    return f"{leaf.kind} {leaf.dtype}{list(leaf.shape)}{_values(leaf.data)}"


def ending(observation: Observation) -> str:
    """What a call ended with, in one short line."""
    if observation.view is not None:
        return "a result"
    first = observation.message.strip().split("\n")[0][:200]
    return f"{observation.raised}: {first}"


def _leaf_difference(
    path: str, old: Leaf | None, new: Leaf | None, tolerances: Mapping[str, Tolerance]
) -> Difference | None:
    if isinstance(old, Array) and isinstance(new, Array):
        found = _array_difference(path, old, new, tolerances)
        if old.placement == new.placement or (found is not None and not found.rounding):
            return found
        return Difference(path, _with_placement(old), _with_placement(new))
    if isinstance(old, Plain) and isinstance(new, Plain) and old != new:
        numbers = [number_of(each) for each in (old, new)]
        if numbers[0] is not None and numbers[1] is not None:
            return _array_difference(path, numbers[0], numbers[1], tolerances)
        if lines := shown_apart(old, new):
            return Difference(path, *lines)
    if old == new:
        return None
    return Difference(path, show(old), show(new), structural=is_structural(path, old, new))


def number_of(leaf: Plain) -> Array | None:
    """A float of Python as an array, so that it may be off by what rounding explains.

    Args:
        leaf: any.
    """
    if leaf.kind != "plain" or not leaf.text.startswith("float "):
        return None
    number = np.asarray(float(leaf.text.removeprefix("float ")))
    return Array("array", "float", (), number)


def _same_tree(old: Leaf | None, new: Leaf | None) -> bool:
    """Whether one is a State and the other a Module of the same paths."""
    kinds = {leaf.kind for leaf in (old, new) if isinstance(leaf, Plain)}
    return kinds == {"state", "module"}


def _array_difference(
    path: str, old: Array, new: Array, tolerances: Mapping[str, Tolerance]
) -> Difference | None:
    if (old.kind, old.dtype, old.shape) != (new.kind, new.dtype, new.shape):
        return Difference(path, show(old), show(new))
    if old.weak != new.weak:
        # With an array of another type the one gives way, and the other does not.
        return Difference(path, _with_weakness(old), _with_weakness(new))
    if old.data is None or new.data is None:
        return None
    if old.data.tobytes() == new.data.tobytes():
        return None
    if not is_float(old.data):
        return _at(path, old.data, new.data, old.data != new.data)
    apart = unequal(old.data, new.data)
    if not apart.any():
        return None
    allowed = tolerances.get(old.dtype)
    if allowed is None:
        return _at(path, old.data, new.data, apart)
    left, right = wide(old.data), wide(new.data)
    with np.errstate(invalid="ignore", over="ignore"):
        distance = np.abs(left - right)
        within = distance <= allowed.absolute + allowed.relative * np.abs(left)
    # An infinity is within any part of itself.
    beyond = apart & ~(within & np.isfinite(distance))
    if beyond.any():
        return _at(path, old.data, new.data, beyond)
    found = _at(path, old.data, new.data, apart)
    return dataclasses.replace(found, rounding=True)


def _with_placement(leaf: Array) -> str:
    return f"{show(leaf)} {leaf.placement or 'on one device'}"


def _with_weakness(leaf: Array) -> str:
    return show(leaf) + (" of weak type" if leaf.weak else "")


def _at(
    path: str,
    old: np.ndarray[Any, Any],
    new: np.ndarray[Any, Any],
    apart: np.ndarray[Any, Any],
) -> Difference:
    """The element of those marked that is furthest apart, as a difference."""
    marked = np.flatnonzero(apart.reshape(-1))
    olds, news = old.reshape(-1)[marked], new.reshape(-1)[marked]
    apart_by = ulps(olds, news)
    worst = 0 if apart_by is None else int(np.argmax(apart_by))
    index = np.unravel_index(int(marked[worst]), old.shape) if old.shape else ()
    place = f"{path}[{', '.join(str(int(number)) for number in index)}]" if index else path
    needed = scaled = None
    if apart_by is not None:
        left, right = wide(olds), wide(news)
        with np.errstate(divide="ignore", invalid="ignore"):
            ratios = np.abs(left - right) / np.abs(left)
        needed = float(np.max(ratios)) if np.isfinite(ratios).all() else None
        largest = max(1.0, float(np.max(np.abs(wide(old)), initial=0.0)))
        scaled = float(np.max(np.abs(left - right))) / largest
    return Difference(
        place,
        f"{olds[worst]!s} {old.dtype.name}",
        f"{news[worst]!s} {new.dtype.name}",
        None if apart_by is None else int(apart_by[worst]),
        needed,
        scaled=scaled,
    )


def _values(data: np.ndarray[Any, Any] | None) -> str:
    if data is None:
        return ""
    shown = ", ".join(str(item) for item in data.reshape(-1)[:4])
    return f" ({shown}{', ...' if data.size > 4 else ''})"
