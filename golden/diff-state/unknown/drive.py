import jax.numpy as jnp
from flax import nnx


def drive(program):
    model = program.Net(nnx.Rngs(0))
    x = jnp.arange(6.0).reshape(3, 2)
    choices = [0, 1, program.diff_state(nnx.PathContains("kernel"))]
    return [program.gradients(model, x, argnums) for argnums in choices], model
