"""Blocks that keep the Rngs that they are given, and whose constructors alone use it."""

import jax
import jax.numpy as jnp
import optax
from flax import nnx


class Block(nnx.Module):
    def __init__(self, width: int, rngs: nnx.Rngs):
        # for the layers
        self.linear = nnx.Linear(width, width, rngs=rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)

    def __call__(self, x):
        return self.drop(self.linear(x))


class Gate(nnx.Module):
    def __init__(self, width: int, rngs: nnx.Rngs | None = None):
        rngs = rngs or nnx.Rngs(0)
        self.norm = nnx.LayerNorm(width, rngs=rngs)
        self.out = nnx.Linear(width, width, rngs=rngs)

    def __call__(self, x):
        return nnx.sigmoid(self.out(self.norm(x)))


class Noise(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.rngs = rngs

    def __call__(self, x):
        return x + 0.1 * jax.random.normal(self.rngs.noise(), x.shape)


class Model(nnx.Module):
    def __init__(self, width: int, rngs: nnx.Rngs):
        self.width = width
        self.blocks = nnx.List([Block(width, rngs) for _ in range(3)])
        self.noise = Noise(rngs)
        self.gate = Gate(width, rngs=rngs)

    def __call__(self, x):
        x = self.noise(x)
        for block in self.blocks:
            x = block(x)
        return x * self.gate(x)


@nnx.jit
def train_step(model: Model, optimizer: nnx.Optimizer, x):
    def loss_fn(params: nnx.State, nondiff: nnx.State):
        model = nnx.merge(graphdef, params, nondiff)
        return jnp.mean(model(x) ** 2)

    graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)
    loss, grads = nnx.value_and_grad(loss_fn)(params, nondiff)
    optimizer.update(model, grads)
    return loss


def train(x):
    model = Model(4, nnx.Rngs(0, noise=1))
    optimizer = nnx.Optimizer(model, optax.sgd(0.1), wrt=nnx.Param)
    losses = [train_step(model, optimizer, x) for _ in range(3)]
    graphdef, params, others = nnx.split(model, nnx.Param, ...)
    doubled = jax.tree.map(lambda leaf: leaf * 2, params)
    twin = nnx.merge(graphdef, doubled, others)
    model.eval()
    return losses, model(x), twin(x), nnx.state(model, nnx.Param), grown(x)


class Plain(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.rngs = rngs
        self.linear = nnx.Linear(4, 4, rngs=rngs)


def grown(x):
    alone = Plain(nnx.Rngs(7))
    return nnx.jit(lambda plain, x: plain.linear(x))(alone, x)
