import jax.numpy as jnp
import optax
from flax import nnx


def drive(program):
    model = program.Net(nnx.Rngs(0))
    optimizer = nnx.Optimizer(model, optax.sgd(0.1), wrt=nnx.Param)
    x = jnp.arange(6.0).reshape(3, 2)
    settings = {"nondiff": 0.5, "scale": 2.0, "offset": 1.0}
    steps = [program.train_step(model, optimizer, x, settings) for _ in range(2)]
    return steps, model, optimizer
