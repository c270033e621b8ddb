import jax.numpy as jnp
from flax import errors


def drive(program):
    x = jnp.ones(2)
    raising = [
        program.jitted,
        program.mapped,
        program.differentiated,
        program.of_partial,
        program.of_keyword,
        program.of_method,
    ]
    found = []
    for function in raising:
        try:
            function(x)
        except errors.TraceContextError as error:
            found.append(type(error).__name__)
    return found, len(found), program.only_read(x), program.eager(x)
