import jax.numpy as jnp
from flax import nnx


def drive(program):
    models = [program.Net(3, nnx.Rngs(0)), program.Net(4, nnx.Rngs(1))]
    x = jnp.arange(6.0).reshape(3, 2)
    return {
        "norm": program.norm(models[0], x),
        "norms": program.norms(models[0], [x, x + 1]),
        "all": program.all_gradients(models, x),
        "maybe": [program.maybe(models[0], x, wanted) for wanted in (True, False)],
        "until": program.until_small(models[1], x, 0.0),
        "models": models,
    }
