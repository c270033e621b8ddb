import jax.numpy as jnp
from flax import nnx


def drive(program):
    model = program.Net(nnx.Rngs(0, dropout=1))
    xs = jnp.arange(8.0).reshape(4, 2)
    out = [(program.per_example(model, xs), program.loss(model, xs)) for _ in range(2)]
    return out, model
