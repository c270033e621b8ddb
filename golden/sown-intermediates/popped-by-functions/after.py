"""Functions of the file pop what is sown, for those who call the model."""

import jax
import jax.numpy as jnp
import optax
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 3, rngs=rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)

    def __call__(self, x: jax.Array):
        y = self.drop(self.linear(x))
        self.sow(nnx.Intermediate, "hidden", y)
        return nnx.relu(y)


@nnx.jit
def _forward_and_pop(model: Net, x: jax.Array):
    return model(x), nnx.clone(nnx.pop(model, nnx.Intermediate))


def forward(model: Net, x: jax.Array):
    result, sown = _forward_and_pop(model, x)
    nnx.update(model, sown)
    return result


def collect(model: Net) -> nnx.State:
    """All activations."""
    return nnx.pop(model, nnx.Intermediate)


def clear(model: Net) -> None:
    nnx.pop(model, nnx.Intermediate)


def log_activations(model: Net, step: int, history: dict[int, jax.Array]) -> None:
    """Notes how far they spread."""
    sown = nnx.pop(model, nnx.Intermediate)
    history[step] = jnp.std(sown["hidden"][0])


def activations(model: Net, x: jax.Array):
    y = forward(model, x)
    hidden = collect(model)
    return y, hidden


def predict(model: Net, x: jax.Array):
    y = forward(model, x)
    clear(model)
    return y


def train(model: Net, optimizer: nnx.Optimizer, batches):
    history: dict[int, jax.Array] = {}

    def loss_fn(params: nnx.State, nondiff: nnx.State, x: jax.Array):
        model = nnx.merge(graphdef, params, nondiff)
        return jnp.mean(model(x) ** 2), nnx.clone(nnx.pop(model, nnx.Intermediate))

    for step, x in enumerate(batches):
        graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)
        (loss, sown), grads = nnx.value_and_grad(loss_fn, has_aux=True)(params, nondiff, x)
        nnx.update(model, sown)
        optimizer.update(model, grads)
        log_activations(model, step, history)
    return history


def run(x: jax.Array):
    model = Net(nnx.Rngs(0))
    optimizer = nnx.Optimizer(model, optax.sgd(0.1), wrt=nnx.Param)
    history = train(model, optimizer, [x, -x])
    return activations(model, x), predict(model, x), history, model, optimizer
