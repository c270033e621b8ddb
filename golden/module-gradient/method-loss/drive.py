import jax.numpy as jnp
import optax
from flax import nnx


def drive(program):
    policy = program.Policy(nnx.Rngs(0))
    optimizer = nnx.Optimizer(policy, optax.sgd(0.05), wrt=nnx.Param)
    trainer = program.Trainer(entropy_cost=0.1)
    obs, actions = jnp.arange(9.0).reshape(3, 3), jnp.array([0, 1, 0])
    infos = [trainer.update(policy, optimizer, obs, actions) for _ in range(3)]
    return infos, policy, optimizer, trainer._loss(policy, obs, actions)
