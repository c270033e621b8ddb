import jax.numpy as jnp
import optax
from flax import nnx


def drive(program):
    model = program.Net(nnx.Rngs(0))
    optimizer = nnx.Optimizer(model, optax.sgd(0.1), wrt=nnx.Param)
    x = jnp.arange(6.0).reshape(3, 2)
    return program.train(model, optimizer, [x, x + 1]), model, optimizer
