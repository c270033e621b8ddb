import jax.numpy as jnp
from flax import nnx


class Inner(nnx.Module):
    def __init__(self):
        self.inner = nnx.Param(jnp.array(2.0))


def drive(program):
    scale, model = nnx.Param(jnp.array(0.3)), Inner()
    value = program.squashed(scale, model)
    grad = nnx.grad(lambda scale, model: program.squashed(scale, model))(scale, model)
    return value, grad[...], scale, model
