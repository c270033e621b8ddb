import jax.numpy as jnp
from flax import nnx


def drive(program):
    model = program.Model(nnx.Rngs(0))
    xs = jnp.arange(6.0).reshape(3, 2)
    calls = [model(xs, train=True), model(xs, train=False)]
    return calls, program.cumulative(xs), program.by_position(xs), model
