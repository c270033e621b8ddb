"""Greedy decoding in a loop over a model whose blocks are scanned, rematerialised, both or neither."""

from functools import partial

import jax
import jax.numpy as jnp
from flax import nnx


@nnx.remat
def checkpointed(block, x):
    return block(x)


class Block(nnx.Module):
    def __init__(self, size: int, rngs: nnx.Rngs):
        self.linear = nnx.Linear(size, size, rngs=rngs)

    def __call__(self, x: jax.Array):
        return x + jnp.tanh(self.linear(x))


class Stack(nnx.Module):
    def __init__(self, size: int, depth: int, scanned: bool, remat: bool, rngs: nnx.Rngs):
        self.scanned = scanned
        self.remat = remat
        if scanned:

            @nnx.split_rngs(splits=depth)
            @nnx.vmap
            def create(rngs: nnx.Rngs):
                return Block(size, rngs)

            self.blocks = create(rngs)
        else:
            self.blocks = nnx.List([Block(size, rngs) for _ in range(depth)])

    def __call__(self, x: jax.Array):
        if not self.scanned:
            for block in self.blocks:
                x = checkpointed(block, x) if self.remat else block(x)
            return x

        def run(x, block):
            return block(x), None

        if self.remat:
            run = nnx.remat(run)
        run = nnx.scan(run, in_axes=(nnx.Carry, 0), out_axes=(nnx.Carry, 0))
        x, _ = run(x, self.blocks)
        return x


class Decoder(nnx.Module):
    def __init__(self, scanned: bool, remat: bool, rngs: nnx.Rngs):
        self.encoder = nnx.Linear(3, 4, rngs=rngs)
        self.stack = Stack(4, 2, scanned, remat, rngs)
        self.decoder = nnx.Linear(4, 3, rngs=rngs)

    def decode(self, x: jax.Array, length: int):
        def step(carry):
            index, x = carry
            x = self.encoder(x)
            x = self.stack(x)
            x = self.decoder(x)  # back to tokens
            return index + 1, x

        out = nnx.while_loop(
            lambda carry: carry[0] < length,
            step,
            (0, x),
        )
        return out[-1]


@partial(nnx.jit, static_argnames=("length",))
def decode(model: Decoder, x: jax.Array, length: int):
    return model.decode(x, length)
