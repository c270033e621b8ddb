"""The work is about linear in the size of a program, and no array is needed for it."""

from __future__ import annotations

from typing import Any

import pytest

jax = pytest.importorskip("jax")
jnp = pytest.importorskip("jax.numpy")
pytest.importorskip("flax")
from flax import nnx
from jax import lax
from jax.extend.core import jaxprs_in_params

from nnx_migrate.check.proof import Program, canonical_program
from tests.perf.counting import calls_during
from tests.unit.check.proof.tracing import program

pytestmark = pytest.mark.runs_jax

X = jax.ShapeDtypeStruct((2, 2), jnp.float32)


def size(jaxpr: Any) -> int:
    """Equations in a program, each body counted where it is."""
    return sum(1 + sum(map(size, jaxprs_in_params(e.params))) for e in jaxpr.eqns)


def measured(function: Any, *arguments: Any) -> tuple[int, int, int]:
    """Equations in the program, equations looked at, and functions called for it."""
    jaxpr = jax.make_jaxpr(function)(*arguments)
    names = [str(i) for i in range(len(jaxpr.jaxpr.invars))]
    hashed = canonical_program(jaxpr, names)
    assert isinstance(hashed, Program)
    return (
        size(jaxpr.jaxpr),
        hashed.equations,
        calls_during(lambda: canonical_program(jaxpr, names)),
    )


def deep(count: int) -> Any:
    def run(x: Any) -> Any:
        for _ in range(count):
            x = jnp.sin(x @ x) * 2.0 + jax.nn.relu(x)
        return x

    return run


def test_a_long_program() -> None:
    equations, looked_at, called = measured(deep(900), X)
    assert equations >= 5000
    assert looked_at == equations
    assert called < 250 * equations
    half = measured(deep(450), X)
    assert called < 2.2 * half[2]


def wide(count: int) -> Any:
    """A loop with two carries for each parameter, all of which depend on each other."""

    def run(params: Any) -> Any:
        def body(carry: Any, _: Any) -> Any:
            params, moments, step = carry
            norm = sum(jnp.sum(jnp.sin(p)) for p in params)
            moments = [0.9 * m + p * norm for m, p in zip(moments, params, strict=True)]
            params = [p - 0.1 * m for p, m in zip(params, moments, strict=True)]
            return (params, moments, step + 1), norm

        start = (params, [jnp.zeros_like(p) for p in params], 0)
        return lax.scan(body, start, None, length=10)

    return run


def test_a_loop_with_many_carries() -> None:
    equations, looked_at, called = measured(wide(300), [X] * 300)
    assert equations > 2500
    # Once with all moments taken for one, once when they are told apart.
    assert looked_at < 2.2 * equations
    half = measured(wide(150), [X] * 150)
    assert called < 2.5 * half[2]


def nested(depth: int) -> Any:
    if depth == 0:
        return lambda c: (jnp.tanh(c[0] @ c[1]) + c[2], c[1], c[0], c[3] + 1)
    inner = nested(depth - 1)

    def run(c: Any) -> Any:
        x, w, y, _ = lax.while_loop(lambda c: c[3] < 3, inner, (*c[:3], 0))
        for _ in range(20):
            x = jnp.sin(x) @ w
        return x, w, y, c[3] + 1

    return run


def test_loops_in_loops() -> None:
    equations, looked_at, _ = measured(nested(4), (X, X, X, 0))
    assert looked_at < 4 * equations


class Block(nnx.Module):
    def __init__(self, size: int, rngs: Any) -> None:
        self.up = nnx.Linear(size, 4 * size, rngs=rngs)
        self.down = nnx.Linear(4 * size, size, rngs=rngs)
        self.drop = nnx.Dropout(0.1, rngs=rngs)

    def __call__(self, x: Any) -> Any:
        return x + self.drop(self.down(nnx.gelu(self.up(x))))


class Tower(nnx.Module):
    def __init__(self, depth: int, size: int, rngs: Any) -> None:
        self.blocks = nnx.List(Block(size, rngs) for _ in range(depth))

    def __call__(self, x: Any) -> Any:
        for block in self.blocks:
            x = block(x)
        return x


def test_a_model_that_fits_no_machine() -> None:
    model = nnx.eval_shape(lambda: Tower(48, 32_768, nnx.Rngs(0)))
    graphdef, *states = nnx.split(model, nnx.Param, ...)
    params, rest = map(nnx.as_pure, states)
    assert sum(x.size for x in jax.tree.leaves(params)) > 400e9
    batch = jax.ShapeDtypeStruct((8, 32_768), jnp.float32)

    def loss(params: Any, rest: Any, x: Any) -> Any:
        return jnp.mean(nnx.merge(graphdef, params, rest)(x) ** 2)

    def step(params: Any, rest: Any, x: Any) -> Any:
        return jax.tree.map(lambda p, g: p - 0.1 * g, params, jax.grad(loss)(params, rest, x))

    def rewritten(both: Any, x: Any) -> Any:
        params, rest = both
        rematerialized = jax.checkpoint(lambda x, rest, params: loss(params, rest, x))
        grads = jax.jit(jax.grad(rematerialized, argnums=2))(x, rest, params)
        return jax.tree.map(lambda g, p: p - g * 0.1, grads, params)

    arguments = {"params": params, "rest": rest}
    old = program(lambda a, x: step(a["params"], a["rest"], x), arguments, batch)
    new = program(lambda a, x: rewritten((a["params"], a["rest"]), x), arguments, batch)
    assert old.outputs == new.outputs
    assert len(set(old.outputs)) == len(jax.tree.leaves(params))
