import jax.numpy as jnp
import optax
from flax import nnx


def drive(program):
    policy = program.make_policy(0)
    optimizer = nnx.Optimizer(policy, optax.sgd(0.1), wrt=nnx.Param)
    x = jnp.arange(6.0).reshape(3, 2)
    return [program.train_step(policy, optimizer, x) for _ in range(2)], policy, optimizer
