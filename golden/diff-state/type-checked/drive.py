import jax.numpy as jnp
from flax import nnx


def drive(program):
    x, y = jnp.arange(6.0).reshape(3, 2), jnp.ones((3, 1))
    model = program.Net(nnx.Rngs(0))
    optimizer = program.make_optimizer(model)
    step = nnx.jit(program.train_step)
    return [step(model, optimizer, x, y) for _ in range(2)], model, optimizer
