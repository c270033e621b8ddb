"""Statistics in Variables of which a step returns the values, whatever they were read from."""

import jax.numpy as jnp
from flax import nnx


class Statistic(nnx.Variable):
    pass


class Rollout(nnx.Module):
    def __init__(self, environment, rngs: nnx.Rngs):
        self.environment = environment
        self.policy = nnx.Linear(2, 2, rngs=rngs)
        self.total = Statistic(jnp.zeros(()))
        self.steps = Statistic(jnp.zeros((), jnp.int32))
        self.observation = Statistic(jnp.ones(2))

    def advance(self):
        observation, reward = self.environment.step(self.policy(self.observation[...]))
        self.observation.value = observation
        self.total.value = self.total.value + reward
        self.steps.value = self.steps.value + 1


@nnx.jit
def collect(rollout: Rollout):
    rollout.advance()
    mean = rollout.total.value / rollout.steps.value
    return {"total": rollout.total.value, "mean": mean, "steps": rollout.steps.value}
