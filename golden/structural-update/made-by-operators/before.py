"""Models that operators put together, and parts that a class gives by subscripts and loops."""

import jax.numpy as jnp
from flax import nnx


class Layer(nnx.Module):
    def __init__(self, scale):
        self.w = nnx.Param(jnp.full(2, scale))
        self.calls = 0

    def __rshift__(self, other):
        return Chain([self, other])

    def __call__(self, x):
        self.calls += 1
        return x * self.w[...]


class Chain(nnx.Module):
    def __init__(self, layers):
        self.layers = nnx.List(layers)

    def __call__(self, x):
        for layer in self:
            x = layer(x)
        return x

    def __getitem__(self, index):
        return self.layers[index]

    def __iter__(self):
        yield from self.layers

    def __lshift__(self, value):
        self.layers[0].w[...] = value
        return self


class Quiet(nnx.Module):
    def __init__(self):
        self.w = nnx.Param(jnp.ones(2))

    def __call__(self, x):
        self.w[...] += 1
        return x * self.w[...]

    def __rshift__(self, other):
        return Quiet()


@nnx.jit
def forward(model, x):
    return model(x)


@nnx.jit
def first(chain: Chain, x):
    return chain[0](x)


@nnx.jit
def given_back(chain: Chain, x):
    filled = chain << x
    filled.filled = True


@nnx.jit
def quietly(model, x):
    return model(x)


def run(x):
    model = Layer(2.0) >> Layer(3.0)
    found = forward(model, x), first(model, x), given_back(model, x)
    counted = [layer.calls for layer in model], hasattr(model, "filled")
    quiet = Quiet() >> Quiet()
    return found, counted, quietly(quiet, x), quiet.w[...]
