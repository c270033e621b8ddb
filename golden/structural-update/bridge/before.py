"""Linen modules in NNX: initialised in a transform, updated in one, and only called in one."""

import flax.linen as nn
import jax.numpy as jnp
from flax import nnx
from flax.nnx import bridge


class Norm(nn.Module):
    @nn.compact
    def __call__(self, x):
        return nn.BatchNorm(use_running_average=False)(x)


def normed(x):
    model = bridge.lazy_init(bridge.ToNNX(Norm(), rngs=nnx.Rngs(0)), x)

    @nnx.jit
    def step(model, x):
        return model(x, mutable=["batch_stats"])

    return step(model, x), nnx.state(model, nnx.BatchStat)


def built(x):
    model = bridge.ToNNX(nn.Dense(2), rngs=nnx.Rngs(0))

    @nnx.jit
    def build(model, x):
        bridge.lazy_init(model, x)
        return model(x)

    return build(model, x), hasattr(model, "kernel")


class Net(nnx.Module):
    def __init__(self, x, rngs: nnx.Rngs):
        self.dense = nnx.bridge.ToNNX(nn.Dense(2), rngs=rngs).lazy_init(x) is None
        self.inner = bridge.ToNNX(nn.Dense(2), rngs=rngs)
        self.inner.lazy_init(x)

    def __call__(self, x, mutable=False):
        return self.inner(x, mutable=mutable)


def called(x):
    model = Net(x, nnx.Rngs(0))

    @nnx.jit
    def forward(model, x):
        return model(x)

    return forward(model, x)
