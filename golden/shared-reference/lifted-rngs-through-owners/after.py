"""Layers in encoders in a model: each of them keeps the one Rngs."""

import jax.numpy as jnp
from flax import nnx


class Layer(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)

    def __call__(self, x, *, rngs: nnx.Rngs):
        return self.linear(x) + rngs.noise.normal(x.shape)


class Encoder(nnx.Module):
    def __init__(self, depth: int, rngs: nnx.Rngs):
        self.layers = nnx.List([])
        for _ in range(depth):
            self.layers.append(Layer(rngs))

    def __call__(self, x, *, rngs: nnx.Rngs):
        for layer in self.layers:
            x = layer(x, rngs=rngs)
        return x * rngs.scale.uniform(x.shape)


class Decoder(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.layers = nnx.List([Layer(rngs), Layer(rngs)])

    def __call__(self, x, *, rngs: nnx.Rngs):
        for number, layer in zip(range(2), self.layers):
            x = layer(x, rngs=rngs) - number
        return x


class Model(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.rngs = rngs
        self.encoder = Encoder(2, rngs=rngs)
        self.decoder = Decoder(rngs)

    def __call__(self, x):
        return self.decoder(self.encoder(x, rngs=self.rngs), rngs=self.rngs)


@nnx.jit
def apply(model: Model, x):
    return model(x)


def run(x):
    model = Model(nnx.Rngs(0))
    return [apply(model, x) for _ in range(3)], nnx.state(model, nnx.Param)
