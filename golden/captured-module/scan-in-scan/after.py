"""Layers that are scanned, in a model that a scan over steps captures."""

import jax
import jax.numpy as jnp
from flax import nnx


class Block(nnx.Module):
    def __init__(self, width: int, rngs: nnx.Rngs):
        self.weight = nnx.Param(jax.random.normal(rngs.params(), (width, width)) / width)

    def __call__(self, x: jax.Array):
        return jnp.tanh(self.weight[...] @ x)


class Tower(nnx.Module):
    def __init__(self, width: int, depth: int, rngs: nnx.Rngs):
        @nnx.split_rngs(splits=depth)
        @nnx.vmap(out_axes=0)
        def create(rngs: nnx.Rngs):
            return Block(width, rngs)

        self.blocks = create(rngs)

    def __call__(self, x: jax.Array):
        @nnx.scan(in_axes=(0, nnx.Carry), out_axes=nnx.Carry)
        def run(block: Block, x: jax.Array):
            return block(x)

        return run(self.blocks, x)


class Rematerialised(Tower):
    def __call__(self, x: jax.Array):
        def run(x: jax.Array, block: Block):
            return block(x), None

        x, _ = nnx.scan(nnx.remat(run))(x, self.blocks)
        return x


def repeat(tower: Tower, x: jax.Array, steps: int):
    @nnx.scan(in_axes=(nnx.Carry, None), out_axes=nnx.Carry, length=steps)
    def step(x: jax.Array, tower):
        return tower(x)

    return step(x, tower)


def gradient(tower: Tower, x: jax.Array, steps: int):
    def loss_fn(params: nnx.State, nondiff: nnx.State):
        tower = nnx.merge(graphdef, params, nondiff)
        return jnp.sum(repeat(tower, x, steps) ** 2)

    graphdef, params, nondiff = nnx.split(tower, nnx.Param, ...)
    return nnx.value_and_grad(loss_fn)(params, nondiff)


def two_calls(tower: Tower, x: jax.Array):
    """Nothing is captured; graph mode copies all layers where the scan over them rematerialises."""
    return tower(tower(x))


def input_gradient(tower: Tower, x: jax.Array):
    return nnx.grad(lambda x, tower: jnp.sum(two_calls(tower, x) ** 2))(x, tower)
