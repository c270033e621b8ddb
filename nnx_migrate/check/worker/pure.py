"""A call as a pure function of arrays: what can be traced, compiled, differentiated and hashed.

Modules and everything else of nnx in the arguments are taken apart into named arrays, put together
again inside, and what the call leaves behind comes out as named arrays. The names are paths, so
that two sides which group their arguments otherwise still mean the same by them.
"""

from __future__ import annotations

import contextlib
import dataclasses
import zlib
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

import jax
import jax.numpy as jnp
from flax import nnx

from nnx_migrate.check.cases.calls import Call, outcome
from nnx_migrate.check.compare.forms import View
from nnx_migrate.check.compare.leaves import array_leaves, view_of

Arrays = dict[str, Any]
_Taken = TypeVar("_Taken")


@dataclasses.dataclass(frozen=True, slots=True)
class PureCall:
    """A call without state of its own.

    Args:
        inputs: array, or its shape and dtype, by path in the arguments.
        differentiable: the inputs that are floats; of Variables, not the Params alone, for a
            gradient may be taken by any.
        groups: the same in groups that may be asked for by themselves: Params, arrays, and other
            Variables.
        run: inputs -> outputs by path; the view of its last run is what `view` gives.
        view: result and arguments of the last run, with traced arrays in them.
    """

    inputs: Arrays
    differentiable: tuple[str, ...]
    groups: tuple[tuple[str, ...], ...]
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
    parts = {"/".join(map(str, path)): _Part.of(leaf) for path, leaf in flat}
    inputs = {name: array for path, part in parts.items() for name, array in part.named(path)}
    views: list[View] = []

    def run(values: Arrays) -> Arrays:
        leaves = [part.holding(values, path) for path, part in parts.items()]
        rebuilt = nnx.from_flat_state(
            [(path, leaf) for (path, _), leaf in zip(flat, leaves, strict=True)]
        )
        arguments, keywords = nnx.merge(graphdef, rebuilt)
        result = call.function(*arguments, **keywords)
        seen = outcome(Call(call.function, arguments, keywords), result)
        views[:] = [view_of(seen)]
        return array_leaves(seen)

    groups = tuple(
        tuple(
            name
            for path, part in parts.items()
            if part.group == group
            for name, array in part.named(path)
            if _is_float(array)
        )
        for group in ("param", "array", "variable")
    )
    differentiable = tuple(name for group in groups for name in group)
    return PureCall(inputs, differentiable, groups, run, lambda: views[-1])


def gradients_of(
    pure: PureCall, take: Callable[[Callable[[Arrays], Arrays]], _Taken]
) -> list[_Taken]:
    """The gradient by all inputs at once; by the groups of them where there is none.

    An input that goes through a while loop has no gradient, and hides that of all others.

    Args:
        pure: a forward function.
        take: makes something of a gradient, or raises.

    Returns:
        What was made of it, or of the parts that there are: one at least.

    Raises:
        Exception: there is none by any of them; that of all.
    """
    try:
        return [take(gradient_of(pure, pure.differentiable))]
    except Exception as error:
        found = []
        groups = [names for names in pure.groups if names]
        for names in groups if len(groups) > 1 else ():
            with contextlib.suppress(Exception):
                found.append(take(gradient_of(pure, names)))
        if not found:
            raise error from None
        return found


def gradient_of(pure: PureCall, names: tuple[str, ...]) -> Callable[[Arrays], Arrays]:
    """The gradient of every float output at once, each weighed by fixed numbers of its own.

    Args:
        pure: a forward function: what already differentiates inside is not to be asked.
        names: the inputs to differentiate by.

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
        chosen = {path: inputs[path] for path in names}
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


@dataclasses.dataclass(frozen=True, slots=True)
class _Part:
    """What a State holds at one path.

    A Variable may hold None or a tree: each array in it has a name of its own, and numbers of
    Python stay what they are.
    """

    leaf: Any
    names: tuple[str, ...]
    values: tuple[Any, ...]
    structure: Any

    @classmethod
    def of(cls, leaf: Any) -> _Part:
        raw = leaf.get_raw_value() if isinstance(leaf, nnx.Variable) else leaf
        found, structure = jax.tree_util.tree_flatten_with_path(raw)
        names = tuple(jax.tree_util.keystr(path, simple=True, separator="/") for path, _ in found)
        return cls(leaf, names, tuple(value for _, value in found), structure)

    @property
    def group(self) -> str:
        if not isinstance(self.leaf, nnx.Variable):
            return "array"
        return "param" if isinstance(self.leaf, nnx.Param) else "variable"

    def named(self, path: str) -> Iterator[tuple[str, Any]]:
        for name, value in zip(self.names, self.values, strict=True):
            if hasattr(value, "dtype"):
                yield _join(path, name), value

    def holding(self, arrays: Arrays, path: str) -> Any:
        found = [
            arrays.get(_join(path, name), value)
            for name, value in zip(self.names, self.values, strict=True)
        ]
        value = jax.tree_util.tree_unflatten(self.structure, found)
        return self.leaf.replace(value) if isinstance(self.leaf, nnx.Variable) else value


def _join(path: str, name: str) -> str:
    return f"{path}/{name}" if name else path


def _is_float(array: Any) -> bool:
    dtype = getattr(array, "dtype", None)
    return bool(dtype is not None and jnp.issubdtype(dtype, jnp.floating))
