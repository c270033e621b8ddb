"""A call as a pure function of arrays: what can be traced, compiled, differentiated and hashed.

Modules and everything else of nnx in the arguments are taken apart into named arrays, put together
again inside, and what the call leaves behind comes out as named arrays. The names are paths, so
that two sides which group their arguments otherwise still mean the same by them.
"""

from __future__ import annotations

import dataclasses
import zlib
from collections.abc import Callable, Mapping
from typing import Any

import jax
import jax.numpy as jnp
from flax import nnx

from nnx_migrate.check.calls import Call, outcome
from nnx_migrate.check.forms import View
from nnx_migrate.check.leaves import array_leaves, view_of

Arrays = dict[str, Any]


@dataclasses.dataclass(frozen=True, slots=True)
class PureCall:
    """A call without state of its own.

    Args:
        inputs: array, or its shape and dtype, by path in the arguments.
        differentiable: the inputs that are Params or plain float arrays.
        run: inputs -> outputs by path; the view of its last run is what `view` gives.
        view: result and arguments of the last run, with traced arrays in them.
    """

    inputs: Arrays
    differentiable: tuple[str, ...]
    run: Callable[[Arrays], Arrays]
    view: Callable[[], View]


class NotPure(Exception):
    """A call that cannot be taken apart; the text says why."""


def pure_call(call: Call) -> PureCall:
    """Takes a call apart.

    Args:
        call: its arguments are not changed, now or later.

    Raises:
        NotPure: the arguments are no trees of what nnx knows.
    """
    if call.returns_driver:
        raise NotPure("the case drives a whole program")
    try:
        graphdef, state = nnx.split((call.arguments, dict(call.keywords)), graph=True)
        flat = nnx.to_flat_state(state)
    except Exception as error:
        raise NotPure(f"its arguments cannot be split: {type(error).__name__}: {error}") from error
    paths = ["/".join(map(str, path)) for path, _ in flat]
    inputs = {path: _raw(leaf) for path, (_, leaf) in zip(paths, flat, strict=True)}
    views: list[View] = []

    def run(values: Arrays) -> Arrays:
        leaves = [
            _with_raw(leaf, values[path]) for path, (_, leaf) in zip(paths, flat, strict=True)
        ]
        rebuilt = nnx.from_flat_state(
            [(path, leaf) for (path, _), leaf in zip(flat, leaves, strict=True)]
        )
        arguments, keywords = nnx.merge(graphdef, rebuilt)
        result = call.function(*arguments, **keywords)
        seen = outcome(Call(call.function, arguments, keywords), result)
        views[:] = [view_of(seen)]
        return array_leaves(seen)

    differentiable = tuple(
        path for path, (_, leaf) in zip(paths, flat, strict=True) if _differentiable(leaf)
    )
    return PureCall(inputs, differentiable, run, lambda: views[-1])


def gradient_of(pure: PureCall) -> Callable[[Arrays], Arrays]:
    """The gradient of every float output at once, each weighed by fixed numbers of its own.

    Args:
        pure: a forward function: what already differentiates inside is not to be asked.

    Returns:
        Inputs -> gradient by path of the differentiable input.
    """

    def weighed(chosen: Arrays, rest: Arrays) -> Any:
        outputs = pure.run({**rest, **chosen})
        total = jnp.zeros(())
        for path, value in sorted(outputs.items()):
            if jnp.issubdtype(value.dtype, jnp.floating):
                total += jnp.sum(value * _weights(path, value)).astype(total.dtype)
        return total

    def gradient(inputs: Arrays) -> Arrays:
        chosen = {path: inputs[path] for path in pure.differentiable}
        rest = {path: value for path, value in inputs.items() if path not in chosen}
        found: Arrays = jax.grad(weighed)(chosen, rest)
        return found

    return gradient


def abstract(inputs: Mapping[str, Any]) -> Arrays:
    """The shapes and dtypes of inputs."""
    shapes: Arrays = jax.eval_shape(dict, inputs)
    return shapes


def _weights(path: str, value: Any) -> Any:
    # Weights that are all alike would not see two outputs that changed places.
    phase = zlib.crc32(path.encode()) % 1000 / 1000
    steps = jnp.arange(value.size, dtype=jnp.float32).reshape(value.shape)
    return jnp.cos(steps + phase).astype(value.dtype)


def _raw(leaf: Any) -> Any:
    return leaf.get_raw_value() if isinstance(leaf, nnx.Variable) else leaf


def _with_raw(leaf: Any, value: Any) -> Any:
    return leaf.replace(value) if isinstance(leaf, nnx.Variable) else value


def _differentiable(leaf: Any) -> bool:
    if isinstance(leaf, nnx.Variable) and not isinstance(leaf, nnx.Param):
        return False
    dtype = getattr(_raw(leaf), "dtype", None)
    return dtype is not None and jnp.issubdtype(dtype, jnp.floating)
