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
@nnx.capture(Activation, nnx.Intermediate, Norm)
def forward(model: Net, x: jax.Array):
    return model(x)


def scores(model: Net, x: jax.Array) -> tuple[jax.Array, nnx.State, nnx.State, nnx.State]:
    outputs, activations, intermediates, norms = forward(model, x)
    return jnp.sum(outputs), activations, intermediates, norms


@nnx.jit
@nnx.capture(Activation, nnx.Intermediate, Norm)
def predict(model: Net, x: jax.Array):
    return model(x)


def run(x: jax.Array):
    model = Net(nnx.Rngs(0))
    score, activations_2, intermediates_2, norms_2 = scores(model, x)
    # What is an Activation is an Intermediate too.
    intermediates, norms = nnx.merge_state(activations_2, intermediates_2), norms_2

    other = Net(nnx.Rngs(1))
    y, activations_2, intermediates_2, norms_2 = predict(other, x)
    everything = nnx.merge_state(activations_2, intermediates_2, norms_2)
    z, hidden, means, norm = predict(other, 2 * x)
    return score, intermediates, norms, y, everything, z, hidden, means, norm, model, other
