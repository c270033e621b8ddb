"""What the ranker does inside: activations, their gradients, and scores that settle under dropout."""

import jax
import jax.numpy as jnp
from flax import nnx


class Probe(nnx.Module):
  """A head that notes what it sees."""

  def __init__(self, features: int, rngs: nnx.Rngs):
    self.linear = nnx.Linear(features, features, rngs=rngs)
    self.dropout = nnx.Dropout(0.1, rngs=rngs)

  def __call__(self, x: jax.Array) -> jax.Array:
    hidden = nnx.relu(self.linear(x))
    self.sow(nnx.Intermediate, "hidden", hidden)
    return self.dropout(hidden)


class Attributor(nnx.Module):
  """A head that can be asked which of its features a score hangs on."""

  def __init__(self, features: int, rngs: nnx.Rngs):
    self.linear = nnx.Linear(features, features, rngs=rngs)
    self.out = nnx.Linear(features, 1, rngs=rngs)

  def __call__(self, x: jax.Array) -> jax.Array:
    hidden = self.perturb("hidden", nnx.relu(self.linear(x)))
    return self.out(hidden)


class Sampler(nnx.Module):
  """A score that is drawn again and again."""

  def __init__(self, features: int, rngs: nnx.Rngs):
    self.linear = nnx.Linear(features, features, rngs=rngs)
    self.dropout = nnx.Dropout(0.1, rngs=rngs)

  def settle(self, x: jax.Array, steps: int) -> jax.Array:
    def step(index, total):
      return total + self.dropout(self.linear(x))

    return nnx.fori_loop(0, steps, step, jnp.zeros_like(x)) / steps


def activations(x: jax.Array):
  """The scores of a fresh probe, and the mean of each thing it noted."""
  probe = Probe(x.shape[-1], nnx.Rngs(0))

  @nnx.jit
  def forward(probe: Probe, x: jax.Array):
    return probe(x)

  scores = forward(probe, x)
  noted = nnx.pop(probe, nnx.Intermediate)
  return scores, jax.tree.map(jnp.mean, noted)


def attributions(x: jax.Array):
  """How much the total score changes with each feature of a fresh head, and with its parameters."""
  model = Attributor(x.shape[-1], nnx.Rngs(0))
  model(x)  # makes the perturbations

  def total(model: Attributor):
    return jnp.sum(model(x))

  wrt = nnx.DiffState(0, (nnx.Param, nnx.Perturbation))
  grads = nnx.grad(total, argnums=wrt)(model)
  param_grads, feature_grads = nnx.state(grads, nnx.Param, nnx.Perturbation)
  nnx.pop(model, nnx.Perturbation)
  return param_grads, feature_grads["hidden"]
