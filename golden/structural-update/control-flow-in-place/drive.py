import jax.numpy as jnp
from flax import nnx


def drive(program):
    model = program.Counter(nnx.Rngs(0))
    x = jnp.arange(2.0)
    found = [program.loops(model, x)]
    found += [program.branches(jnp.array(flag), model, x) for flag in (True, False)]
    return found, model
