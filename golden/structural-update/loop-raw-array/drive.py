import jax.numpy as jnp
from flax import nnx


def drive(program):
    model = program.Filter(nnx.Rngs(0))
    x = jnp.arange(2.0)
    return program.run(model, x), [program.choose(i, model, x) for i in (0, 1, 1)], model
