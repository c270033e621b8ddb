import jax.numpy as jnp
import optax
from flax import nnx


def drive(program):
    model = program.MLP(2, 3, 2, rngs=nnx.Rngs(0))
    optimizer = nnx.Optimizer(model, optax.adam(1e-2), wrt=nnx.Param)
    x, y = jnp.arange(6.0).reshape(3, 2), jnp.ones((3, 2))
    return [program.train_step(model, optimizer, x, y) for _ in range(2)], model, optimizer
