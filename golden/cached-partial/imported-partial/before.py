from functools import partial

import jax.numpy as jnp
from flax import nnx
from flax.nnx import cached_partial


class Counter(nnx.Module):
    def __init__(self):
        self.weight = nnx.Param(jnp.array(2.0))
        self.calls = nnx.Variable(jnp.array(0))

    def __call__(self, x):
        self.calls[...] += 1
        return x * self.weight


@partial(nnx.jit, static_argnums=2)
def run(counter: Counter, x, times: int):
    for _ in range(times):
        x = counter(x)
    return x


def twice(counter: Counter, x):
    bound = cached_partial(run, counter)
    return bound(bound(x, 2), 1)
