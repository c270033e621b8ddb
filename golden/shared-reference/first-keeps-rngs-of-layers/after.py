"""Two layers and a list that share one Rngs: the first in the alphabet is where it is listed."""

import jax.numpy as jnp
from flax import nnx


class Noise(nnx.Module):
    def __init__(self, features, rngs):
        self._rngs = rngs  # the one of the model
        self.scale = nnx.Param(jnp.ones(features))

    def __call__(self, x, *, rngs=None):
        rngs = self._rngs if rngs is None else rngs
        return x + rngs.noise.normal(x.shape) * self.scale


class Model(nnx.Module):
    def __init__(self, features, rngs: nnx.Rngs):
        self.outer = Noise(features, rngs)
        self.inner = Noise(features, rngs)
        self.others = nnx.List([])
        for _ in range(2):
            self.others.append(Noise(features, rngs))
        # Only self.inner keeps the Rngs; the others get it at their calls.
        for noise in self.others:
            del noise._rngs
        del self.outer._rngs
        self.features = features

    def __call__(self, x):
        for noise in self.others:
            x = noise(x, rngs=self.inner._rngs)
        return self.outer(self.inner(x, rngs=self.inner._rngs), rngs=self.inner._rngs)


@nnx.jit
def evaluate(model: Model, x):
    return model(x)


def run(x):
    model = Model(2, nnx.Rngs(0))
    graphdef, state = nnx.split(model)
    found = [evaluate(nnx.merge(graphdef, state), x) for _ in range(2)]
    return found, evaluate(model, x), nnx.state(model)
