"""A script that makes its model and the optimizer of it again, as a notebook does in each cell."""

import jax
import jax.numpy as jnp
import optax
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.encoder = nnx.Linear(2, 2, rngs=rngs)
        self.norm = nnx.BatchNorm(2, rngs=rngs)

    def __call__(self, x: jax.Array):
        return self.norm(jnp.tanh(self.encoder(x)))


def loss_fn(net: Net, x: jax.Array):
    return jnp.mean((net(x) - 1.0) ** 2)


net = Net(nnx.Rngs(0))
optimizer = nnx.ModelAndOptimizer(net, optax.sgd(0.1))


@nnx.jit
def train_step(optimizer: nnx.ModelAndOptimizer, x: jax.Array):
    net: Net = optimizer.model
    graphdef, params, nondiff = nnx.split(net, nnx.Param, ...)

    def loss_fn_of_state(params, nondiff, x):
        return loss_fn(nnx.merge(graphdef, params, nondiff), x)

    loss, grads = nnx.value_and_grad(loss_fn_of_state)(params, nondiff, x)
    optimizer.update(grads)
    return loss


x = jnp.arange(6.0).reshape(3, 2)
losses = [train_step(optimizer, x)]

net = Net(nnx.Rngs(1))
optimizer = nnx.ModelAndOptimizer(net, optax.adam(0.1))
for _ in range(2):
    losses.append(train_step(optimizer, x))


def run():
    return losses, net, optimizer
