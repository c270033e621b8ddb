from collections.abc import Callable

import jax
import jax.numpy as jnp
import optax
from flax import nnx


class MLP(nnx.Module):
    hidden: list[nnx.Linear]
    """The layers."""

    activation: Callable[[jax.Array], jax.Array]
    """Any function of flax.nnx."""

    def __init__(self, features: int, activation: str, rngs: nnx.Rngs):
        self.hidden = nnx.List([nnx.Linear(features, features, rngs=rngs) for _ in range(2)])
        self.activation = getattr(nnx, activation)

    def __call__(self, x: jax.Array) -> jax.Array:
        for layer in self.hidden:
            x = self.activation(layer(x))
        return x


class Noisy(nnx.Module):
    activation: Callable[[jax.Array], jax.Array]

    def __init__(self, features: int, activation: str, rngs: nnx.Rngs):
        self.linear = nnx.Linear(features, features, rngs=rngs)
        self.dropout = nnx.Dropout(0.5, rngs=rngs)
        self.activation = getattr(nnx, activation)

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.dropout(self.activation(self.linear(x)))


@nnx.jit
def train_mlp(model: MLP, optimizer: nnx.Optimizer, x: jax.Array, y: jax.Array) -> jax.Array:
    def loss_fn(model: MLP) -> jax.Array:
        return jnp.mean((model(x) - y) ** 2)

    loss, grads = nnx.value_and_grad(loss_fn)(model)
    optimizer.update(model, grads)
    return loss


@nnx.jit
def train_noisy(model: Noisy, optimizer: nnx.Optimizer, x: jax.Array, y: jax.Array) -> jax.Array:
    def loss_fn(params: nnx.State, nondiff: nnx.State) -> jax.Array:
        model = nnx.merge(graphdef, params, nondiff)
        return jnp.mean((model(x) - y) ** 2)

    graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)
    loss, grads = nnx.value_and_grad(loss_fn)(params, nondiff)
    optimizer.update(model, grads)
    return loss


def changed_by_name(model: MLP, change: str, x: jax.Array) -> list[jax.Array]:
    def loss_fn(model: MLP) -> jax.Array:
        getattr(nnx, change)(model)  # may be any of them
        return jnp.mean(model(x) ** 2)

    return jax.tree.leaves(nnx.compat.grad(loss_fn)(model))


def make(model: nnx.Module) -> nnx.Optimizer:
    return nnx.Optimizer(model, optax.sgd(0.1), wrt=nnx.Param)
