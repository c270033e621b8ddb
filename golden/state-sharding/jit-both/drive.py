import jax
import jax.numpy as jnp
from flax import nnx


def drive(program):
    model = program.Net(nnx.Rngs(0))
    x = jnp.arange(8.0).reshape(4, 2)
    y, other = program.branch(model, x)
    again = program.branch(other, x)
    return y, model, other, again, other.linear.kernel[...].sharding, other.norm.mean[...].sharding
