import jax.numpy as jnp
from flax import nnx


def drive(program):
    model = program.create(nnx.Rngs(0))
    x = jnp.arange(6.0).reshape(3, 2)
    out = [program.run(model, x), program.run(model, x)]
    out.append(program.forward(model, x, 2.0))
    return out, model
