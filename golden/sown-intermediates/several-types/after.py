"""Activations and norms are types of their own."""

import jax
import jax.numpy as jnp
from flax import nnx


class Activation(nnx.Intermediate):
    pass


class Norm(nnx.Variable):
    pass


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 3, rngs=rngs)
        self.dropout = nnx.Dropout(0.5, rngs=rngs)

    def __call__(self, x: jax.Array):
        y = self.linear(x)
        self.sow(Activation, "hidden", y)
        self.sow(nnx.Intermediate, "mean", jnp.mean(y))
        self.sow(Norm, "norm", jnp.linalg.norm(y))
        return self.dropout(y)


@nnx.jit
def _forward_and_pop(model: Net, x: jax.Array):
    return model(x), nnx.clone(nnx.pop(model, (nnx.Intermediate, Norm)))


def forward(model: Net, x: jax.Array):
    result, sown = _forward_and_pop(model, x)
    nnx.update(model, sown)
    return result


def scores(model: Net, x: jax.Array) -> jax.Array:
    return jnp.sum(forward(model, x))


@nnx.jit
def _predict_and_pop(model: Net, x: jax.Array):
    return model(x), nnx.clone(nnx.pop(model, (nnx.Intermediate, Norm)))


def predict(model: Net, x: jax.Array):
    result, sown = _predict_and_pop(model, x)
    nnx.update(model, sown)
    return result


def run(x: jax.Array):
    model = Net(nnx.Rngs(0))
    score = scores(model, x)
    # What is an Activation is an Intermediate too.
    intermediates, norms = nnx.pop(model, nnx.Intermediate, Norm)

    other = Net(nnx.Rngs(1))
    y = predict(other, x)
    everything = nnx.pop(other, (nnx.Intermediate, Norm))
    z = predict(other, 2 * x)
    hidden, means, norm = nnx.pop(other, Activation, nnx.Intermediate, Norm)
    return score, intermediates, norms, y, everything, z, hidden, means, norm, model, other
