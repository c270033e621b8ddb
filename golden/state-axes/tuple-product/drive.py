import jax.numpy as jnp
from flax import nnx


def drive(program):
    models = [program.create(nnx.Rngs(0)), program.create(nnx.Rngs(1))]
    x = jnp.arange(6.0).reshape(3, 2)
    return [
        (program.vote(models, x), program.vote_by_list(models, x), program.vote_by_comprehension(models, x))
        for _ in range(2)
    ], models
