import jax.numpy as jnp
from flax import nnx


def drive(program):
    x = jnp.ones((3, 2))
    found = [
        program.mixed(program.Mixed(nnx.Rngs(0)), x),
        program.leaf(program.Leaf(), x),
        program.below(program.Below(nnx.Rngs(1)), x),
        program.forward(program.with_scale(), x),
        program.refused(program.Refused(), x),
    ]
    return found, program.names({"a": program.Leaf()}), program.is_refused()
