"""A Module that replaces a Variable, in a program that takes States of it."""

import jax
import jax.numpy as jnp
from flax import nnx


class Loss(nnx.Variable):
    pass


class Gaussian(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(4, 4, rngs=rngs)
        self.kl = Loss(jnp.array(1e10))

    def __call__(self, x):
        mean, logvar = jnp.split(self.linear(x), 2, axis=-1)
        self.kl = Loss(jnp.mean(jnp.exp(logvar) + mean**2 - 1.0 - logvar))
        return mean


@nnx.jit
def forward(model: Gaussian, x):
    y = model(x)
    terms = nnx.state(model, Loss)
    return y, sum(jax.tree.leaves(terms), 0.0)


def run(x):
    model = Gaussian(nnx.Rngs(0))
    y, divergence = forward(model, x)
    graphdef, state = nnx.split(model)
    return y, divergence, model, nnx.merge(graphdef, state)(x)
