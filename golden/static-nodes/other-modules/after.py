"""A walk over a model that puts other Modules in the place of some of its Modules."""

import jax.numpy as jnp
from flax import nnx


class Scaled(nnx.Module):
    def __init__(self, inner: nnx.Linear, rngs: nnx.Rngs):
        self.inner = inner
        self.scale = nnx.Param(rngs.normal((1,)))

    def __call__(self, x):
        return self.inner(x) * self.scale


class Block(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.rate = 3
        self.up = nnx.Linear(2, 2, rngs=rngs)
        self.down = nnx.Linear(2, 2, rngs=rngs)

    def __call__(self, x):
        return self.down(nnx.relu(self.up(x))) / self.rate


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.blocks = nnx.List([Block(rngs) for _ in range(11)])
        self.last = nnx.Linear(2, 1, rngs=rngs)

    def __call__(self, x):
        for block in self.blocks:
            x = x + block(x)
        return self.last(x)


def adapted(model: Net, rngs: nnx.Rngs):
    def lora(path, node):
        """A small layer beside each linear one."""
        if isinstance(node, nnx.Linear):
            return nnx.LoRA(node.in_features, 2, node.out_features, base_module=node, rngs=rngs)
        return node

    return nnx.recursive_map(lora, model)


def scaled(model: Net, rngs: nnx.Rngs):
    def scale(path, node):
        if isinstance(node, nnx.Linear) and path[-1] != "last":
            return Scaled(node, rngs)
        if isinstance(node, nnx.Param):
            node[...] *= 2
        return node

    return nnx.recursive_map(scale, model)


def main(x: jnp.ndarray):
    model = Net(nnx.Rngs(0))
    first = adapted(model, nnx.Rngs(1))
    second = scaled(model, nnx.Rngs(2))
    return first(x), second(x), model(x), first, second, model
