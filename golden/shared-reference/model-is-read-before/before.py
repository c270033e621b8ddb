"""A step that is given the model that its optimizer holds, read from there before the loop."""

import jax.numpy as jnp
import optax
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 1, rngs=rngs)
        self.norm = nnx.BatchNorm(1, rngs=rngs)

    def __call__(self, x):
        return self.norm(self.linear(x))


@nnx.jit
def train_step(net: Net, optimizer: nnx.ModelAndOptimizer, x, y):
    loss, grads = nnx.value_and_grad(lambda net: jnp.mean((net(x) - y) ** 2))(net)
    optimizer.update(grads)
    return loss


@nnx.jit
def predict(net, optimizer, x):
    return net(x) + optimizer.step[...]


def main(x, y):
    net = Net(nnx.Rngs(0))
    if x.ndim == 1:
        net = Net(nnx.Rngs(1))
    optimizer = nnx.ModelAndOptimizer(net, optax.sgd(0.1))
    net = optimizer.model
    losses = [float(train_step(net, optimizer, x, y)) for _ in range(3)]
    return losses, predict(optimizer.model, optimizer, x), optimizer
