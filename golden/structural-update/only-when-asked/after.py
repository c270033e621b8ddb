"""Attention that sows its weights when it is asked to, and mostly is not."""

import jax
import jax.numpy as jnp
from flax import nnx


def attend(query, key, value, module=None):
    weights = nnx.softmax(query @ key.T)
    if module:
        module.sow(nnx.Intermediate, "weights", weights)
    return weights @ value


class Attention(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.query = nnx.Linear(2, 2, rngs=rngs)
        self.key = nnx.Linear(2, 2, rngs=rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)

    def __call__(self, x, sow_weights: bool = False):
        module = self if sow_weights else None
        return attend(self.query(x), self.key(x), self.drop(x), module=module)


class Block(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.attention = Attention(rngs)
        self.norm = nnx.BatchNorm(2, rngs=rngs)

    def __call__(self, x, sow_weights: bool = False):
        return self.norm(self.attention(x, sow_weights=sow_weights))


@nnx.jit
def forward(model: Block, x):
    return model(x)


@nnx.jit
def _inspected_and_pop(model: Block, x):
    return model(x, sow_weights=True), nnx.clone(nnx.pop(model, nnx.Intermediate))


def inspected(model: Block, x):
    result, sown = _inspected_and_pop(model, x)
    nnx.update(model, sown)
    return result


@nnx.jit
def train_step(model: Block, x):
    graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)

    def loss_fn(params, nondiff):
        m = nnx.merge(graphdef, params, nondiff)
        return jnp.mean(m(x) ** 2)

    loss, grads = nnx.value_and_grad(loss_fn)(params, nondiff)
    return loss, jax.tree.leaves(grads)


def weights(model: Block, x):
    inspected(model, x)
    return nnx.pop(model, nnx.Intermediate)
