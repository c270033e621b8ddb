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
def train_step(net: Net, optimizer: nnx.ModelAndOptimizer, x: jax.Array):
    loss, grads = nnx.value_and_grad(loss_fn)(net, x)
    optimizer.update(grads)
    return loss


x = jnp.arange(6.0).reshape(3, 2)
losses = [train_step(net, optimizer, x)]

net = Net(nnx.Rngs(1))
optimizer = nnx.ModelAndOptimizer(net, optax.adam(0.1))
for _ in range(2):
    losses.append(train_step(net, optimizer, x))


def run():
    return losses, net, optimizer
