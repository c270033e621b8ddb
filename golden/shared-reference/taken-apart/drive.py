import jax
from flax import nnx


def drive(program):
    state, same, clone = program.tied(nnx.Rngs(0))
    opaque = program.Opaque()
    values = program.doubled(opaque), opaque.values[0][...]
    leaves = jax.tree.leaves(program.swapped(nnx.Rngs(1)))
    leaves += jax.tree.leaves(program.by_a_private_path(nnx.Rngs(2)))
    return jax.tree.leaves(state), same, clone.left.kernel[...], values, leaves
