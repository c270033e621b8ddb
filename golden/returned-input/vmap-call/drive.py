import jax.numpy as jnp
from flax import nnx


def drive(program):
    ensemble = program.create(nnx.Rngs(0))
    returned, y = program.forward(ensemble, jnp.arange(6.0).reshape(3, 2))
    return y, returned, ensemble, returned is ensemble
