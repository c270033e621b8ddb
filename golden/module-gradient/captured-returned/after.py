"""A loss that returns a Variable from around it beside its value."""

import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)


def gradients(net: Net, teacher: Net, x):
    def loss(net):
        return ((net.linear(x) - teacher.linear(x)) ** 2).mean(), teacher.linear.kernel

    grads, kernel = nnx.compat.grad(loss, has_aux=True)(net)
    return nnx.state(grads, nnx.Param), kernel[...]
