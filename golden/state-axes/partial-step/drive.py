import jax.numpy as jnp
from flax import nnx


def drive(program):
    policy = program.Policy(nnx.Rngs(0), nnx.relu)
    position, noise = jnp.ones((3, 2)), jnp.arange(24.0).reshape(4, 3, 2)
    seen = [program.rollout(policy, position, noise, 4) for _ in range(2)]
    return seen, policy
