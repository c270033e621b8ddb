import jax.numpy as jnp
from flax import nnx


def drive(program):
    model, total = program.Net(nnx.Rngs(0)), nnx.Variable(jnp.zeros(2))
    xs = jnp.arange(6.0).reshape(3, 2)
    return program.outputs(model, xs), program.totals(total, xs), model, total
