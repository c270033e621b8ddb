import jax.numpy as jnp
import optax
from flax import nnx


class Scale(nnx.Variable):
    """A learned scale that is no Param."""


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 3, rngs=rngs)
        self.scale = Scale(jnp.ones((3,)))
        self.norm = nnx.BatchNorm(3, rngs=rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)

    def __call__(self, x):
        return self.drop(self.norm(self.linear(x))) * self.scale


def train_step(model: Net, optimizer: nnx.Optimizer, x):
    @nnx.value_and_grad  # both of them
    def loss_fn(diff: nnx.State, nondiff: nnx.State):
        model = nnx.merge(graphdef, diff, nondiff)
        return jnp.mean((model(x) - 1.0) ** 2)

    graphdef, diff, nondiff = nnx.split(model, (nnx.Param, Scale), ...)
    loss, grads = loss_fn(diff, nondiff)
    optimizer.update(model, grads)
    return loss, grads


def make(seed):
    model = Net(nnx.Rngs(seed))
    return model, nnx.Optimizer(model, optax.sgd(0.1), wrt=(nnx.Param, Scale))
