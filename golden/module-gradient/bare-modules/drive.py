import jax.numpy as jnp
import optax
from flax import nnx


def drive(program):
    def optimizer_of(model):
        return nnx.Optimizer(model, optax.sgd(0.1), wrt=nnx.Param)

    return program.main(optimizer_of, jnp.arange(6.0).reshape(3, 2))
