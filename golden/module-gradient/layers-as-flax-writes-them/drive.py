import jax.numpy as jnp
import optax
from flax import nnx


def drive(program):
    model = program.Dense(2, 2, rngs=nnx.Rngs(0))
    optimizer = nnx.Optimizer(model, optax.sgd(0.1), wrt=nnx.Param)
    x = jnp.arange(6.0).reshape(3, 2)
    losses = [program.train_step(model, optimizer, x) for _ in range(2)]
    return losses, program.operands_of(model.kernel[...], x), model, optimizer
