"""A train step that only writes into Variables: optimizer, metrics, batch statistics, a counter."""

import jax
import jax.numpy as jnp
import optax
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 3, rngs=rngs)
        self.steps = nnx.Variable(jnp.array(0))

    def __call__(self, x: jax.Array):
        self.steps[...] += 1
        return self.linear(x)


@nnx.jit
def train_step(model: Net, optimizer: nnx.Optimizer, metrics: nnx.MultiMetric, x, y):
    graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)

    def loss_fn(params, nondiff):
        model = nnx.merge(graphdef, params, nondiff)
        return jnp.mean((model(x) - y) ** 2)

    loss, grads = nnx.value_and_grad(loss_fn)(params, nondiff)
    optimizer.update(model, grads)
    metrics.update(loss=loss)
    model.linear.bias[...] = model.linear.bias * 0.9
    model.linear.kernel.set_value(jnp.clip(model.linear.kernel, -1.0, 1.0))
    return loss


@nnx.jit
def evaluate(metrics: nnx.MultiMetric):
    values = metrics.compute()
    metrics.reset()
    return values


def make():
    model = Net(nnx.Rngs(0))
    optimizer = nnx.Optimizer(model, optax.adam(1e-2), wrt=nnx.Param)
    return model, optimizer, nnx.MultiMetric(loss=nnx.metrics.Average("loss"))
