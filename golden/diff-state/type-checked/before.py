from typing import TypeVar, cast, no_type_check

import jax
import jax.numpy as jnp
import optax
from flax import nnx

T = TypeVar("T")


def typecheck(t: T) -> T:
    return cast(T, no_type_check(t))


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.frozen = nnx.Linear(2, 3, rngs=rngs)
        self.dropout = nnx.Dropout(0.5, rngs=rngs)
        self.head = nnx.Linear(3, 1, rngs=rngs)

    @typecheck
    def embed(self, x: jax.Array) -> jax.Array:
        return self.dropout(self.frozen(x))

    @typecheck
    def compute_loss(self, x: jax.Array, y: jax.Array) -> jax.Array:
        return (self.head(self.embed(x)) - y) ** 2


@typecheck
def train_step(model: Net, optimizer: nnx.Optimizer, x: jax.Array, y: jax.Array) -> jax.Array:
    @typecheck
    def loss_fn(model: Net, x: jax.Array, y: jax.Array):
        return jnp.mean(model.compute_loss(x, y))

    trained = nnx.DiffState(0, optimizer.wrt)
    loss, grads = nnx.value_and_grad(loss_fn, argnums=trained)(model, x, y)
    optimizer.update(model, grads)
    return loss


def make_optimizer(model: Net) -> nnx.Optimizer:
    return nnx.Optimizer(model, optax.sgd(0.1), wrt=nnx.All(nnx.Param, nnx.PathContains("head")))
