import jax
import jax.numpy as jnp
from flax import nnx


class Block(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)

    @nnx.compat.remat(static_argnums=(2,))
    def __call__(self, x: jax.Array, train: bool):
        y = self.linear(x)
        return self.drop(y) if train else y


class Model(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.block = Block(rngs)

    def __call__(self, x: jax.Array, *, train: bool):
        return self.block(x, train=train)


def cumulative(xs: jax.Array):
    @nnx.scan(in_axes=(nnx.Carry, 0), out_axes=(nnx.Carry, 0))
    def body(total, x):
        total = total + x
        return total, total

    return body(jnp.zeros(2), xs)


def by_position(xs: jax.Array):
    @nnx.scan(in_axes=(nnx.Carry, 0), out_axes=(nnx.Carry, 0))
    def body(total, x):
        return total + x, total

    return body(jnp.zeros(2), xs)
