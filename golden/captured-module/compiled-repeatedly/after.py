"""Training steps that capture what they update, called in a loop: with --unsafe they are given it."""

import jax
import jax.numpy as jnp
import optax
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)

    def __call__(self, x: jax.Array):
        return self.drop(self.linear(x))


def train(net: Net, optimizer: nnx.Optimizer, batches: jax.Array):
    @nnx.jit
    def train_step(x: jax.Array, net, optimizer):
        def loss_fn(params: nnx.State, nondiff: nnx.State):
            net = nnx.merge(graphdef, params, nondiff)
            return jnp.mean((net(x) - x) ** 2)

        graphdef, params, nondiff = nnx.split(net, nnx.Param, ...)
        loss, grads = nnx.value_and_grad(loss_fn)(params, nondiff)
        optimizer.update(net, grads)
        return loss

    losses = []
    for x in batches:
        losses.append(train_step(x, net, optimizer))
    return losses


def main():
    net = Net(nnx.Rngs(0))
    optimizer = nnx.Optimizer(net, optax.adam(0.1), wrt=nnx.Param)
    return train(net, optimizer, jnp.ones((3, 4, 2))), net, optimizer
