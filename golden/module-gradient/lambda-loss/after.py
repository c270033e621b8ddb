import jax.numpy as jnp
import optax
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.dense = nnx.Linear(2, 2, rngs=rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)
        self.norm = nnx.BatchNorm(2, rngs=rngs)

    def __call__(self, x):
        return self.norm(self.drop(self.dense(x)))


def fit_once(model: Net, optimizer: nnx.Optimizer, x):
    graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)

    def loss_fn(params, nondiff):
        m = nnx.merge(graphdef, params, nondiff)
        return jnp.mean(m(x) ** 2)

    loss, grads = nnx.value_and_grad(loss_fn)(params, nondiff)
    optimizer.update(model, grads)
    return loss


def consistency(model: Net, x):
    # two stochastic passes over the same batch
    graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)

    def loss_fn(params, nondiff):
        m = nnx.merge(graphdef, params, nondiff)
        return jnp.mean((m(x) - m(x + 1.0)) ** 2)

    return nnx.grad(loss_fn)(params, nondiff)
