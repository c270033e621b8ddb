import jax.numpy as jnp
from flax import nnx


def drive(program):
    model = program.Block(nnx.Rngs(0))
    x = jnp.arange(6.0).reshape(3, 2)
    results = [program.forward(model, x), program.train_step(model, x)]
    return results, program.weights(model, x), model
