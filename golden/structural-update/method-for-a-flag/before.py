"""A model that passes its method `train` where a block wants to know whether to train."""

import jax
import jax.numpy as jnp
from flax import nnx


class Block(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)

    def __call__(self, x, train: bool):
        return self.drop(self.linear(x), deterministic=not train)


class Switch(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.block = Block(rngs)

    def __call__(self, x, change):
        change()
        return self.block(x, False)


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.blocks = nnx.List([Block(rngs), Block(rngs)])

    def __call__(self, x):
        for block in self.blocks:
            x = block(x, self.train)
        return x


class Changing(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.switch = Switch(rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)

    def __call__(self, x):
        return self.drop(self.switch(x, self.eval))


@nnx.jit
def train_step(model: Net, x):
    loss, grads = nnx.value_and_grad(lambda m: jnp.mean(m(x) ** 2))(model)
    return loss, jax.tree.leaves(grads)


@nnx.jit
def changed(model: Changing, x):
    return model(x)
