"""Activations of several jitted forward passes, popped together."""

import jax
import jax.numpy as jnp
from flax import nnx


class Block(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.norm = nnx.BatchNorm(2, rngs=rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)

    def __call__(self, x: jax.Array, wide: bool = False):
        y = self.drop(nnx.relu(self.norm(self.linear(x))))
        self.sow(nnx.Intermediate, "activation", y)
        if wide:
            self.sow(nnx.Intermediate, "wide", y, reduce_fn=lambda a, b: a + b, init_fn=lambda: 0.0)
        return y


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.blocks = nnx.List([Block(rngs.fork()) for _ in range(2)])
        self.head = nnx.Linear(2, 3, rngs=rngs)

    def __call__(self, x: jax.Array):
        for block in self.blocks:
            x = block(block(x), wide=x.shape[0] > 2)
        return self.head(x)


@nnx.jit
def forward(model: Net, intermediates: nnx.State, x: jax.Array) -> tuple[jax.Array, nnx.State]:
    return nnx.capture(model, nnx.Intermediate, init=intermediates)(x)


@nnx.jit
def error(net: Net, intermediates: nnx.State, x, y):
    """Mean squared error."""
    model_y, new_intermediates = nnx.capture(net, nnx.Intermediate, init=intermediates)(x)
    difference = model_y - y
    return jnp.mean(difference**2), new_intermediates


def both_views(model: Net, x):
    intermediates = nnx.State({})
    first, intermediates = forward(model, intermediates, x)
    second, intermediates = forward(model, intermediates, -x)
    return first, second, nnx.to_pure_dict(intermediates)


def over_batches(model: Net, batches):
    outputs = []
    intermediates = nnx.State({})
    for x in batches:
        if x.sum() < 0:
            continue
        outputs_2, intermediates = forward(model, intermediates, x)
        outputs.append(outputs_2.sum())
    activations = nnx.to_pure_dict(intermediates)
    return outputs, activations


def run(x):
    model = Net(nnx.Rngs(0))
    found = [both_views(model, x), over_batches(model, [x, x[:2], -x, x + 1])]
    found.append(over_batches(model, []))
    intermediates = nnx.State({})
    _, intermediates = forward(model, intermediates, x)
    _, intermediates = forward(model, intermediates, x)
    # nobody wants these

    other = Net(nnx.Rngs(1))
    errors = []
    for i in range(2):
        sown = nnx.State({})
        for scale in (1.0, 2.0):
            outputs, sown = error(other, sown, x * scale + i, 1.0)
            errors.append(outputs)
        total, sown = error(other, sown, x, y=2.0)
        found.append((total, sown, sown["blocks"][0]["activation"][-1]))
    return found, errors, model, other
