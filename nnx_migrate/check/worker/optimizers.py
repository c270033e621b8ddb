"""What gradient transformations of optax do, where their code does not tell.

Two that are made otherwise are asked for their steps: on the parameters that they are for, with
gradients of several sizes, from the start and far into a schedule, all in float64.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx

from nnx_migrate.check.cases.calls import Call, failure, outcome
from nnx_migrate.check.compare.forms import View
from nnx_migrate.check.compare.leaves import containers, is_transformation, view_of
from nnx_migrate.check.jobs import Probed
from nnx_migrate.check.worker.precision import float32_made_wide

# A small number beside the root of a mean is seen where gradients are small, and a bound where
# they are large.
_SIZES = (1e-8, 1e-4, 1.0, 1e4)
# Some make a step only every few times.
_STEPS = 6
_COUNTS = (10, 100, 1_000, 10_000, 100_000)


def probed_call(call: Call) -> Probed:
    """Makes a call, and probes the transformations that go in and come out.

    Args:
        call: it is made once; its arguments are changed as it changes them.
    """
    random.seed(0)
    np.random.seed(0)
    # The call may donate what it is given.
    before = _probed((call.arguments, dict(call.keywords)))
    try:
        result = call.function(*call.arguments, **call.keywords)
    except Exception:
        return before
    after = _probed(outcome(call, result))
    return Probed(
        {**before.steps, **after.steps},
        {**before.missing, **after.missing},
        before.invented | after.invented,
    )


def _probed(value: object) -> Probed:
    found = containers(value)
    steps: dict[str, View] = {}
    missing: dict[str, str] = {}
    invented = set()
    for path, each in found.items():
        if not is_transformation(each) or _is_part(path, found):
            continue
        parameters = _parameters(each, found.get(path.rpartition("/")[0]), found)
        if parameters is None:
            invented.add(path)
            parameters = {"kernel": jnp.ones((3, 2)), "bias": jnp.ones(2)}
        try:
            steps[path] = _steps(each, parameters)
        except Exception as error:
            missing[path] = f"it takes no step: {failure(error)}"
    return Probed(steps, missing, frozenset(invented))


def _is_part(path: str, found: Mapping[str, object]) -> bool:
    """Whether a transformation is held by another one."""
    parts = path.split("/")
    above = ("/".join(parts[:length]) for length in range(1, len(parts)))
    return any(is_transformation(found.get(each)) for each in above)


def _parameters(transformation: Any, owner: object, found: Mapping[str, object]) -> Any:
    """The parameters that a transformation is for; None where there are none beside it."""
    optimizer = owner if isinstance(owner, nnx.Optimizer) else None
    for parameters in _candidates(optimizer, found):
        if optimizer is None:
            return parameters
        state = jax.eval_shape(transformation.init, parameters)
        held = nnx.as_pure(optimizer.opt_state)
        shapes = [[each.shape for each in jax.tree.leaves(tree)] for tree in (state, held)]
        if shapes[0] == shapes[1]:
            return parameters
    return None


def _candidates(optimizer: nnx.Optimizer[Any] | None, found: Mapping[str, object]) -> Iterator[Any]:
    wanted = optimizer.wrt if optimizer is not None else nnx.Param
    for each in found.values():
        if isinstance(each, (nnx.Optimizer, nnx.State)) or not isinstance(each, nnx.Pytree):
            continue
        state = nnx.as_pure(nnx.state(each, wanted, graph=True))
        if jax.tree.leaves(state):
            yield state


def _steps(transformation: Any, parameters: Any) -> View:
    """The steps that a transformation makes, and what it keeps at first."""
    with jax.enable_x64(True), float32_made_wide():
        wide = jax.tree.map(_widened, parameters)
        update = jax.jit(transformation.update)
        first = transformation.init(wide)
        found: dict[str, Any] = {"init": first}
        for size in _SIZES:
            state = first
            for number in range(_STEPS):
                step, state = update(_gradients(wide, size, number), state, wide)
                found[f"step {number + 1} by gradients of {size:g}"] = step
        for count in _COUNTS:
            later, _ = update(_gradients(wide, 1.0, 0), _counted(first, count), wide)
            found[f"step {count}"] = later
        return view_of(found)


def _widened(value: Any) -> Any:
    is_float = jnp.issubdtype(value.dtype, jnp.floating)
    return jnp.asarray(value, jnp.float64) if is_float else value


def _gradients(parameters: Any, size: float, number: int) -> Any:
    def like(value: Any) -> Any:
        waves = jnp.cos(jnp.arange(value.size, dtype=jnp.float64) + 1.0 + number)
        return (size * waves).reshape(value.shape).astype(value.dtype)

    return jax.tree.map(like, parameters)


def _counted(state: Any, count: int) -> Any:
    """A state with each of its counters at a number."""

    def at(value: Any) -> Any:
        is_counter = jnp.issubdtype(value.dtype, jnp.integer) and value.shape == ()
        return jnp.full_like(value, count) if is_counter else value

    return jax.tree.map(at, state)
