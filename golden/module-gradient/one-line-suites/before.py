import jax.numpy as jnp
import optax
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs); self.norm = nnx.BatchNorm(2, rngs=rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)

    def __call__(self, x): return self.drop(self.norm(self.linear(x)))


def one_line_def(model: Net, x):
    def loss_fn(model: Net): return jnp.mean(model(x) ** 2)  # short enough
    return nnx.value_and_grad(loss_fn)(model)


def one_line_if(model: Net, optimizer: nnx.Optimizer, x, train: bool):
    def loss_fn(model: Net):
        return jnp.mean((model(x) - 1.0) ** 2)

    loss = None
    if train: loss, grads = nnx.value_and_grad(loss_fn)(model)
    else: loss = loss_fn(model)
    if train: optimizer.update(model, grads)
    return loss


def semicolons(model: Net, x):
    def loss_fn(model: Net):
        y = model(x); return jnp.mean(y ** 2)

    a = x.sum(); grads = nnx.grad(loss_fn)(model); b = a + 1
    return grads, b
