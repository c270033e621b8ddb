import jax
import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 3, rngs=rngs)
        self.norm = nnx.BatchNorm(3, rngs=rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)

    def __call__(self, x: jax.Array):
        return self.drop(self.norm(self.linear(x)))


def loss_fn(batch, model: Net, teacher: Net):
    x, scale = batch
    return jnp.mean((model(x) - teacher(x)) ** 2) * scale


def gradients(model: Net, teacher: Net, batch):
    def loss_fn_of_state(batch, kernel_state, nondiff, teacher):
        return loss_fn(batch, nnx.merge(graphdef, kernel_state, nondiff), teacher)

    grad_fn = nnx.grad(loss_fn_of_state, argnums=1)
    graphdef, kernel_state, nondiff = nnx.split(model, nnx.PathContains("kernel"), ...)
    return grad_fn(batch, kernel_state, nondiff, teacher)  # DiffState(1, ...): the model is in the middle
