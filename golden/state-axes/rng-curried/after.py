"""Environments stepped in parallel with one policy."""

import jax
import jax.numpy as jnp
from flax import nnx


class Policy(nnx.Module):
  def __init__(self, rngs: nnx.Rngs):
    self.linear = nnx.Linear(2, 2, rngs=rngs)
    self.drop = nnx.Dropout(0.5, rngs=rngs)

  def __call__(self, obs: jax.Array, scale: float):
    return self.drop(self.linear(obs)) * scale


class Runner:
  def __init__(self, seed: int, n: int):
    self.policy = Policy(nnx.Rngs(seed))
    self.n = n

  def act(self, obs: jax.Array):
    # one key each
    def vmapped_fn(policy, obs, scale):
      graphdef, rng_state, rest = nnx.split(policy, nnx.RngState, ...)

      @nnx.vmap(in_axes=(0, None, 0, None))
      def vmapped_fn_of_state(rng_state, rest, obs, scale):
        policy = nnx.merge(graphdef, rng_state, rest)
        return policy(obs, scale)

      return vmapped_fn_of_state(rng_state, rest, obs, scale)

    return nnx.split_rngs(splits=self.n)(vmapped_fn)(self.policy, obs, 2.0)
