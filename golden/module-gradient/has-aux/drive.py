import jax.numpy as jnp
import optax
from flax import nnx


def drive(program):
    model = program.Net(nnx.Rngs(0))
    optimizer = nnx.Optimizer(model, optax.adamw(1e-2), wrt=nnx.Param)
    batch = {"x": jnp.arange(6.0).reshape(3, 2), "y": jnp.array([0, 1, 1])}
    steps = [program.train_step(model, optimizer, batch) for _ in range(2)]
    return steps, program.debug_step(model, batch), model, optimizer
