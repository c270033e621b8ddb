"""Pickles that can be read on the other side: what the user's files define goes by reference."""

from __future__ import annotations

import dataclasses
import functools
import io
import os
import pickle
import sys
import types
from collections.abc import Callable, Mapping
from pathlib import Path, PurePath
from typing import Any

import cloudpickle

from nnx_migrate.check.compare.forms import Array, Observation
from nnx_migrate.check.recording.compiling import twin_with
from nnx_migrate.check.recording.meshes import axes_of
from nnx_migrate.check.recording.unpacking import (
    array_of_shape,
    array_on_mesh,
    key_of_data,
    of_a_library,
    of_the_user,
    path_in_tree,
    set_attributes,
    set_attributes_of_no_tree,
    text_in_tree,
)

# Below this an array may be an index or a key that Python code looks at.
_SMALL_BYTES = 4096
_BY_NAME_ANYWAY = (type, types.FunctionType, types.BuiltinFunctionType)


class TooManyBytes(Exception):
    """A value is larger than what may be kept."""


def packed(value: object, root: Path, most_bytes: int, *, shapes: bool = False) -> bytes:
    """Pickles a value.

    Args:
        value: anything; arrays in it may be traced if `shapes` is set.
        root: the tree whose classes and functions go by reference.
        most_bytes: how large the pickle may be.
        shapes: keep the shapes of larger arrays only.

    Raises:
        TooManyBytes: it is larger.
        Exception: something in it cannot be pickled.
    """
    file = _Bounded(most_bytes)
    _Pickler(file, root, shapes).dump(value)
    return file.getvalue()


def packed_observation(found: Observation, most_bytes: int) -> bytes:
    """Pickles what became of a call, which is plain data: `packed` would look at each part.

    Args:
        found: the observation.
        most_bytes: how large its arrays, and the pickle, may be.

    Raises:
        TooManyBytes: they are larger.
    """
    leaves = [leaf for view in (found.view, found.left) if view for leaf in view.form.values()]
    data = [leaf.data for leaf in leaves if isinstance(leaf, Array) and leaf.data is not None]
    if sum(each.nbytes for each in data) <= most_bytes:
        pickled = pickle.dumps(found, protocol=pickle.HIGHEST_PROTOCOL)
        if len(pickled) <= most_bytes:
            return pickled
    raise TooManyBytes(f"its result has more than {most_bytes:,} bytes")


@dataclasses.dataclass(frozen=True)
class _TextInTree:
    """The path of a file of the tree, as a text."""

    inside: str


def arguments_of(
    args: tuple[Any, ...], kwargs: Mapping[str, Any], root: Path
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments of a call, as `packed` takes them: each side's tree lies elsewhere.

    Args:
        args: positional ones.
        kwargs: the others.
        root: the tree that is recorded.
    """
    place = str(root.resolve()) + os.sep

    def placed(value: Any) -> Any:
        within = type(value) is str and value.startswith(place)
        return _TextInTree(value.removeprefix(place)) if within else value

    return tuple(map(placed, args)), {name: placed(value) for name, value in kwargs.items()}


class _Bounded(io.BytesIO):
    def __init__(self, most_bytes: int) -> None:
        super().__init__()
        self._most = self._left = most_bytes

    def write(self, data: Any) -> int:
        self.expect(memoryview(data).nbytes)
        self._left -= memoryview(data).nbytes
        return super().write(data)

    def expect(self, nbytes: int) -> None:
        if nbytes > self._left:
            raise TooManyBytes(f"more than {self._most} bytes, most of them not of arrays")


class _Pickler(cloudpickle.Pickler):  # type: ignore[misc]
    """Knows arrays and what has a name; everything else is cloudpickle's."""

    def __init__(self, file: _Bounded, root: Path, shapes: bool) -> None:
        super().__init__(file)
        self._file = file
        self._root = root.resolve()
        self._shapes = shapes

    def reducer_override(self, obj: Any) -> Any:
        if isinstance(obj, _TextInTree):
            return text_in_tree, (obj.inside,)
        if isinstance(obj, PurePath) and obj.is_relative_to(self._root):
            return path_in_tree, (type(obj), str(obj.relative_to(self._root)))
        if _is_array(obj):
            if self._shapes and _by_shape(obj):
                return array_of_shape, _shape(obj)
            self._file.expect(obj.nbytes)
            return _key_by_name(obj) if _is_key(obj) else _in_shards(obj)
        return self._reference(obj) or _with_setter(obj) or super().reducer_override(obj)

    def _reference(self, obj: Any) -> tuple[Callable[..., Any], tuple[Any, ...]] | None:
        if not callable(obj):
            return None
        name = getattr(obj, "__qualname__", None)
        module = sys.modules.get(str(getattr(obj, "__module__", None)))
        if module is None or not isinstance(name, str) or "<" in name:
            return None
        try:
            found = functools.reduce(getattr, name.split("."), module)
        except AttributeError:
            return None
        if found is not obj:
            return None
        # The module of a builtin has no file, and an empty path would be the current folder.
        file = getattr(module, "__file__", None)
        inside = _inside(self._root, file) if file else twin_with(module.__name__, name)
        if inside:
            spec = getattr(module, "__spec__", None)
            known = module.__name__ if module.__name__ != "__main__" else getattr(spec, "name", "")
            return of_the_user, (inside, known, name)
        if issubclass(type(obj), _BY_NAME_ANYWAY) or module.__name__ == "__main__":
            return None
        return of_a_library, (module.__name__, name)


def _with_setter(obj: Any) -> tuple[Any, ...] | None:
    """An object of a Module of the user, whose class may read attributes elsewhere on a side."""
    nnx: Any = sys.modules.get("flax.nnx")
    kind = type(obj)
    if nnx is None or not isinstance(obj, nnx.Pytree) or kind.__module__.startswith("flax."):
        return None
    if kind.__setstate__ is not nnx.Pytree.__setstate__:
        return None
    reduced = obj.__reduce_ex__(pickle.HIGHEST_PROTOCOL)
    if isinstance(reduced, str) or len(reduced) < 3 or not isinstance(reduced[2], dict):
        return None
    is_tree = getattr(kind, "_pytree__is_pytree", True)
    return *reduced[:3], None, None, set_attributes if is_tree else set_attributes_of_no_tree


@functools.cache
def _inside(root: Path, file: str) -> str:
    """The path of a file of the user's tree, relative to it; "" for any other.

    Many functions refer to few files, and to resolve a path takes long.
    """
    origin = Path(file).resolve()
    is_the_users = origin.is_relative_to(root) and "site-packages" not in origin.parts
    return origin.relative_to(root).as_posix() if is_the_users else ""


def _is_array(obj: object) -> bool:
    # What the program has not imported it has no arrays of; importing jax for it would settle its
    # flags before the program does.
    jax: Any = sys.modules.get("jax")
    numpy: Any = sys.modules.get("numpy")
    return (numpy is not None and isinstance(obj, numpy.ndarray)) or (
        jax is not None and isinstance(obj, jax.Array)
    )


def _in_shards(array: Any) -> Any:
    """An array on the devices of a mesh, with the mesh; any other is pickled as it is."""
    jax: Any = sys.modules.get("jax")
    sharding = getattr(array, "sharding", None)
    if jax is None or not isinstance(sharding, jax.sharding.NamedSharding):
        return NotImplemented
    if sharding.mesh.size < 2 or not array.is_fully_addressable:
        return NotImplemented
    return array_on_mesh, (jax.device_get(array), axes_of(sharding.mesh), tuple(sharding.spec))


def _by_shape(array: Any) -> bool:
    jax: Any = sys.modules.get("jax")
    if jax is not None and isinstance(array, jax.core.Tracer):
        return True
    return _is_key(array) or (array.dtype.kind != "O" and array.nbytes > _SMALL_BYTES)


def _shape(array: Any) -> tuple[tuple[int, ...], Any, bool]:
    weak = bool(getattr(getattr(array, "aval", None), "weak_type", False))
    jax: Any = sys.modules.get("jax")
    return array.shape, f"key:{jax.random.key_impl(array)}" if _is_key(array) else array.dtype, weak


def _key_by_name(key: Any) -> Any:
    """A key by the name of its generator: a generator that is pickled is no longer jax's own."""
    jax: Any = sys.modules.get("jax")
    generator = jax.random.key_impl(key)
    if not isinstance(generator, str):
        return NotImplemented
    return key_of_data, (jax.device_get(jax.random.key_data(key)), generator)


def _is_key(array: Any) -> bool:
    jax: Any = sys.modules.get("jax")
    return jax is not None and jax.numpy.issubdtype(array.dtype, jax.dtypes.prng_key)
