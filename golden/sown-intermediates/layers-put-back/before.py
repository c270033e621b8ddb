"""Layers that sow under transforms, where capture around the model would not give what pop does."""

import jax
import jax.numpy as jnp
from flax import nnx


class Layer(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)

    def __call__(self, x: jax.Array):
        x = nnx.relu(self.linear(x))
        self.sow(nnx.Intermediate, "hidden", x)
        return x


class Deep(Layer):
    def __init__(self, rngs: nnx.Rngs):
        super().__init__(rngs)
        self.more = nnx.List([nnx.Linear(2, 2, rngs=rngs)])

    def __call__(self, x: jax.Array):
        return super().__call__(self.more[0](x))


class WithLists(nnx.Module):
    """Graph mode cannot take an nnx.List through a transform that is under capture."""

    def __init__(self, rngs: nnx.Rngs):
        self.layers = nnx.split_rngs(splits=3)(nnx.vmap(lambda rngs: Deep(rngs)))(rngs)

    def __call__(self, x: jax.Array):
        run = nnx.scan(lambda x, layer: layer(x), in_axes=(nnx.Carry, 0), out_axes=nnx.Carry)
        return run(x, self.layers)


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.layers = nnx.split_rngs(splits=3)(nnx.vmap(lambda rngs: Layer(rngs)))(rngs)

    def __call__(self, x: jax.Array):
        run = nnx.scan(lambda x, layer: layer(x), in_axes=(nnx.Carry, 0), out_axes=nnx.Carry)
        return run(x, self.layers)


class Handed(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.layers = nnx.split_rngs(splits=3)(nnx.vmap(lambda rngs: Layer(rngs)))(rngs)

    def encode(self, x: jax.Array):
        run = nnx.scan(lambda x, layer: layer(x), in_axes=(nnx.Carry, 0), out_axes=nnx.Carry)
        return run(x, self.layers)


class Caught(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.layers = nnx.split_rngs(splits=3)(nnx.vmap(lambda rngs: Layer(rngs)))(rngs)

    def features(self, x: jax.Array):
        run = nnx.scan(lambda x, layer: layer(x), in_axes=(nnx.Carry, 0), out_axes=nnx.Carry)
        return run(x, self.layers)


def look(model: Caught, x: jax.Array):
    y = model.features(x)
    intermediates = nnx.pop(model, nnx.Intermediate)
    return y, intermediates


def main(x: jax.Array):
    lists = WithLists(nnx.Rngs(0))
    y = lists(x)
    found = [(y, nnx.pop(lists, nnx.Intermediate))]

    twice = Net(nnx.Rngs(1))
    twice(x)
    twice(2 * x)
    found.append(nnx.pop(twice, nnx.Intermediate))

    handed = Handed(nnx.Rngs(2))
    y = handed.encode(x)
    found.append((y, nnx.pop(handed, nnx.Intermediate)))
    for run in (handed.encode, jnp.sin):
        run(x)
    found.append(nnx.pop(handed, nnx.Intermediate))

    caught = Caught(nnx.Rngs(3))
    for each in (x.T, x):
        try:
            found.append(look(caught, each))
        except TypeError:
            continue
    return found, lists, twice, handed, caught
