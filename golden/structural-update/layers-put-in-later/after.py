"""Layers that are put into a Sequential after it was made: one counts its calls."""

import jax
import jax.numpy as jnp
from flax import nnx


class Counted(nnx.Module):
    def __init__(self):
        self.calls = 0

    def __call__(self, x):
        self.calls += 1
        return x


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.body = nnx.Sequential(nnx.Linear(2, 2, rngs=rngs))
        self.body.layers.append(Counted())

    def __call__(self, x):
        return self.body(x)


class Still(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.body = nnx.Sequential()
        self.body.layers.append(nnx.BatchNorm(2, rngs=rngs))

    def __call__(self, x):
        return self.body(x)


@nnx.compat.jit
def counted(model: Net, x):
    return model(x)


@nnx.jit
def train_step(model: Still, x):
    graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)

    def loss_fn(params, nondiff):
        m = nnx.merge(graphdef, params, nondiff)
        return jnp.mean((m(x) - 1) ** 2)

    loss, grads = nnx.value_and_grad(loss_fn)(params, nondiff)
    return loss, jax.tree.leaves(grads)


def calls(model: Net) -> int:
    return model.body.layers[1].calls
