"""Bytes that say what an array, a type or a parameter is: equal ones for equal meaning only.

There is no fallback to `repr`: an object that is not known here may print the same as another that
means something else, so it is refused.
"""

from __future__ import annotations

import dataclasses
import enum
import functools
from collections.abc import Callable, Mapping
from typing import Any

import jax
import jax.extend.random
import numpy as np
from jax.extend import core

from nnx_migrate.check.proof.values import Refusal, digest, joined, number

Jaxpr = core.Jaxpr | core.ClosedJaxpr
_GENERATORS = {
    "threefry2x32": jax.extend.random.threefry_prng_impl,
    "rbg": jax.extend.random.rbg_prng_impl,
    "unsafe_rbg": jax.extend.random.unsafe_rbg_prng_impl,
}


def encode(value: Any, function: Callable[[Jaxpr], bytes]) -> bytes:
    """A parameter of an equation.

    Args:
        function: what to make of a traced function that is part of it.
    """
    if value is None or isinstance(value, (bool, int, float, complex, str, bytes)):
        # The type as well: 1, 1.0 and True are equal for Python.
        return joined(type(value).__qualname__.encode(), repr(value).encode())
    if type(value) in (tuple, list):  # that they are two types never matters to a primitive
        return joined(b"sequence", b"", *[encode(part, function) for part in value])
    if isinstance(value, enum.Enum):
        return joined(b"enum", _class(type(value)), value.name.encode())
    if isinstance(value, (core.Jaxpr, core.ClosedJaxpr)):
        return joined(b"function", function(value))
    if _is_generator(value):
        return joined(b"generator", value.name.encode())
    if isinstance(value, type):
        return joined(b"type", _class(value))
    if isinstance(value, (np.ndarray, np.generic, jax.Array)):
        return joined(b"array", *array(value))
    if isinstance(value, np.dtype) or hasattr(value, "_impl"):
        return joined(b"dtype", dtype(value))
    if isinstance(value, tuple | list | frozenset | set | Mapping) or dataclasses.is_dataclass(
        value
    ):
        return _collection(value, function)
    raise Refusal(f"parameter of a kind not known: {type(value).__qualname__}")


def no_function(_: Jaxpr) -> bytes:
    raise Refusal("a function that is run in a way that is not known")


def _collection(value: Any, function: Callable[[Jaxpr], bytes]) -> bytes:
    if isinstance(value, Mapping):
        items = [joined(encode(k, function), encode(v, function)) for k, v in value.items()]
        return joined(b"mapping", *sorted(items))
    if isinstance(value, (set, frozenset)):
        return joined(b"set", *sorted(encode(v, function) for v in value))
    if dataclasses.is_dataclass(value):
        fields = [getattr(value, field.name) for field in dataclasses.fields(value)]
        return joined(b"dataclass", _class(type(value)), *(encode(v, function) for v in fields))
    return joined(b"sequence", _class(type(value)), *(encode(v, function) for v in value))


def _class(cls: type) -> bytes:
    if "<locals>" in cls.__qualname__:
        raise Refusal(f"parameter of a local class: {cls.__qualname__}")
    return f"{cls.__module__}.{cls.__qualname__}".encode()


def _is_generator(value: Any) -> bool:
    return any(value is known for known in _GENERATORS.values())


def dtype(value: Any) -> bytes:
    """A dtype; that of random keys only where its generator is one of JAX's own."""
    if isinstance(value, np.dtype):
        return _name(value)
    if not _is_generator(getattr(value, "_impl", None)):
        raise Refusal(f"arrays of dtype {value}")
    return str(value).encode()


@functools.cache
def _name(kind: np.dtype[Any]) -> bytes:
    return str(kind).encode()


def aval(value: Any) -> bytes:
    """Shape and dtype. Weak types steer tracing and are no part of a traced value."""
    if not isinstance(value, jax.core.ShapedArray):
        raise Refusal(f"{value} is a Ref, a token or another value that is not an array")
    if not all(isinstance(size, int) for size in value.shape):
        raise Refusal(f"shape {value.shape} is symbolic")
    return digest(dtype(value.dtype), *map(number, value.shape))


def array(value: Any) -> tuple[bytes, ...]:
    """Dtype, shape and bytes of an array that is known."""
    if isinstance(value, jax.core.Tracer):
        raise Refusal("a constant is being traced")
    shape = b",".join(map(number, np.shape(value)))
    try:
        kind = dtype(value.dtype)
        if not isinstance(value.dtype, np.dtype):
            value = jax.random.key_data(value)
        data = np.asarray(value)
    except (AttributeError, TypeError, ValueError, RuntimeError) as error:
        raise Refusal(f"constant of type {type(value).__qualname__}: {error}") from error
    if data.dtype.hasobject:
        raise Refusal("constant array of Python objects")
    return kind, shape, data.tobytes()
