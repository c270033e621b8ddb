import jax.numpy as jnp
from flax import nnx


def drive(program):
    model = program.Stack(3, rngs=nnx.Rngs(0))
    x = jnp.arange(8.0).reshape(4, 2)
    return [model(x) for _ in range(2)], model, model.layers.kernel.out_sharding
