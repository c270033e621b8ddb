import jax.numpy as jnp
from flax import nnx


def drive(program):
    x = jnp.arange(4.0).reshape(2, 2)
    model, optimizer = program.create(nnx.Rngs(0))
    losses = [program.train_step(model, optimizer, x) for _ in range(3)]
    return losses, model, program.apart(model, x)
