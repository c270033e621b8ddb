import jax
import jax.numpy as jnp
import optax
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 3, rngs=rngs)
        self.norm = nnx.BatchNorm(3, rngs=rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)

    def __call__(self, x: jax.Array):
        return self.drop(self.norm(self.linear(x)))


@nnx.jit
def train_step(model: Net, optimizer: nnx.Optimizer, x: jax.Array):
    """Differentiates what the optimizer updates, whatever that is."""

    def loss_fn(diff: nnx.State, nondiff: nnx.State):
        model = nnx.merge(graphdef, diff, nondiff)
        return jnp.mean((model(x) - 1.0) ** 2)

    graphdef, diff, nondiff = nnx.split(model, optimizer.wrt, ...)
    loss, grads = nnx.value_and_grad(loss_fn)(diff, nondiff)
    optimizer.update(model, grads)
    return loss


class Trainer:
    def __init__(self, model: Net, wrt):
        self.model = model
        self.optimizer = nnx.Optimizer(model, optax.adam(1e-2), wrt=wrt)

    def step(self, x):
        return train_step(self.model, self.optimizer, x)
