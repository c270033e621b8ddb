"""Pickles of the recording read on one side, with the classes and functions of that side."""

from __future__ import annotations

import contextlib
import contextvars
import dataclasses
import functools
import importlib
import inspect
import os
import pickle
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from nnx_migrate.check.jobs import Side
from nnx_migrate.check.recording.compiling import TWIN
from nnx_migrate.check.recording.meshes import Axes, made_mesh
from nnx_migrate.check.worker.loading import load_cells, load_file, load_in_tree


@dataclasses.dataclass(frozen=True, slots=True)
class Reader:
    """Where a pickle is read.

    Args:
        side: its modules give the classes and functions.
        program: the path of the recorded function's file: of a single program the side knows the
            file under another name.
        numbers: arrays that have shapes only are made up, always the same.
    """

    side: Side
    program: str
    numbers: bool

    def file(self, path: str) -> Path:
        """The file on this side.

        Args:
            path: relative to the tree that was recorded.
        """
        root = self.side.root
        if root.is_dir():
            return root / path
        return root if path == self.program else root.parent / path


_reading: contextvars.ContextVar[Reader] = contextvars.ContextVar("reading")


def unpacked(blob: bytes, reader: Reader) -> Any:
    """Reads a pickle on one side.

    Args:
        blob: from `packed`.
        reader: the side, and how.

    Raises:
        Exception: the side does not have what the pickle refers to.
    """
    token = _reading.set(reader)
    try:
        return pickle.loads(blob)  # nosec B301  # `check` runs the user's code, and says so
    finally:
        _reading.reset(token)


def module_of(reader: Reader, path: str, name: str) -> ModuleType:
    """Imports a file on one side by the name that the recorded program knew it by.

    Args:
        reader: the side.
        path: of the file, relative to the tree.
        name: "" for a script, which is imported by its stem.

    Raises:
        Exception: whatever the file raises.
    """
    file = reader.file(path)
    whole_tree = reader.side.root.is_dir()
    wanted = name if name and (whole_tree or path != reader.program) else file.stem
    for each in list(sys.modules.values()):
        origin = getattr(each, "__file__", None)
        if origin and os.path.basename(origin) == file.name and Path(origin) == file:
            return each
    if path.endswith(TWIN):
        return load_cells(file)
    if wanted not in sys.modules and all(part.isidentifier() for part in wanted.split(".")):
        try:
            found = importlib.import_module(wanted)
        except ModuleNotFoundError as error:
            if error.name != wanted:
                raise
        else:
            if Path(found.__file__ or "").resolve() == file.resolve():
                return found
            # Another file answers to the name; what uses it must find it again.
            del sys.modules[wanted]
    return load_in_tree(reader.side, path) if whole_tree else load_file(file)


def of_the_user(path: str, module: str, name: str) -> Any:
    """What a file of the user defines; called by a pickle that is read.

    Args:
        path: of the file, relative to the tree.
        module: the name under which it was imported, "" for a script.
        name: the qualified name in it.
    """
    return functools.reduce(getattr, name.split("."), module_of(_reading.get(), path, module))


def of_a_library(module: str, name: str) -> Any:
    """What a library defines; called by a pickle that is read.

    Args:
        module: its name.
        name: the qualified name in it.
    """
    return functools.reduce(getattr, name.split("."), importlib.import_module(module))


def set_attributes(made: Any, attributes: dict[str, Any]) -> None:
    """Gives a Module its attributes; called by a pickle that is read.

    A property of this side that reads the same object needs none: it could not be set either.

    Args:
        made: the Module, without attributes.
        attributes: those that it had where it was recorded.
    """
    held = vars(made)
    held.update(attributes)
    for name in attributes:
        if isinstance(inspect.getattr_static(type(made), name, None), property):
            with contextlib.suppress(Exception):  # a property is code of the user
                if getattr(made, name) is held[name]:
                    del held[name]


def set_attributes_of_no_tree(made: Any, attributes: dict[str, Any]) -> None:
    """The same for a Module of a class that is no pytree, which may be one on this side.

    Then each object says which of its attributes hold data; this one did not have to.

    Args:
        made: the Module, without attributes.
        attributes: those that it had where it was recorded.
    """
    set_attributes(made, attributes)
    held, nnx = vars(made), sys.modules["flax.nnx"]
    if getattr(type(made), "_pytree__is_pytree", False) and "_pytree__nodes" in held:
        nodes = held["_pytree__nodes"]
        names = [each for each in attributes if each in held and not each.startswith("_pytree__")]
        held["_pytree__nodes"] = nodes.update(
            {each: _holds_data(nnx, held[each]) for each in names if each not in nodes}
        )


def _holds_data(nnx: Any, value: Any) -> bool:
    """Whether an attribute is data; a container is, of data, which `nnx.data` has to mark."""
    if isinstance(value, dict):
        return any(_holds_data(nnx, each) for each in value.values())
    if isinstance(value, (list, tuple)):
        return any(_holds_data(nnx, each) for each in value)
    return bool(nnx.is_data(value))


def path_in_tree(cls: Any, inside: str) -> Any:
    """A path in the tree of this side; called by a pickle that is read.

    Args:
        cls: of paths.
        inside: the path, relative to the tree that was recorded.
    """
    return cls(_reading.get().side.top / inside)


def text_in_tree(inside: str) -> str:
    """The same as a text; called by a pickle that is read.

    Args:
        inside: as for `path_in_tree`.
    """
    return str(_reading.get().side.top / inside)


def key_of_data(data: Any, generator: str) -> Any:
    """A key array.

    Args:
        data: its key data.
        generator: the name of its implementation, as jax registers it.
    """
    import jax

    return jax.random.wrap_key_data(data, impl=generator)


def array_on_mesh(data: Any, axes: Axes, spec: tuple[Any, ...]) -> Any:
    """An array in shards; called by a pickle that is read.

    Args:
        data: the whole of it.
        axes: of the mesh that it lay on.
        spec: how the axes of the array are split.

    Raises:
        MeshTooLarge: there are fewer devices here.
    """
    import jax

    placed = jax.sharding.NamedSharding(made_mesh(axes), jax.sharding.PartitionSpec(*spec))
    return jax.device_put(data, placed)


def array_of_shape(shape: tuple[int, ...], dtype: Any, weak: bool) -> Any:
    """An array of which the shape was kept; called by a pickle that is read.

    Args:
        shape: its shape.
        dtype: its dtype; "key:" and the implementation for a typed key.
        weak: its type gives way to others.
    """
    import jax
    import jax.numpy as jnp
    import numpy as np

    numbers = _reading.get().numbers
    make_shape: Any = jax.ShapeDtypeStruct
    if isinstance(dtype, str):
        key = jax.random.key(0, impl=dtype.removeprefix("key:"))
        if numbers:
            return jax.random.split(key, shape) if shape else key
        return make_shape(shape, key.dtype)
    if not numbers:
        return make_shape(shape, dtype, weak_type=weak)
    if not jnp.issubdtype(dtype, jnp.inexact):
        # Whole numbers are labels, indices and counts more often than not.
        return jnp.zeros(shape, dtype)
    # Positive and below one: for logarithms, square roots, probabilities and moments alike.
    size = int(np.prod(shape))
    made_up = np.random.default_rng(size).uniform(0.1, 0.9, shape)
    return jnp.asarray(made_up, jax.dtypes.canonicalize_dtype(dtype))
