"""A view of a model for training, passed beside the optimizer that holds the model."""

import jax.numpy as jnp
import optax
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 4, rngs=rngs)
        self.norm = nnx.BatchNorm(4, rngs=rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)

    def __call__(self, x):
        return self.drop(self.norm(self.linear(x)))


@nnx.jit
def train_step(net, optimizer, x, y):
    def loss_fn(net):
        return jnp.mean((net(x) - y) ** 2)

    loss, grads = nnx.value_and_grad(loss_fn)(net)
    optimizer.update(grads)
    return loss


@nnx.jit
def evaluate(net, x):
    return net(x)


def main(x, y):
    net = Net(nnx.Rngs(0))
    training = nnx.view(net, deterministic=False, use_running_average=False)
    quiet = nnx.view(net, deterministic=True, use_running_average=True)
    optimizer = nnx.ModelAndOptimizer(net, optax.sgd(0.1))
    losses = []
    for _ in range(3):
        losses.append(train_step(training, optimizer, x, y))
    return losses, evaluate(quiet, x), optimizer
