"""Flax by the names of its own modules: transforms, graph utilities, contexts."""

import jax
import jax.numpy as jnp
from flax import nnx
from flax.nnx import extract, graph
from flax.nnx.transforms import compilation
from flax.nnx.transforms.autodiff import value_and_grad as differentiate


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)

    def __call__(self, x):
        return self.drop(self.linear(x))


@nnx.compat.jit
def remember(net: Net, x):
    net.seen = nnx.Variable(x)
    return net(x)


def loss_and_grads(net: Net, x):
    graphdef, params, nondiff = nnx.split(net, nnx.Param, ...)
    return differentiate(lambda params, nondiff: nnx.merge(graphdef, params, nondiff)(x).sum())(
        params, nondiff
    )


def references(net: Net):
    found = graph.RefMap()
    nnx.compat.flatten(net, ref_index=found)
    return len(found)


@nnx.update_context("step")
def by_hand(net: Net, x):
    with nnx.split_context("step") as context:
        graphdef, state = context.split(net)

    @jax.jit
    def inner(graphdef, state):
        with nnx.merge_context("step", True) as context:
            net = context.merge(graphdef, state)
        y = net(x)
        with nnx.split_context("step") as context:
            return y, context.split(net)

    y, (graphdef, state) = inner(graphdef, state)
    with nnx.merge_context("step", False) as context:
        context.merge(graphdef, state)
    return y


def there_and_back(net: Net):
    return nnx.state(extract.from_tree(extract.to_tree(net)), nnx.Param)
