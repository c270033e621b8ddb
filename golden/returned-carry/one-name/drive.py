import jax.numpy as jnp
from flax import nnx


def drive(program):
    xs = jnp.arange(6.0).reshape(3, 2)
    model = program.Net(nnx.Rngs(0))
    first = program.same_name(xs)
    return first, program.both_read(model, xs), program.in_place(model, xs[0]), model
