"""Activations of a jitted forward pass, popped after each call."""

import jax
import jax.numpy as jnp
from flax import nnx


class Block(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.norm = nnx.BatchNorm(2, rngs=rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)

    def __call__(self, x: jax.Array):
        y = self.drop(nnx.relu(self.norm(self.linear(x))))
        self.sow(nnx.Intermediate, "activation", y)
        self.sow(
            nnx.Intermediate, "total", y.sum(), init_fn=lambda: 0.0, reduce_fn=lambda a, b: a + b
        )
        return y


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.blocks = nnx.List([Block(rngs.fork()) for _ in range(2)])
        self.head = nnx.Linear(2, 3, rngs=rngs)

    def __call__(self, x: jax.Array):
        for block in self.blocks:
            x = block(block(x))
        return self.head(x)


@nnx.jit  # compiled once
def forward(model: Net, x, scale=1.0):
    return model(x) * scale


def activations(model: Net, x):
    """Output and activations."""
    y = forward(model, x, scale=2.0)
    intermediates = nnx.pop(model, nnx.Intermediate)
    return y, nnx.to_pure_dict(intermediates), intermediates["blocks"][0]["activation"][0]


def run(x):
    model = Net(nnx.Rngs(0))
    found = [activations(model, x + i) for i in range(2)]
    forward(model, x)
    nnx.pop(model, nnx.Intermediate)  # nobody wants these
    model.eval()
    for i in range(2):
        y = forward(model, x + i)
        total = y.sum()
        found.append((total, nnx.to_pure_dict(nnx.pop(model, nnx.Intermediate))))
    return found, model
