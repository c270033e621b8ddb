import jax.numpy as jnp
from flax import nnx


def drive(program):
    model = program.CNN(nnx.Rngs(0))
    batch = {"x": jnp.arange(6.0).reshape(3, 2), "y": jnp.ones((3, 3))}
    return program.fit(model, [batch, batch]), model
