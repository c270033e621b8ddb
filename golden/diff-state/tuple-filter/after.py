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
    def loss_fn(model: Net):
        graphdef, diff, nondiff = nnx.split(model, (nnx.Param, Scale), ...)

        @nnx.value_and_grad  # both of them
        def loss_fn_of_state(diff, nondiff):
            model = nnx.merge(graphdef, diff, nondiff)
            return jnp.mean((model(x) - 1.0) ** 2)

        return loss_fn_of_state(diff, nondiff)

    loss, grads = loss_fn(model)
    optimizer.update(model, grads)
    return loss, grads


def make(seed):
    model = Net(nnx.Rngs(seed))
    return model, nnx.Optimizer(model, optax.sgd(0.1), wrt=(nnx.Param, Scale))
