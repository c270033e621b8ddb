"""The environment's state is a dictionary beside the actor and its Rngs, in one carried tuple."""

import jax
import jax.numpy as jnp
from flax import nnx


class Actor(nnx.Module):
  def __init__(self, rngs: nnx.Rngs):
    self.linear = nnx.Linear(2, 2, rngs=rngs)
    self.calls = nnx.Variable(jnp.array(0))

  def __call__(self, obs):
    self.calls[...] += 1
    return jnp.tanh(self.linear(obs))


def advance(state, action):
  state["obs"] = state["obs"] + action
  state["steps"] = state["steps"] + 1
  return jnp.sum(state["obs"])


@nnx.jit
def evaluate(actor: Actor, rngs: nnx.Rngs, obs: jax.Array):
  def step(carry):
    actor, rngs, state, total = carry
    action = actor(state["obs"]) + rngs.noise.normal((2,))
    reward = advance(state, action)
    return actor, rngs, state, total + reward

  start = {"obs": obs, "steps": jnp.array(0)}
  actor, rngs, state, total = nnx.while_loop(
    lambda carry: carry[2]["steps"] < 3, step, (actor, rngs, start, jnp.array(0.0))
  )
  return total, state
