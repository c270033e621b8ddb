import jax.numpy as jnp
from flax import nnx


def drive(program):
    model, rngs = program.Noisy(nnx.Rngs(dropout=0)), nnx.Rngs(params=1, dropout=2)
    drawn = [program.sample(model, jnp.ones(8)) for _ in range(2)]
    return drawn, program.per_key(rngs), model, rngs
