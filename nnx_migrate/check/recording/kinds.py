"""Which kind of call a call is: two of one kind differ in nothing but the values of arrays.

Shapes, dtypes, flags, modes, texts and the static attributes of Modules decide which way a
function takes; so does any other number, but a step counter is one too, so numbers are told apart
from the rest. A call is looked at while the user's program waits for it, so nothing is copied.
"""

from __future__ import annotations

import enum
import functools
import hashlib
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

# What reaches further is told apart by its beginning alone.
_MOST_LEAVES = 20_000
_MOST_TEXT = 200
_INSTALLED = frozenset({"site-packages", "dist-packages"})


class Kind(NamedTuple):
    """What a call is, up to the values of its arrays.

    Args:
        structure: types, shapes, dtypes, flags and texts, in the order of a walk.
        numbers: the whole and other numbers of Python, in the same order.
    """

    structure: tuple[object, ...]
    numbers: tuple[object, ...]

    def digest(self) -> str:
        """The same text for the same structure in every process."""
        text = repr([_text_of(each) for each in self.structure])
        return hashlib.sha256(text.encode()).hexdigest()[:24]


def _text_of(part: object) -> object:
    return part.__qualname__ if isinstance(part, type) else part


def kind_of(arguments: object) -> Kind:
    """Looks at what a function is called with; nothing is changed or kept.

    Args:
        arguments: anything nested, traced arrays among it.
    """
    structure: list[object] = []
    numbers: list[object] = []
    seen: dict[int, int] = {}
    waiting = [arguments]
    while waiting and len(structure) < _MOST_LEAVES:
        value = waiting.pop()
        kind: Any = type(value)
        look = _look_of(kind)
        if look in _LOOK_INSIDE:
            if id(value) in seen:
                structure.append(seen[id(value)])
                continue
            seen[id(value)] = len(seen)
            structure.append(kind)
        look(value, structure, numbers, waiting)
    return Kind(tuple(structure), tuple(numbers))


def is_tracing() -> bool:
    """Whether jax traces what runs."""
    core: Any = sys.modules.get("jax._src.core")
    return core is not None and not core.trace_state_clean()


_Look = Callable[[Any, list[object], list[object], list[Any]], None]


@functools.cache
def _look_of(kind: type) -> _Look:
    """How values of a type are looked at."""
    if kind is bool or kind is types.NoneType or kind is type(Ellipsis):
        return _flag
    if issubclass(kind, enum.Enum):
        return _member
    if issubclass(kind, (int, float, complex)) and not hasattr(kind, "dtype"):
        return _number
    if issubclass(kind, (str, bytes)):
        return _text
    if issubclass(kind, (set, frozenset)):
        return _members
    if issubclass(kind, (type, types.FunctionType, types.BuiltinFunctionType, types.ModuleType)):
        return _named
    return _array if is_array(kind) else _look_inside(kind)


def _look_inside(kind: Any) -> _Look:
    if issubclass(kind, (list, tuple)):
        return _sequence
    if issubclass(kind, dict):
        return _mapping
    if issubclass(kind, types.MethodType):
        return _method
    if issubclass(kind, functools.partial):
        return _partial
    if hasattr(kind, "get_raw_value"):
        return _variable
    return _object if _is_opened(kind) else _opaque


def is_array(kind: type) -> bool:
    """Whether values of a type are arrays of numpy or jax, traced ones too."""
    numpy: Any = sys.modules.get("numpy")
    if numpy is not None and issubclass(kind, (numpy.ndarray, numpy.generic)):
        return True
    jax: Any = sys.modules.get("jax")
    # A tracer is an array by what its class says when it is asked for an object.
    return jax is not None and issubclass(kind, (jax.Array, jax.core.Tracer, jax.ShapeDtypeStruct))


def _flag(value: Any, structure: list[object], numbers: list[object], waiting: list[Any]) -> None:
    structure.append(value)


def _number(value: Any, structure: list[object], numbers: list[object], waiting: list[Any]) -> None:
    structure.append(type(value).__name__)
    numbers.append(value)


def _text(value: Any, structure: list[object], numbers: list[object], waiting: list[Any]) -> None:
    structure.append(value[:_MOST_TEXT])


def _member(value: Any, structure: list[object], numbers: list[object], waiting: list[Any]) -> None:
    structure.append(f"{type(value).__qualname__}.{value.name}")


def _members(
    value: Any, structure: list[object], numbers: list[object], waiting: list[Any]
) -> None:
    structure.append(("set", *sorted(map(repr, value))[:_MOST_TEXT]))


def _named(value: Any, structure: list[object], numbers: list[object], waiting: list[Any]) -> None:
    structure.append(getattr(value, "__qualname__", value.__name__))


def _array(value: Any, structure: list[object], numbers: list[object], waiting: list[Any]) -> None:
    # Of numpy, or of jax, traced or not.
    structure += (type(value).__module__ == "numpy", value.shape, value.dtype)


def _sequence(
    value: Any, structure: list[object], numbers: list[object], waiting: list[Any]
) -> None:
    structure.append(len(value))
    waiting += value


def _mapping(
    value: Any, structure: list[object], numbers: list[object], waiting: list[Any]
) -> None:
    # What was traced has its entries in the order of their keys.
    keys = sorted(value, key=str)
    structure += [key if isinstance(key, (str, int)) else type(key) for key in keys]
    structure.append(len(keys))
    waiting += map(value.__getitem__, keys)


def _method(value: Any, structure: list[object], numbers: list[object], waiting: list[Any]) -> None:
    waiting += (value.__func__, value.__self__)


def _partial(
    value: Any, structure: list[object], numbers: list[object], waiting: list[Any]
) -> None:
    waiting += (value.func, value.args, value.keywords)


def _variable(
    value: Any, structure: list[object], numbers: list[object], waiting: list[Any]
) -> None:
    # Its metadata seldom decides anything, and there are many Variables.
    waiting.append(value.get_raw_value())


def _object(value: Any, structure: list[object], numbers: list[object], waiting: list[Any]) -> None:
    held = getattr(value, "__dict__", {})
    names = sorted(name for name in held if not name.startswith("_pytree__"))
    structure += names
    waiting += map(held.__getitem__, names)


def _opaque(value: Any, structure: list[object], numbers: list[object], waiting: list[Any]) -> None:
    """What is not looked into is what its type is."""


_LOOK_INSIDE = frozenset({_sequence, _mapping, _method, _partial, _variable, _object, _opaque})


@functools.cache
def _is_opened(kind: Any) -> bool:
    """Whether the attributes of such an object say what kind it is.

    Those of the user's classes do, and of flax's; what other libraries keep is their own concern,
    and may reach everything there is.
    """
    module = sys.modules.get(kind.__module__)
    file = getattr(module, "__file__", None)
    if kind.__module__.partition(".")[0] in ("flax", "__main__"):
        return True
    return bool(file) and not _is_installed(str(file))


def _is_installed(file: str) -> bool:
    library = str(Path(functools.__file__).parent)
    return file.startswith(library) or not _INSTALLED.isdisjoint(Path(file).parts)
