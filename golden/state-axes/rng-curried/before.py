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
    state_axes = nnx.StateAxes({nnx.RngState: 0, ...: None})
    return nnx.split_rngs(splits=self.n)(
        nnx.vmap(
            lambda policy, obs, scale: policy(obs, scale),  # one key each
            in_axes=(state_axes, 0, None),
        )
    )(self.policy, obs, 2.0)
