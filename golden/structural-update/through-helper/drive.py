import jax.numpy as jnp
from flax import nnx


def drive(program):
    model = program.Net(rngs=nnx.Rngs(0))
    x = jnp.arange(6.0).reshape(3, 2)
    trained = program.train_step(model, x)
    return trained, program.eval_step(model, x), program.train_step(model, x), model
