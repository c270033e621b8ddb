"""Losses that collect what their model sows: with a Module, and with a function of it."""

import jax
import jax.numpy as jnp
import optax
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 3, rngs=rngs)
        self.norm = nnx.BatchNorm(3, rngs=rngs)

    def __call__(self, x: jax.Array):
        h = self.norm(self.linear(x))
        self.sow(nnx.Intermediate, "hidden", jnp.abs(h).mean())
        return h


def twice(net: Net, x: jax.Array):
    return net(x) + net(2 * x)


@nnx.jit
def train_step(net: Net, optimizer: nnx.Optimizer, x: jax.Array):
    def loss_fn(params: nnx.State, nondiff: nnx.State):
        net = nnx.merge(graphdef, params, nondiff)
        y, intermediates = nnx.capture(net, nnx.Intermediate)(x)
        return jnp.mean(y**2) + sum(jax.tree.leaves(intermediates))

    graphdef, params, nondiff = nnx.split(net, nnx.Param, ...)
    loss, grads = nnx.value_and_grad(loss_fn)(params, nondiff)
    optimizer.update(net, grads)
    return loss


def twice_loss(net: Net, x: jax.Array):
    y, intermediates = nnx.capture(twice, nnx.Intermediate)(net, x)
    return jnp.mean(y**2), nnx.to_pure_dict(intermediates)


def run(x: jax.Array):
    net = Net(nnx.Rngs(0))
    optimizer = nnx.Optimizer(net, optax.sgd(0.1), wrt=nnx.Param)
    losses = [train_step(net, optimizer, x) for _ in range(2)]
    graphdef, params, nondiff = nnx.split(net, nnx.Param, ...)

    def twice_loss_of_state(params, nondiff, x):
        return twice_loss(nnx.merge(graphdef, params, nondiff), x)

    grads, aux = nnx.grad(twice_loss_of_state, has_aux=True)(params, nondiff, x)

    def plain_loss(params: nnx.State, nondiff: nnx.State):
        net = nnx.merge(graphdef, params, nondiff)
        y, _ = nnx.capture(lambda net, x: net(x), nnx.Intermediate)(net, x)
        return jnp.mean(y)

    graphdef, params, nondiff = nnx.split(net, nnx.Param, ...)
    slopes = nnx.grad(plain_loss)(params, nondiff)
    return losses, jax.tree.leaves((grads, slopes)), aux, net
