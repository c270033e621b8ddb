import jax.numpy as jnp
from flax import nnx


def drive(program):
  actor, rngs = program.Actor(nnx.Rngs(0)), nnx.Rngs(noise=1)
  first = program.evaluate(actor, rngs, jnp.ones((2,)))
  second = program.evaluate(actor, rngs, first[1]["obs"])
  return first, second, actor, rngs
