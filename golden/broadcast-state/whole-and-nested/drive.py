import jax.numpy as jnp
from flax import nnx


def drive(program):
    model, xs = program.Noisy(nnx.Rngs(0)), jnp.arange(6.0).reshape(3, 2)
    return model.iterate(xs), program.samples(model, xs), program.pairs(model, xs), model
