import jax.numpy as jnp
import optax
from flax import nnx


def drive(program):
    model = program.Experts(nnx.Rngs(0))
    optimizer = nnx.Optimizer(model, optax.adam(0.1), wrt=nnx.Param)
    step = program.make_step(lambda y, balance: jnp.mean(y**2) + sum(balance))
    x = jnp.arange(6.0).reshape(3, 2)
    seen = []
    for _ in range(3):
        seen.append(program.train_step(model, optimizer, x))
        seen.append(step(model, optimizer, x))
    seen.append(program.evaluate(model, x))
    seen.append(model(x))  # what is left behind all steps is no matter
    return seen, model, optimizer
