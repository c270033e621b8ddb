"""The objects that the whole program works on."""

import jax
import jax.numpy as jnp
import optax
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.calls = nnx.Variable(jnp.array(0))

    def __call__(self, x: jax.Array):
        self.calls[...] += 1
        return self.linear(x)


net = Net(nnx.Rngs(0))
plain = nnx.Linear(2, 2, rngs=nnx.Rngs(1))
optimizer = nnx.Optimizer(plain, optax.sgd(0.1), wrt=nnx.Param)
rngs = nnx.Rngs(2)
