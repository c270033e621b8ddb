"""Variables of hijax, which a scan of jax may capture and update."""

import jax
import jax.numpy as jnp
from flax import nnx


def count(steps: int):
    total = nnx.Variable(jnp.array(3.0), hijax=True)

    def body(_, __):
        total[...] = total[...] + 1.0
        return None, None

    jax.lax.scan(body, None, None, length=steps)
    return total[...]
