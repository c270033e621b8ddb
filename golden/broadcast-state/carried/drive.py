import jax.numpy as jnp
from flax import nnx


def drive(program):
    model, xs = program.Noisy(nnx.Rngs(0)), jnp.arange(6.0).reshape(3, 2)
    _, ys = program.step(model, xs)
    stacked = program.layers(nnx.Rngs(1))
    return ys, program.through(stacked, xs), model, stacked
