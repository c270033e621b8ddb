"""Stages of an encoder are made by nnx.Module(), and lie in lists beside layers that are called."""

import jax
import jax.numpy as jnp
from flax import nnx


class Block(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)

    def __call__(self, x):
        return jnp.tanh(self.drop(self.linear(x)))


class Encoder(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.down = nnx.Sequential()
        for _ in range(2):
            blocks = nnx.Sequential()
            for _ in range(2):
                blocks.layers.append(Block(rngs))
            stage = nnx.Module()
            stage.block = blocks
            stage.downsample = nnx.Linear(2, 2, rngs=rngs)
            self.down.layers.append(stage)
        self.middle = nnx.Module()
        self.middle.block = Block(rngs)

    def __call__(self, x):
        for stage in self.down.layers:
            for block in stage.block.layers:
                x = block(x)
            x = stage.downsample(x)
        return self.middle.block(x)


def loss_fn(encoder: Encoder, x):
    return jnp.mean(encoder(x) ** 2)


def train_step(encoder: Encoder, optimizer: nnx.Optimizer, x):
    loss, grads = nnx.value_and_grad(loss_fn)(encoder, x)
    optimizer.update(encoder, grads)
    return loss


@nnx.jit
def forward(encoder: Encoder, x):
    return encoder(x)


def main(optimizer_of, x):
    encoder = Encoder(nnx.Rngs(0))
    optimizer = optimizer_of(encoder)
    losses = [train_step(encoder, optimizer, x) for _ in range(3)]
    return losses, forward(encoder, x), jax.tree.leaves(nnx.state(encoder))
