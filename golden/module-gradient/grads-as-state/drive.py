import jax.numpy as jnp
from flax import nnx


def drive(program):
    model = program.Net(nnx.Rngs(0))
    x = jnp.arange(6.0).reshape(3, 2)
    return {
        "sgd": [program.sgd(model, x) for _ in range(2)],
        "inspect": program.inspect(model, x),
        "accumulate": program.accumulate(model, [x, x + 1]),
        "gradients": program.gradients(model, x),
        "model": model,
    }
