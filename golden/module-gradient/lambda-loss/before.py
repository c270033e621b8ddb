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
    loss, grads = nnx.value_and_grad(lambda m: jnp.mean(m(x) ** 2))(model)
    optimizer.update(model, grads)
    return loss


def consistency(model: Net, x):
    # two stochastic passes over the same batch
    return nnx.grad(lambda m: jnp.mean((m(x) - m(x + 1.0)) ** 2))(model)


def on_several_lines(model: Net, other: nnx.Module, x):
    grads = nnx.grad(
        lambda m: jnp.mean((m(x) - 1.0) ** 2)
        + jnp.mean((m(x + 1.0) - 2.0) ** 2)
    )(model)
    aligned = nnx.grad(lambda m: jnp.mean(m(x) ** 2,
                                          where=x > 1.0) + jnp.sum(m(x)))(model)
    checked = nnx.grad(
        lambda m: jnp.mean((m(x) - 1.0) ** 2)
        + jnp.mean((m(x + 1.0) - 2.0) ** 2)
    )(other)
    return grads, aligned, checked
