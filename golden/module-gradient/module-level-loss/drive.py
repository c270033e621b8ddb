import jax.numpy as jnp
import optax
from flax import nnx


def drive(program):
    model = program.Net(nnx.Rngs(7))
    optimizer = nnx.Optimizer(model, optax.sgd(0.05), wrt=nnx.Param)
    x, y = jnp.linspace(0.0, 1.0, 8).reshape(4, 2), jnp.ones((4, 1))
    out = []
    for _ in range(3):
        out.append(program.train_step(model, optimizer, x, y))
        out.append(program.evaluate(model, x, y))
    return out, program.loss_fn(model, x, y), model, optimizer
