import jax
import jax.numpy as jnp
from flax import nnx


def drive(program):
    stack = program.Stack(2, nnx.Rngs(0))
    results = [program.forward(stack, jnp.ones((1, 2))) for _ in range(2)]
    shared = jax.tree.leaves(program.params(nnx.Rngs(1))), program.around(nnx.Rngs(2))
    return results, shared, program.tied(nnx.Rngs(3)), program.twice_in_a_dict(nnx.Rngs(4)), program.gradients(nnx.Rngs(5))
