import jax
import jax.numpy as jnp
from flax import nnx


def drive(program):
    model = program.create(3)
    placement = jax.tree.map(lambda leaf: leaf.sharding, nnx.to_pure_dict(nnx.state(model)))
    return model, placement, model(jnp.arange(8.0).reshape(4, 2))
