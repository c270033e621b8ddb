import jax.numpy as jnp
from flax import nnx


def drive(program):
    x = jnp.ones((3, 2))
    caster, scaled, stacked = [
        cls(nnx.Rngs(0)) for cls in (program.Caster, program.Scaled, program.Stacked)
    ]
    outputs = [program.cast(caster, x), program.either(scaled, x), program.stacked(stacked, x)]
    leaves, merged = program.leaves(scaled)
    grads = program.slope(caster, x)
    return outputs, leaves, merged.settings, merged(x), grads.linear.kernel[...]
