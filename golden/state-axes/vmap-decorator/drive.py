import jax.numpy as jnp
from flax import nnx


def drive(program):
    model = program.create(nnx.Rngs(0))
    x = jnp.arange(6.0).reshape(3, 2)
    xs = jnp.arange(24.0).reshape(4, 3, 2)
    out = [(program.forward(model, x), program.forward_each(model, xs)) for _ in range(2)]
    return out, model
