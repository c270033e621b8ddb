"""Dtypes, names and numbers that a Module keeps in nnx.data(...), beside arrays and layers that it keeps there."""

import jax
import jax.numpy as jnp
from flax import nnx


class Caster(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.dtypes = nnx.data(jax.tree.map(lambda leaf: leaf.dtype, {"x": jnp.ones(2), "y": jnp.ones(2)}))

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.linear(x).astype(self.dtypes["x"])


class Scaled(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.settings = nnx.data({"name": "tanh", "times": 2})

    def __call__(self, x: jax.Array) -> jax.Array:
        for _ in range(self.settings["times"]):
            x = getattr(jnp, self.settings["name"])(self.linear(x))
        return x


class Stacked(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.layers = nnx.data([nnx.Linear(2, 2, rngs=rngs) for _ in range(2)])
        self.masks = nnx.data({"all": jnp.ones(2), "none": None})

    def __call__(self, x: jax.Array) -> jax.Array:
        for layer in self.layers:
            x = layer(x) * self.masks["all"]
        return x


@nnx.compat.jit
def cast(model: Caster, x: jax.Array):
    return model(x)


@nnx.jit
def stacked(model: Stacked, x: jax.Array):
    return model(x)


def either(model: Scaled, x: jax.Array):
    return nnx.compat.cond(
        x.sum() > 0, lambda model, x: model(x), lambda model, x: -model(x), model, x
    )


def leaves(model: Scaled):
    graphdef, state = nnx.compat.split(model)
    return nnx.to_pure_dict(state), nnx.merge(graphdef, state)


def slope(model: Caster, x: jax.Array):
    graphdef, params, nondiff = nnx.compat.split(model, nnx.Param, ...)

    def loss_fn(params, nondiff, x):
        model = nnx.merge(graphdef, params, nondiff)
        return model(x).sum()

    return nnx.grad(loss_fn)(params, nondiff, x)
