import jax.numpy as jnp
from flax import nnx


def drive(program):
    model = program.Net(3, nnx.Rngs(0))
    xs = jnp.arange(6.0).reshape(3, 2)
    out = [(program.forward(model, xs), program.forward_by_path(model, xs)) for _ in range(2)]
    return out, model
