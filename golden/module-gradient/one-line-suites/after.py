import jax.numpy as jnp
import optax
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs); self.norm = nnx.BatchNorm(2, rngs=rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)

    def __call__(self, x): return self.drop(self.norm(self.linear(x)))


def one_line_def(model: Net, x):
    def loss_fn(params: nnx.State, nondiff: nnx.State):
        model = nnx.merge(graphdef, params, nondiff)
        return jnp.mean(model(x) ** 2)  # short enough
    graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)
    return nnx.value_and_grad(loss_fn)(params, nondiff)


def one_line_if(model: Net, optimizer: nnx.Optimizer, x, train: bool):
    def loss_fn(model: Net):
        return jnp.mean((model(x) - 1.0) ** 2)

    loss = None
    if train: graphdef, params, nondiff = nnx.split(model, nnx.Param, ...); loss, grads = nnx.value_and_grad(lambda params, nondiff: loss_fn(nnx.merge(graphdef, params, nondiff)))(params, nondiff)
    else: loss = loss_fn(model)
    if train: optimizer.update(model, grads)
    return loss


def semicolons(model: Net, x):
    def loss_fn(params: nnx.State, nondiff: nnx.State):
        model = nnx.merge(graphdef, params, nondiff)
        y = model(x); return jnp.mean(y ** 2)

    a = x.sum(); graphdef, params, nondiff = nnx.split(model, nnx.Param, ...); grads = nnx.grad(loss_fn)(params, nondiff); b = a + 1
    return grads, b
