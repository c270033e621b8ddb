import jax.numpy as jnp
from flax import nnx


def drive(program):
    tied, x = program.Tied(nnx.Rngs(0)), jnp.ones((1, 2))
    results = program.leaves(tied), program.in_a_block(tied), program.doubled(tied), program.decorated(tied, x)
    return results, program.without_a_mode(x), program.plotted(x)
