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
def _forward_and_pop(model: Net, x: jax.Array) -> tuple[jax.Array, nnx.State]:
    return model(x), nnx.clone(nnx.pop(model, nnx.Intermediate))


def forward(model: Net, x: jax.Array) -> jax.Array:
    result, sown = _forward_and_pop(model, x)
    nnx.update(model, sown)
    return result


@nnx.jit
def _error_and_pop(net: Net, x, y):
    difference = net(x) - y
    return jnp.mean(difference**2), nnx.clone(nnx.pop(net, nnx.Intermediate))


def error(net: Net, x, y):
    """Mean squared error."""
    result, sown = _error_and_pop(net, x, y)
    nnx.update(net, sown)
    return result


def both_views(model: Net, x):
    first = forward(model, x)
    second = forward(model, -x)
    intermediates = nnx.pop(model, nnx.Intermediate)
    return first, second, nnx.to_pure_dict(intermediates)


def over_batches(model: Net, batches):
    outputs = []
    for x in batches:
        if x.sum() < 0:
            continue
        outputs.append(forward(model, x).sum())
    activations = nnx.to_pure_dict(nnx.pop(model, nnx.Intermediate))
    return outputs, activations


def run(x):
    model = Net(nnx.Rngs(0))
    found = [both_views(model, x), over_batches(model, [x, x[:2], -x, x + 1])]
    found.append(over_batches(model, []))
    forward(model, x)
    forward(model, x)
    nnx.pop(model, nnx.Intermediate)  # nobody wants these

    other = Net(nnx.Rngs(1))
    errors = []
    for i in range(2):
        for scale in (1.0, 2.0):
            errors.append(error(other, x * scale + i, 1.0))
        total = error(other, x, y=2.0)
        sown = nnx.pop(other, nnx.Intermediate)
        found.append((total, sown, sown["blocks"][0]["activation"][-1]))
    return found, errors, model, other
