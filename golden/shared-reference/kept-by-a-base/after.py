"""Blocks whose base class keeps the Rngs that all of them are given, and a trainer of any Module."""

import jax
import jax.numpy as jnp
from flax import nnx


class Block(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        super().__init__()
        self.rngs = rngs


class Dense(Block):
    def __init__(self, features: int, *, rngs: nnx.Rngs):
        super().__init__(rngs=rngs)
        self.linear = nnx.Linear(features, features, rngs=rngs)

    def __call__(self, x: jax.Array):
        return self.linear(x) + self.rngs.noise.normal(x.shape)


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.first = Dense(2, rngs=rngs)
        self.second = Dense(2, rngs=rngs)

    def __call__(self, x: jax.Array):
        return self.second(self.first(x))


class Outer(Block):
    def __init__(self, rngs: nnx.Rngs):
        super().__init__(rngs)
        self.inner = Dense(2, rngs=rngs)


class Single(Block):
    def __init__(self, rngs: nnx.Rngs):
        super().__init__(rngs)
        self.rngs = rngs
        self.linear = nnx.Linear(2, 2, rngs=rngs)


class Trainer:
    def __init__(self, model: nnx.Module):
        self.model = model
        self.initial = jax.tree.map(jnp.copy, nnx.compat.state(self.model, nnx.Param))

    def loss(self, x: jax.Array):
        return jnp.mean(self.model(x) ** 2)


def trained(rngs: nnx.Rngs, x: jax.Array):
    trainer = Trainer(Net(rngs))
    return trainer.loss(x), trainer.initial


def kept_twice(rngs: nnx.Rngs):
    return nnx.compat.state(Outer(rngs), nnx.Param)


def kept_once(rngs: nnx.Rngs):
    return nnx.state(Single(rngs), nnx.Param)


@nnx.jit(graph=True, graph_updates=False)
def forward(net: Net, x: jax.Array):
    return net(x)


def trains_another(make, rngs: nnx.Rngs):
    return Trainer(make(rngs)).initial
