"""Layers that are dataclasses get their Rngs by the constructor alone, which is no attribute."""

import dataclasses
from dataclasses import InitVar

import jax
import jax.numpy as jnp
from flax import nnx


@dataclasses.dataclass(kw_only=True)
class Layer(nnx.Module):
    size: int
    rngs: InitVar[nnx.Rngs]
    scale: nnx.Param = dataclasses.field(init=False)

    def __post_init__(self, rngs: nnx.Rngs):
        self.scale = nnx.Param(jax.random.normal(rngs.params(), (self.size,)))

    def __call__(self, x):
        return x * self.scale


@dataclasses.dataclass(kw_only=True)
class Noisy(Layer):
    rate: float = 0.5

    def __post_init__(self, rngs: nnx.Rngs):
        super().__post_init__(rngs)
        self.keys = rngs

    def __call__(self, x):
        noise = jax.random.bernoulli(self.keys.noise(), self.rate, x.shape)
        return super().__call__(x) * noise


class Stack(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.rngs = rngs
        self.first = Layer(size=2, rngs=self.rngs)
        self.second = Layer(size=2, rngs=self.rngs)

    def __call__(self, x):
        return self.second(self.first(x)) + jax.random.normal(self.rngs.noise(), x.shape)


class NoisyStack(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.first = Noisy(size=2, rngs=rngs)
        self.second = Noisy(size=2, rngs=rngs)

    def __call__(self, x):
        return self.second(self.first(x))


@nnx.jit
def forward(stack: Stack, x):
    return stack(x)


@nnx.jit(graph=True, graph_updates=False)
def noisy(stack: NoisyStack, x):
    return stack(x)


def main(x):
    stack, other = Stack(nnx.Rngs(0)), NoisyStack(nnx.Rngs(1))
    found = [forward(stack, x), forward(stack, x), noisy(other, x), noisy(other, x)]
    return found, nnx.state(stack), nnx.state(other, graph=True)
