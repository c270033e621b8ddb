"""Objects that several others keep, that keep themselves, or that are stored in two of them."""

import jax
import jax.numpy as jnp
from flax import nnx


class Block(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.rngs = rngs
        self.linear = nnx.Linear(2, 2, rngs=rngs)

    def __call__(self, x):
        return self.linear(x) + jax.random.normal(self.rngs(), x.shape)


class Stack(nnx.Module):
    def __init__(self, depth: int, rngs: nnx.Rngs):
        self.blocks = nnx.List([Block(rngs) for _ in range(depth)])

    def __call__(self, x):
        for block in self.blocks:
            x = block(x)
        return x


class Appended(nnx.Module):
    def __init__(self, depth: int, rngs: nnx.Rngs):
        blocks = []
        for _ in range(depth):
            blocks.append(Block(rngs))
        self.blocks = nnx.List(blocks)


class Ring(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.next = self


@nnx.jit
def forward(stack: Stack, x):
    return stack(x)


def params(rngs: nnx.Rngs):
    return nnx.state(Appended(2, rngs), nnx.Param)


def around(rngs: nnx.Rngs):
    graphdef, state = nnx.split(Ring(rngs))
    return nnx.merge(graphdef, state).next.next.linear.kernel[...]


def tied(rngs: nnx.Rngs):
    encoder, decoder = nnx.Linear(2, 2, rngs=rngs), nnx.Linear(2, 2, rngs=rngs)
    decoder.kernel = encoder.kernel

    def body(i, models):
        one, two = models
        one.kernel[...] += two.kernel[...]
        return one, two

    nnx.fori_loop(0, 2, body, (encoder, decoder))
    return encoder.kernel[...], decoder.kernel[...]


def twice_in_a_dict(rngs: nnx.Rngs):
    layer = nnx.Linear(2, 2, rngs=rngs)
    both = nnx.Dict(x=layer, y=layer)
    return len(jax.tree.leaves(nnx.split(both)[1]))


def gradients(rngs: nnx.Rngs):
    one = nnx.Param(jnp.ones(2))
    two = nnx.Param(jnp.ones(2))
    weights = {"a": [one, two], "b": one}
    grads = nnx.grad(lambda ws: jnp.sum(ws["a"][1][...] * ws["b"][...] ** 2))(weights)
    return jax.tree.leaves(grads)
