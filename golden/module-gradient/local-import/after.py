"""flax is imported where it is needed, to keep start-up short."""

import jax.numpy as jnp


def build(seed: int):
    from flax import nnx

    class Net(nnx.Module):
        def __init__(self, rngs: nnx.Rngs):
            self.linear = nnx.Linear(2, 3, rngs=rngs)
            self.norm = nnx.BatchNorm(3, rngs=rngs)
            self.drop = nnx.Dropout(0.5, rngs=rngs)

        def __call__(self, x):
            return self.drop(self.norm(self.linear(x)))

    return Net(nnx.Rngs(seed))


def run(seed: int, x):
    from flax import nnx as fnx

    class Probe(fnx.Module):
        def __init__(self, rngs):
            self.linear = fnx.Linear(2, 2, rngs=rngs)
            self.drop = fnx.Dropout(0.5, rngs=rngs)

        def __call__(self, x):
            return self.drop(self.linear(x))

    probe = Probe(fnx.Rngs(seed))

    def loss_fn(params, nondiff):
        probe = fnx.merge(graphdef, params, nondiff)
        return jnp.mean(probe(x) ** 2)

    graphdef, params, nondiff = fnx.split(probe, fnx.Param, ...)
    grads = fnx.grad(loss_fn)(params, nondiff)
    return grads, probe
