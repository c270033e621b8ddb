import jax.numpy as jnp
from flax import nnx


def drive(program):
    model = program.Net(nnx.Rngs(0))
    loss, stats = program.step(model, jnp.arange(6.0).reshape(3, 2))
    return loss, nnx.to_pure_dict(stats), [nnx.to_pure_dict(s) for s in program.parts(model)["states"]], model
