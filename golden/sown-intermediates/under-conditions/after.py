"""Activations that are popped where somebody wants them, and thrown away where not."""

import jax
import jax.numpy as jnp
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


def evaluate(model: Net, x: jax.Array, log: bool):
    """Either way nothing stays on the model."""
    y = forward(model, x)
    if log:
        sown = nnx.pop(model, nnx.Intermediate)
        print(jax.tree.map(jnp.mean, sown))
    else:
        nnx.pop(model, nnx.Intermediate)
    return y


def every_other(model: Net, batches):
    history = []
    for step, x in enumerate(batches):
        y = forward(model, x)
        if step % 2 == 0:
            history.append(nnx.to_pure_dict(nnx.pop(model, nnx.Intermediate)))
        elif y.sum() > 0:
            history.append(nnx.pop(model, nnx.Intermediate)["hidden"][0].shape)
        else:
            # not of interest
            nnx.pop(model, nnx.Intermediate)
    return history


def report(x: jax.Array, details: bool):
    """Nobody sees the model again."""
    model = Net(nnx.Rngs(1))
    y = forward(model, x)
    sown = nnx.pop(model, nnx.Intermediate) if details else None
    return y, sown


def attempts(model: Net, inputs):
    found = []
    for x in inputs:
        try:
            y = forward(model, x)
            hidden = nnx.pop(model, nnx.Intermediate)["hidden"]
        except TypeError:  # a wrong shape: nothing is sown then
            continue
        found.append((y, hidden))
    return found


def run(x: jax.Array):
    model = Net(nnx.Rngs(0))
    found = [evaluate(model, x, True), evaluate(model, x, False)]
    found.append(every_other(model, [x, -x, x + 1, x * 2]))
    found.append(attempts(model, [x, x.T, x + 1]))
    return found, report(x, True), report(x, False), model
