import jax.numpy as jnp
from flax import nnx


def drive(program):
    x = jnp.ones((2, 3))
    stacks = [program.Stack(policy, nnx.Rngs(0)) for policy in (None, "everything_saveable")]
    return [program.forward(stack, x) for stack in stacks], stacks
