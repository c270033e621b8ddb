import jax.numpy as jnp
from flax import nnx


class Pendulum:
    def step(self, action):
        return jnp.sin(action), jnp.sum(action)


def drive(program):
    rollout = program.Rollout(Pendulum(), nnx.Rngs(0))
    return [program.collect(rollout) for _ in range(3)], rollout
