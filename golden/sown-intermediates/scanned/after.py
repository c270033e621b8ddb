"""Layers under scan and vmap that sow, popped by whoever scans over them."""

import jax
import jax.numpy as jnp
from flax import nnx


class Penalty(nnx.Variable):
    pass


class Layer(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.norm = nnx.BatchNorm(2, rngs=rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)
        self.parts = nnx.List([nnx.Linear(2, 2, rngs=rngs)])

    def __call__(self, x: jax.Array):
        for part in self.parts:
            x = part(x)
        x = self.drop(nnx.relu(self.norm(self.linear(x))))
        self.sow(
            Penalty, "size", jnp.mean(x**2), init_fn=lambda: 0.0, reduce_fn=lambda a, b: a + b
        )
        return x


def stack(rngs: nnx.Rngs):
    return nnx.split_rngs(splits=3)(nnx.vmap(lambda rngs: Layer(rngs)))(rngs)


@nnx.scan(in_axes=(0, nnx.Carry), out_axes=(nnx.Carry, 0))  # over the layers
def _chain_and_pop(layer: Layer, x):
    x = layer(x)
    return x + layer(x), nnx.clone(nnx.pop(layer, Penalty))


def chain(layer: Layer, x):
    result, sown = _chain_and_pop(layer, x)
    nnx.update(layer, sown)
    return result


def run(layers: Layer, x: jax.Array):
    def body(x, layer: Layer):
        y = layer(x)
        return y, (y.mean(), nnx.clone(nnx.pop(layer, Penalty)))

    x, (means, sown) = nnx.scan(body)(x, layers)
    nnx.update(layers, sown)
    return x, means, nnx.pop(layers, Penalty)


def side_by_side(layers: Layer, x: jax.Array):
    def mapped_fn(x, layer):
        return layer(x), nnx.clone(nnx.pop(layer, Penalty))

    y, sown = nnx.vmap(mapped_fn, in_axes=(None, 0))(x, layers)
    nnx.update(layers, sown)
    return y.sum(0), nnx.pop(layers, Penalty)["size"]


def main(x: jax.Array):
    layers = stack(nnx.Rngs(0))
    y = chain(layers, x)
    found = [(y, nnx.pop(layers, Penalty))]
    for i in range(2):
        found.append(run(layers, x + i))

    others = stack(nnx.Rngs(1))

    def scanned_fn(x, layer):
        return layer(x), nnx.clone(nnx.pop(layer, Penalty))

    last, sown = nnx.scan(scanned_fn, in_axes=(nnx.Carry, 0), out_axes=(nnx.Carry, 0))(x, others)
    nnx.update(others, sown)
    sizes = nnx.pop(others, Penalty)
    return found, side_by_side(stack(nnx.Rngs(2)), x), last, sizes, layers, others
