import jax
import jax.numpy as jnp
from flax import nnx


class Head(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)

    def rescale(self, x: jax.Array):
        kernel = self.linear.kernel
        kernel[...] = kernel * jnp.mean(x)
        return self.linear(x)


def rows(head: Head, xs):
    return nnx.scan(Head.rescale, in_axes=(None, 0), out_axes=0)(head, xs)
