import jax.numpy as jnp
import optax
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 3, rngs=rngs)
        self.norm = nnx.BatchNorm(3, rngs=rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)

    def __call__(self, x):
        return self.drop(self.norm(self.linear(x)))


def train_step(model: Net, optimizer: nnx.Optimizer, x):
    def loss_fn(params: nnx.State, nondiff: nnx.State):
        model = nnx.merge(graphdef, params, nondiff)
        return jnp.mean((model(x) - 1.0) ** 2)

    model.train()  # and it stays in training mode after the step
    graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)
    loss, grads = nnx.value_and_grad(loss_fn)(params, nondiff)
    optimizer.update(model, grads)
    return loss


def evaluate(model: Net, x):
    return model(x)
