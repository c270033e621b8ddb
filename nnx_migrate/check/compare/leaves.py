"""A comparable view of any value, the same in every mode.

A value becomes a flat mapping from path to leaf. What depends on the mode by nature (object
identity, trace states) is left out; everything a user can observe stays in: dtype, shape and values
of arrays, PRNG keys by their key data, Variable types with their metadata, static attributes of
Modules, graphdefs by the tree that they describe, functions by their code and what they hold, and
the kinds of the containers on the way, so that a gradient that is a Module can be told from one
that is a State. What shows nothing that could be compared becomes a leaf that says so.
"""

from __future__ import annotations

import dataclasses
import datetime
import decimal
import enum
import fractions
import itertools
import logging
import math
import pathlib
import re
import sys
import threading
import types
import uuid
from collections.abc import Iterator, Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx
from flax.nnx import graphlib

from nnx_migrate.check.compare.callables import library_name, opened_callable
from nnx_migrate.check.compare.forms import Array, Form, Leaf, Plain, View
from nnx_migrate.check.compare.placements import placement_of

_PLAIN = (bool, int, float, complex, str, bytes, type(None), type(Ellipsis), slice)
# Their text is all that they are.
_TOLD_BY_TEXT = (
    range,
    bytearray,
    pathlib.PurePath,
    decimal.Decimal,
    fractions.Fraction,
    datetime.date,
    datetime.time,
    datetime.timedelta,
    datetime.tzinfo,
    uuid.UUID,
    re.Pattern,
)
_LOCKS = (type(threading.Lock()), type(threading.RLock()))
# Metadata that says how a Variable is stored, not what it is.
_STORAGE_METADATA = frozenset({"hijax", "ref", "eager_sharding"})
# An older flax has no averages.
_KEEPING_THEIR_MODE = (
    nnx.Optimizer,
    *(getattr(nnx, name) for name in ("EMA",) if hasattr(nnx, name)),
)
_MOST_LEAVES = 200_000


class TooLarge(ValueError):
    """A value with more leaves than are compared: it reaches into something that is no result."""


def view_of(value: object) -> View:
    """Flattens a value.

    Args:
        value: anything nested: containers, arrays, traced arrays, Modules, Optimizers, States,
            Variables, keys, shardings, functions, or plain objects with their attributes.

    Returns:
        One leaf for each value and one for each container, by path from the root "", and the
        Modules and Variables that are reached more than once.

    Raises:
        TooLarge: there are too many leaves.
    """
    walk = _Walk(_MOST_LEAVES)
    walk.take("", value, ())
    return View(walk.form, walk.shared)


def array_leaves(value: object) -> dict[str, Any]:
    """The arrays in a value, keys and traced ones among them, as they are.

    Args:
        value: as `view_of` takes it.

    Returns:
        Array by the path that `view_of` gives it. What the result, or the arguments, reach by a
        second name is left out there: it is the same, and need not be reached by that name later.
    """
    walk = _Walk()
    walk.take("", value, ())
    return walk.arrays


def containers(value: object) -> dict[str, object]:
    """What is neither a leaf nor a function in a value, by path, the outermost first.

    Args:
        value: as `view_of` takes it.
    """
    walk = _Walk()
    walk.take("", value, ())
    return walk.containers


# What is around the name of a class, and behind that of a function.
_PLACES_OF_NAMES = re.compile(r"<class '(?:[^']*\.)?([^'.]+)'>| at 0x[0-9a-f]+")


class _Walk:
    def __init__(self, most_leaves: float = math.inf) -> None:
        self.form: Form = {}
        self._most_leaves = most_leaves
        self.containers: dict[str, object] = {}
        self.shared: dict[str, str] = {}
        self.arrays: dict[str, Any] = {}
        self._depth_of_second_names = 0
        # The objects are kept, so that no other gets the id of one that is gone.
        self._first: dict[int, tuple[str, object]] = {}
        self._functions: dict[int, tuple[int, object]] = {}

    # No generator: each leaf would pass through all that lies around it, and a recorded program
    # waits for this.
    def take(self, path: str, value: object, above: tuple[int, ...]) -> None:
        """Notes a value and all in it."""
        if id(value) in above:
            self._put(path, Plain("cycle", str(above.index(id(value)))))
            return
        leaf = _leaf(value)
        if leaf is not None:
            if isinstance(leaf, Array) and not self._depth_of_second_names:
                self.arrays[path] = value
            self._put(path, leaf)
            return
        if _is_function(value) and (again := self._seen_before(value)) is not None:
            self._put(path, Plain("function", f"number {again} of those above"))
            return
        second_name = self._note(path, value)
        opened = _open(value)
        if opened is None:
            kind = type(value)
            self._put(path, Plain("unknown", f"{kind.__module__}.{kind.__qualname__}"))
            return
        container, children = opened
        self.containers[path] = value
        self._put(path, container)
        self._depth_of_second_names += second_name
        within = (*above, id(value))
        for name, child in children:
            self.take(f"{path}/{name}" if path else name, child, within)
        self._depth_of_second_names -= second_name

    def _put(self, path: str, leaf: Leaf) -> None:
        self.form[path] = leaf
        if len(self.form) > self._most_leaves:
            raise TooLarge(f"more than {_MOST_LEAVES} leaves")

    def _seen_before(self, function: object) -> int | None:
        """The number of a function that was opened already: many refer to each other."""
        number = len(self._functions)
        first = self._functions.setdefault(id(function), (number, function))[0]
        return None if first == number else first

    def _note(self, path: str, value: object) -> bool:
        """Notes an object; whether it was reached before, from the same root."""
        if not isinstance(value, (nnx.Pytree, nnx.Variable)):
            return False
        first = self._first.setdefault(id(value), (path, value))[0]
        if first == path:
            return False
        self.shared[path] = first
        return first.split("/")[0] == path.split("/")[0]


def _leaf(value: object) -> Leaf | None:
    if type(value) in _PLAIN:
        return Plain("plain", f"{type(value).__name__} {value!r}")
    if isinstance(value, jax.Array):
        return _array(value)
    if isinstance(value, (np.ndarray, np.generic)):
        data = np.asarray(value)
        if data.dtype.hasobject:
            return Plain("plain", f"{type(value).__name__} {value!r}")
        mutable = isinstance(value, np.ndarray)
        # What is looked at now may be written to by the call.
        kept = data.copy() if mutable else data
        return Array("array", str(data.dtype), data.shape, kept, mutable)
    if isinstance(value, jax.ShapeDtypeStruct):
        return Plain("shape", f"{value.dtype} {value.shape}")
    if isinstance(value, jax.sharding.NamedSharding):
        return Plain("sharding", f"{dict(value.mesh.shape)} {value.spec}")
    if isinstance(value, jax.sharding.Sharding):
        return Plain("sharding", type(value).__name__)
    if isinstance(value, (jax.sharding.Mesh, jax.sharding.AbstractMesh)):
        return Plain("sharding", f"mesh {dict(value.shape)}")
    if isinstance(value, (jax.sharding.PartitionSpec, np.dtype)):
        return Plain("plain", f"{type(value).__name__} {value}")
    if isinstance(value, _PLAIN):
        return Plain("plain", f"{type(value).__name__} {value!r}")
    if isinstance(value, type):
        return Plain("class", value.__qualname__)
    return _told_by_text(value)


def _told_by_text(value: object) -> Plain | None:
    """A value that is equal to what has the same text, of any process."""
    name = type(value).__name__
    if isinstance(value, enum.Enum):
        return Plain("plain", f"{type(value).__qualname__}.{value.name} {value.value!r}")
    if isinstance(value, _TOLD_BY_TEXT):
        return Plain("plain", f"{name} {value!r}")
    if isinstance(value, (set, frozenset)):
        members = [_leaf(each) for each in value]
        if all(isinstance(each, Plain) for each in members):
            return Plain("plain", f"{name} {sorted(show.text for show in _plains(members))}")
        return Plain("unknown", name)
    if isinstance(value, _LOCKS):
        return Plain("plain", "lock")
    if isinstance(value, logging.Logger):
        return Plain("plain", f"logger {value.name}")
    if isinstance(value, jax.Device):
        return Plain("plain", f"device {value.platform} {value.id}")
    if isinstance(value, jax.tree_util.PyTreeDef):
        text = str(value)
        # An address means an object inside that shows nothing of itself.
        return Plain("unknown", "PyTreeDef") if " at 0x" in text else Plain("plain", text)
    if isinstance(value, types.ModuleType):
        return Plain("plain", f"module {value.__name__}")
    if callable(value) and not isinstance(value, (nnx.Pytree, nnx.Variable)):
        known = library_name(value)
        return Plain("library function", known) if known else None
    return None


def _plains(leaves: list[Leaf | None]) -> Iterator[Plain]:
    return (leaf for leaf in leaves if isinstance(leaf, Plain))


def _array(value: jax.Array) -> Leaf:
    if not _is_traced(value) and value.is_deleted():
        return Plain("plain", "a deleted array (it was donated)")
    weak = bool(getattr(value.aval, "weak_type", False))
    if jnp.issubdtype(value.dtype, jax.dtypes.prng_key):
        data = None if _is_traced(value) else np.array(jax.random.key_data(value))
        return Array("key", str(value.dtype), value.shape, data, placement=placement_of(value))
    # A view of its buffer would keep a call from donating it.
    data = None if _is_traced(value) else np.array(value)
    placed = placement_of(value)
    return Array("array", str(value.dtype), value.shape, data, weak=weak, placement=placed)


def _is_traced(value: object) -> bool:
    return isinstance(value, jax.core.Tracer)


def _is_function(value: object) -> bool:
    return callable(value) and not isinstance(value, (nnx.Pytree, nnx.Variable))


def _open(value: object) -> tuple[Plain, Iterator[tuple[str, object]]] | None:
    """The container's own leaf and its named children; None for what shows none."""
    if isinstance(value, nnx.GraphDef):
        return _graphdef(value)
    if isinstance(value, nnx.Variable):
        return Plain("variable", type(value).__qualname__), _variable_children(value)
    if isinstance(value, (nnx.State, nnx.statelib.FlatState)):
        entries = dict(value.items() if isinstance(value, nnx.State) else iter(value))
        return Plain("state", f"{type(value).__name__} {len(entries)}"), _items(entries)
    if isinstance(value, nnx.Pytree):
        return Plain("module", type(value).__qualname__), _attributes(value)
    if isinstance(value, Mapping):
        return Plain("mapping", f"{type(value).__name__} {len(value)}{_keys(value)}"), _items(value)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        kind = "transformation" if is_transformation(value) else "sequence"
        return Plain(kind, type(value).__name__), iter(zip(value._fields, value, strict=True))
    if isinstance(value, (list, tuple)):
        numbered = ((str(number), child) for number, child in enumerate(value))
        return Plain("sequence", f"{type(value).__name__} {len(value)}"), numbered
    if callable(value) and not _is_linen_module(value):
        opened = opened_callable(value)
        return None if opened is None else (opened[0], iter(opened[1]))
    if not hasattr(value, "__dict__") and not _slots(value) and not _has_fields(value):
        # Of an `object()` there is nothing but that it is there.
        return (Plain("object", "object"), iter(())) if type(value) is object else None
    return Plain("object", type(value).__qualname__), _attributes(value)


def is_transformation(value: object) -> bool:
    """Whether a value is a gradient transformation of optax: two functions that make a step."""
    optax = sys.modules.get("optax")
    return optax is not None and isinstance(value, optax.GradientTransformation)


def _graphdef(value: Any) -> tuple[Plain, Iterator[tuple[str, object]]] | None:
    """The tree that it describes, without its values: the modes describe it in two ways."""
    try:
        described = graphlib.unflatten(value, [None] * value.num_leaves)
    except Exception:
        return None
    return Plain("graphdef", ""), iter([("describes", described)])


def _keys(mapping: Mapping[Any, object]) -> str:
    """The types of the keys, where it is not clear from their paths: 0 is not "0"."""
    found = sorted({type(key).__name__ for key in mapping} - {"str"})
    return f" by {', '.join(found)}" if found else ""


def _has_fields(value: object) -> bool:
    return dataclasses.is_dataclass(value) and not isinstance(value, type)


def _slots(value: object) -> list[str]:
    named = (vars(kind).get("__slots__", ()) for kind in type(value).__mro__)
    slots = [name for some in named for name in ([some] if isinstance(some, str) else some)]
    return [name for name in slots if not name.startswith("__") and hasattr(value, name)]


def _variable_children(variable: nnx.Variable[Any]) -> Iterator[tuple[str, object]]:
    metadata = {
        name: entry
        for name, entry in variable.get_metadata().items()
        if name not in _STORAGE_METADATA
    }
    return itertools.chain([("value", variable.get_raw_value())], _items(metadata))


def _items(entries: Mapping[Any, object]) -> Iterator[tuple[str, object]]:
    told: set[str] = set()
    for number, (key, child) in enumerate(entries.items()):
        name = _key_text(key, number)
        # Two keys of one text, as 0 and "0", are two entries.
        name = name if name not in told else f"{name} {number}"
        told.add(name)
        yield name, child


def _key_text(key: object, number: int) -> str:
    """A key as a part of a path; a Module as a key shows its numbers, and they change."""
    if isinstance(key, type):
        # Its module has a name of its own on each side where a single program is one.
        return key.__qualname__
    if isinstance(key, str):
        return key
    if isinstance(key, nnx.Pytree):
        return f"{type(key).__qualname__} {number}"
    # So it is with a class inside of a key: a tuple of filters.
    return _PLACES_OF_NAMES.sub(r"\1", str(key))


def _attributes(value: object) -> Iterator[tuple[str, object]]:
    if dataclasses.is_dataclass(value) and not hasattr(value, "__dict__"):
        names = [field.name for field in dataclasses.fields(value) if hasattr(value, field.name)]
    else:
        names = list(dict.fromkeys([*getattr(value, "__dict__", ()), *_slots(value)]))
    if isinstance(value, nnx.Pytree):
        # An optimizer or an average keeps the mode it was made for, which differs by nature.
        hidden = {"graph"} if isinstance(value, _KEEPING_THEIR_MODE) else set()
        names = [name for name in names if not name.startswith("_pytree__") and name not in hidden]
    if _is_linen_module(value):
        # What linen keeps for itself: a number of its own for each Module, the scope, its parent.
        names = [name for name in names if not name.startswith("_")]
    return ((name, getattr(value, name)) for name in names)


def _is_linen_module(value: object) -> bool:
    linen = sys.modules.get("flax.linen")
    return linen is not None and isinstance(value, linen.Module)
