import jax.numpy as jnp
from flax import nnx


def drive(program):
    model = program.Net(nnx.Rngs(0))
    batch = jnp.arange(6.0).reshape(3, 2)
    grads = [program.gradients(batch, model) for _ in range(2)]
    return grads, program.input_gradients(batch, model), model
