import jax.numpy as jnp
import optax
from flax import nnx


def drive(program):
    model = program.Net(nnx.Rngs(0))
    optimizer = nnx.Optimizer(model, optax.adam(1e-2), wrt=nnx.Param)
    x, y = jnp.arange(12.0).reshape(4, 3), jnp.ones((4, 2))
    steps = [program.train_step(model, optimizer, x, y) for _ in range(2)]
    return steps, program.loss_and_grad(model, x, y), model, optimizer
