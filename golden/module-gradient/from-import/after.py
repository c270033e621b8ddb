import jax.numpy as jnp
import optax
from flax import nnx
from flax.nnx import BatchNorm, Dropout, Linear, Module, Optimizer, Param, Rngs, value_and_grad


class Net(Module):
    def __init__(self, rngs: Rngs):
        self.linear = Linear(2, 3, rngs=rngs)
        self.norm = BatchNorm(3, rngs=rngs)
        self.drop = Dropout(0.5, rngs=rngs)

    def __call__(self, x):
        return self.drop(self.norm(self.linear(x)))


def train_step(model: Net, optimizer: Optimizer, x):
    def loss_fn(params: nnx.State, nondiff: nnx.State):
        model = nnx.merge(graphdef, params, nondiff)
        return jnp.mean((model(x) - 1.0) ** 2)

    graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)
    loss, grads = value_and_grad(loss_fn)(params, nondiff)
    optimizer.update(model, grads)
    return loss


def make():
    model = Net(Rngs(0))
    return model, Optimizer(model, optax.sgd(0.1), wrt=Param)
