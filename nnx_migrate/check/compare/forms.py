"""What values look like to the comparison: plain data that any process can read, jax or no jax."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, Literal

import numpy as np


@dataclasses.dataclass(frozen=True, slots=True)
class Plain:
    """A container, or a value that is equal or not.

    Args:
        kind: "state", "module", "mapping", "sequence", "object", "variable", "plain", "class",
            "sharding", "shape", "graphdef", "cycle", "function", "library function",
            "transformation" of optax, or "unknown" for what shows nothing that could be compared.
        text: its type and value; of a function its code.
    """

    kind: str
    text: str


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Array:
    """An array or a PRNG key.

    Args:
        kind: "array", or "key" for a typed PRNG key.
        dtype: as the user sees it.
        shape: likewise.
        data: the numbers, of a key its key data; None for an array that was traced.
        mutable: whether it is an array of numpy, which a call can write to.
        weak: whether its type gives way to that of another array.
        placement: which part of it each device holds; "" on one device, and for what was traced.
    """

    kind: Literal["array", "key"]
    dtype: str
    shape: tuple[int, ...]
    data: np.ndarray[Any, Any] | None
    mutable: bool = False
    weak: bool = False
    placement: str = ""


Leaf = Plain | Array
Form = dict[str, Leaf]


@dataclasses.dataclass(frozen=True, slots=True)
class View:
    """A value, flattened.

    Args:
        form: leaf by path.
        shared: path -> the first path of the same Module or Variable.
    """

    form: Form
    shared: Mapping[str, str]

    def shows_something(self) -> bool:
        """Whether a call that did something else could look otherwise in this view of it."""
        return any(_shows(path, leaf) for path, leaf in self.form.items())

    def is_placed(self) -> bool:
        """Whether there is an array on several devices in it."""
        return any(isinstance(leaf, Array) and leaf.placement for leaf in self.form.values())

    def second_name(self, path: str) -> str:
        """The part of a path, from its start, that reaches what has an earlier name; "" for none.

        Args:
            path: of a leaf.
        """
        parts = path.split("/")
        starts = ("/".join(parts[:length]) for length in range(1, len(parts) + 1))
        return next((start for start in starts if start in self.shared), "")

    def first_name(self, path: str) -> str:
        """The first path of the same leaf.

        Args:
            path: of a leaf.
        """
        while start := self.second_name(path):
            path = self.shared[start] + path[len(start) :]
        return path


def _shows(path: str, leaf: Leaf) -> bool:
    root = path.split("/")[0]
    if root not in ("arguments", "keywords"):
        # An empty tuple or None is what every call returns that returns nothing.
        nothing = isinstance(leaf, Plain) and (
            leaf.text == "NoneType None" or (leaf.kind == "sequence" and "list" not in leaf.text)
        )
        # The mapping at the root is that of result and arguments, or what a script left.
        return (
            bool(path) and not nothing
            if isinstance(leaf, Plain) and leaf.kind == "mapping"
            else not nothing
        )
    if isinstance(leaf, Array):
        return leaf.mutable
    changes = ("variable", "module", "state", "object", "mapping")
    return path != root and (
        leaf.kind in changes or leaf.text.startswith(("list ", "set ", "bytearray "))
    )


@dataclasses.dataclass(frozen=True, slots=True)
class Observation:
    """What became of a call.

    Args:
        view: of the result and of the arguments after the call; None where it raised.
        raised: the type of the exception, "" for none.
        message: its text.
        left: the arguments as they were when it raised.
    """

    view: View | None
    raised: str = ""
    message: str = ""
    left: View | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class Traced:
    """The program that a call is, before any number is known.

    Args:
        before: the arguments as they were.
        view: result and arguments after the call; arrays have no data.
        outputs: path of an array -> canonical hash of how it is computed from the inputs.
        gradient: path of a float input -> hash of its gradient; None where none was asked for,
            or why there is none.
        equations: how many there are in the programs.
        donated: the inputs that the caller still has, and cannot read any more.
        placements: the shardings over several devices that it asks for, in any order.
    """

    before: View
    view: View
    outputs: Mapping[str, str]
    gradient: Mapping[str, str] | NotDone | None
    equations: int
    donated: frozenset[str] = frozenset()
    placements: tuple[str, ...] = ()


@dataclasses.dataclass(frozen=True, slots=True)
class NotDone:
    """Something that could not be had, and why."""

    reason: str
