import jax.numpy as jnp
from flax import nnx


def drive(program):
    model = program.Tied(nnx.Rngs(0))
    x = jnp.ones((1, 2))
    found = [program.described(model, x), program.doubled(model), program.copied(model)]
    found += [program.switched(model), program.trained(model, x)]
    program.averaged(model)
    found.append(program.abstract_size())
    return found, model.encode.kernel[...], model.decode is model.encode
