import jax.numpy as jnp
from flax import nnx


def drive(program):
    models = [program.Net(nnx.Rngs(0)), program.Net(nnx.Rngs(1))]
    x = jnp.arange(6.0).reshape(3, 2)
    holder = program.Holder(program.Net(nnx.Rngs(2)))
    return {
        "list": [program.from_list(models, i, x) for i in (0, 1)],
        "call": program.from_call(3, x),
        "iterators": program.from_iterators(models, [x, x + 1]),
        "property": [program.from_property(holder, x) for _ in range(2)],
        "holder": holder,
        "models": models,
    }
