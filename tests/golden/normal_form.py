"""A comparable view of any result, the same in every mode.

A result becomes a flat mapping from path to `Leaf`. What depends on the mode by nature (object
identity, graphdefs, trace states, callables) is left out; everything a user can observe in numbers
or types stays in: dtype, shape and exact bytes of arrays, PRNG keys by their key data, Variable
types with their metadata, static attributes of Modules, and the container types on the way, so
that a gradient that is a Module is not taken for one that is a State.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator, Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx

Leaf = tuple[str, ...] | tuple[str, str, tuple[int, ...], bytes]
NormalForm = dict[str, Leaf]

_PLAIN = (bool, int, float, complex, str, bytes, type(None), type(Ellipsis), slice)
# Metadata that says how a Variable is stored, not what it is.
_STORAGE_METADATA = frozenset({"hijax", "ref", "eager_sharding"})


def normal_form(value: object) -> NormalForm:
    """Flattens a result.

    Args:
        value: anything nested: containers, arrays, Modules, Optimizers, States, Variables, keys,
            shardings, or plain objects whose public attributes count.

    Returns:
        One entry a leaf and one a container, by path from the root "".

    Raises:
        TypeError: the value holds something that has no comparable view.
    """
    return dict(_walk("", value, ()))


def first_difference(expected: NormalForm, actual: NormalForm) -> str | None:
    """Names the first path at which two results differ.

    Args:
        expected: the reference.
        actual: what is compared with it.

    Returns:
        None when they are equal, else one line with the path and both leaves.
    """
    for path in sorted(expected.keys() | actual.keys(), key=_natural):
        left, right = expected.get(path), actual.get(path)
        if left != right:
            where = path or "the result itself"
            return f"{where}: expected {_show(left)}, got {_show(right)}"
    return None


def _natural(path: str) -> list[tuple[int, str]]:
    return [(int(part) if part.isdecimal() else -1, part) for part in path.split("/")]


def _show(leaf: Leaf | None) -> str:
    if leaf is None:
        return "nothing"
    if leaf[0] in ("array", "key"):
        kind, dtype, shape, data = leaf
        return f"{kind} {dtype}{list(shape)} {_values(str(dtype), data)}"
    return " ".join(str(part) for part in leaf)


def _values(dtype: str, data: object) -> str:
    assert isinstance(data, bytes)
    try:
        values = np.frombuffer(data, dtype=np.dtype(dtype))
    except TypeError:
        return data.hex()[:48]
    shown = ", ".join(repr(item) for item in values[:4].tolist())
    return f"({shown}{', ...' if values.size > 4 else ''})"


def _walk(path: str, value: object, above: tuple[int, ...]) -> Iterator[tuple[str, Leaf]]:
    if id(value) in above:
        yield path, ("cycle", str(above.index(id(value))))
        return
    leaf = _leaf(value)
    if leaf is not None:
        yield path, leaf
        return
    if callable(value) and not isinstance(value, (nnx.Pytree, nnx.Variable)):
        return
    kind, children = _open(path, value)
    yield path, kind
    for name, child in children:
        yield from _walk(f"{path}/{name}" if path else name, child, (*above, id(value)))


def _leaf(value: object) -> Leaf | None:
    if isinstance(value, jax.Array) and jnp.issubdtype(value.dtype, jax.dtypes.prng_key):
        data = np.asarray(jax.random.key_data(value))
        return "key", str(data.dtype), value.shape, data.tobytes()
    if isinstance(value, (jax.Array, np.ndarray, np.generic)):
        data = np.asarray(value)
        return "array", str(data.dtype), data.shape, data.tobytes()
    if isinstance(value, jax.ShapeDtypeStruct):
        return "shape", str(value.dtype), str(value.shape)
    if isinstance(value, jax.sharding.NamedSharding):
        return "sharding", str(dict(value.mesh.shape)), str(value.spec)
    if isinstance(value, jax.sharding.Sharding):
        return "sharding", type(value).__name__
    if isinstance(value, (jax.sharding.PartitionSpec, np.dtype)):
        return "plain", type(value).__name__, str(value)
    if isinstance(value, _PLAIN):
        return "plain", type(value).__name__, repr(value)
    if isinstance(value, type):
        return "class", value.__qualname__
    if isinstance(value, nnx.GraphDef):
        return ("graphdef",)
    return None


def _open(path: str, value: object) -> tuple[Leaf, Iterator[tuple[str, object]]]:
    """The container's own leaf and its named children."""
    if isinstance(value, nnx.Variable):
        return ("variable", type(value).__qualname__), _variable_children(value)
    if isinstance(value, (nnx.State, nnx.statelib.FlatState)):
        entries = dict(value.items() if isinstance(value, nnx.State) else iter(value))
        return (type(value).__name__, str(len(entries))), _items(entries)
    if isinstance(value, Mapping):
        return (type(value).__name__, str(len(value))), _items(value)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return (type(value).__name__,), iter(zip(value._fields, value, strict=True))
    if isinstance(value, (list, tuple)):
        numbered = ((str(number), child) for number, child in enumerate(value))
        return (type(value).__name__, str(len(value))), numbered
    if (
        isinstance(value, nnx.Pytree)
        or dataclasses.is_dataclass(value)
        or hasattr(value, "__dict__")
    ):
        return ("object", type(value).__qualname__), _attributes(value)
    raise TypeError(f"{path or 'the result'}: no comparable view of {type(value).__qualname__}")


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
    # The elements of nnx.List and nnx.Dict are attributes too; bookkeeping starts with "_".
    return ((name, getattr(value, name)) for name in names if not name.startswith("_"))
