"""A comparable view of any value, the same in every mode.

A value becomes a flat mapping from path to leaf. What depends on the mode by nature (object
identity, graphdefs, trace states, callables) is left out; everything a user can observe in numbers
or types stays in: dtype, shape and values of arrays, PRNG keys by their key data, Variable types
with their metadata, static attributes of Modules, and the kinds of the containers on the way, so
that a gradient that is a Module can be told from one that is a State.
"""

from __future__ import annotations

import dataclasses
import itertools
import types
from collections.abc import Iterator, Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx

from nnx_migrate.check.compare.forms import Array, Form, Leaf, Plain, View

_PLAIN = (bool, int, float, complex, str, bytes, type(None), type(Ellipsis), slice)
# Metadata that says how a Variable is stored, not what it is.
_STORAGE_METADATA = frozenset({"hijax", "ref", "eager_sharding"})
_MOST_LEAVES = 200_000


class TooLarge(ValueError):
    """A value with more leaves than are compared: it reaches into something that is no result."""


def view_of(value: object) -> View:
    """Flattens a value.

    Args:
        value: anything nested: containers, arrays, traced arrays, Modules, Optimizers, States,
            Variables, keys, shardings, or plain objects whose public attributes count.

    Returns:
        One leaf for each value and one for each container, by path from the root "", and the
        Modules and Variables that are reached more than once.

    Raises:
        TooLarge: there are too many leaves.
    """
    walk = _Walk()
    form: Form = {}
    for path, leaf in walk.leaves("", value, ()):
        form[path] = leaf
        if len(form) > _MOST_LEAVES:
            raise TooLarge(f"more than {_MOST_LEAVES} leaves")
    return View(form, walk.shared)


def array_leaves(value: object) -> dict[str, Any]:
    """The arrays in a value, keys and traced ones among them, as they are.

    Args:
        value: as `view_of` takes it.

    Returns:
        Array by the path that `view_of` gives it. What the result, or the arguments, reach by a
        second name is left out there: it is the same, and need not be reached by that name later.
    """
    walk = _Walk()
    for _ in walk.leaves("", value, ()):
        pass
    return walk.arrays


class _Walk:
    def __init__(self) -> None:
        self.shared: dict[str, str] = {}
        self.arrays: dict[str, Any] = {}
        self._depth_of_second_names = 0
        # The objects are kept, so that no other gets the id of one that is gone.
        self._first: dict[int, tuple[str, object]] = {}

    def leaves(
        self, path: str, value: object, above: tuple[int, ...]
    ) -> Iterator[tuple[str, Leaf]]:
        if id(value) in above:
            yield path, Plain("cycle", str(above.index(id(value))))
            return
        leaf = _leaf(value)
        if leaf is not None:
            if isinstance(leaf, Array) and not self._depth_of_second_names:
                self.arrays[path] = value
            yield path, leaf
            return
        if callable(value) and not isinstance(value, (nnx.Pytree, nnx.Variable)):
            return
        second_name = self._note(path, value)
        kind, children = _open(value)
        yield path, kind
        self._depth_of_second_names += second_name
        for name, child in children:
            inner = f"{path}/{name}" if path else name
            yield from self.leaves(inner, child, (*above, id(value)))
        self._depth_of_second_names -= second_name

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
    if isinstance(value, jax.Array):
        return _array(value)
    if isinstance(value, (np.ndarray, np.generic)):
        data = np.asarray(value)
        if data.dtype.hasobject:
            return Plain("plain", f"{type(value).__name__} {value!r}")
        return Array("array", str(data.dtype), data.shape, data)
    if isinstance(value, jax.ShapeDtypeStruct):
        return Plain("shape", f"{value.dtype} {value.shape}")
    if isinstance(value, jax.sharding.NamedSharding):
        return Plain("sharding", f"{dict(value.mesh.shape)} {value.spec}")
    if isinstance(value, jax.sharding.Sharding):
        return Plain("sharding", type(value).__name__)
    if isinstance(value, (jax.sharding.PartitionSpec, np.dtype)):
        return Plain("plain", f"{type(value).__name__} {value}")
    if isinstance(value, _PLAIN):
        return Plain("plain", f"{type(value).__name__} {value!r}")
    if isinstance(value, type):
        return Plain("class", value.__qualname__)
    if isinstance(value, nnx.GraphDef):
        return Plain("graphdef", "")
    if isinstance(value, types.ModuleType) or not _opens(value):
        return None if callable(value) else Plain("opaque", type(value).__qualname__)
    return None


def _array(value: jax.Array) -> Array:
    if jnp.issubdtype(value.dtype, jax.dtypes.prng_key):
        data = None if _is_traced(value) else np.asarray(jax.random.key_data(value))
        return Array("key", str(value.dtype), value.shape, data)
    data = None if _is_traced(value) else np.asarray(value)
    return Array("array", str(value.dtype), value.shape, data)


def _is_traced(value: object) -> bool:
    return isinstance(value, jax.core.Tracer)


def _opens(value: object) -> bool:
    known = (Mapping, list, tuple, nnx.Variable, nnx.statelib.FlatState)
    return isinstance(value, known) or hasattr(value, "__dict__") or _has_fields(value)


def _has_fields(value: object) -> bool:
    return dataclasses.is_dataclass(value) and not isinstance(value, type)


def _open(value: object) -> tuple[Plain, Iterator[tuple[str, object]]]:
    """The container's own leaf and its named children."""
    if isinstance(value, nnx.Variable):
        return Plain("variable", type(value).__qualname__), _variable_children(value)
    if isinstance(value, (nnx.State, nnx.statelib.FlatState)):
        entries = dict(value.items() if isinstance(value, nnx.State) else iter(value))
        return Plain("state", f"{type(value).__name__} {len(entries)}"), _items(entries)
    if isinstance(value, nnx.Pytree):
        return Plain("module", type(value).__qualname__), _attributes(value)
    if isinstance(value, Mapping):
        return Plain("mapping", f"{type(value).__name__} {len(value)}"), _items(value)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return Plain("sequence", type(value).__name__), iter(zip(value._fields, value, strict=True))
    if isinstance(value, (list, tuple)):
        numbered = ((str(number), child) for number, child in enumerate(value))
        return Plain("sequence", f"{type(value).__name__} {len(value)}"), numbered
    return Plain("object", type(value).__qualname__), _attributes(value)


def _variable_children(variable: nnx.Variable[Any]) -> Iterator[tuple[str, object]]:
    metadata = {
        name: entry
        for name, entry in variable.get_metadata().items()
        if name not in _STORAGE_METADATA and not callable(entry)
    }
    return itertools.chain([("value", variable.get_raw_value())], _items(metadata))


def _items(entries: Mapping[Any, object]) -> Iterator[tuple[str, object]]:
    return ((str(name), child) for name, child in entries.items())


def _attributes(value: object) -> Iterator[tuple[str, object]]:
    if dataclasses.is_dataclass(value) and not hasattr(value, "__dict__"):
        names = [field.name for field in dataclasses.fields(value)]
    else:
        names = list(vars(value))
    if isinstance(value, nnx.Pytree):
        # An optimizer keeps the mode it was made for, which is what differs by nature.
        hidden = {"graph"} if isinstance(value, nnx.Optimizer) else set()
        kept = [name for name in names if not name.startswith("_pytree__") and name not in hidden]
    else:
        kept = [name for name in names if not name.startswith("_")]
    return ((name, getattr(value, name)) for name in kept)
