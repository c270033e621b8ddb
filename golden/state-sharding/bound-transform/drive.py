import jax.numpy as jnp
from flax import nnx


def drive(program):
    model = program.Net(nnx.Rngs(0))
    x = jnp.arange(8.0).reshape(4, 2)
    return program.evaluate(model, [x, x + 1]), model
