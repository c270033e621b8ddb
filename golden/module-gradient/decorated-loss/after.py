import functools

import jax
import jax.numpy as jnp
import optax
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.lin = nnx.Linear(2, 3, rngs=rngs)
        self.bn = nnx.BatchNorm(3, rngs=rngs)
        self.drop = nnx.Dropout(0.4, rngs=rngs)

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.drop(self.bn(self.lin(x)))


def squared(model: Net, x: jax.Array):
    graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)

    @nnx.value_and_grad
    def squared_of_state(params, nondiff, x):
        model = nnx.merge(graphdef, params, nondiff)
        return jnp.mean(model(x) ** 2)

    return squared_of_state(params, nondiff, x)


def absolute(model: Net, x: jax.Array):
    """Gradient of the mean absolute output."""
    graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)

    @nnx.grad
    def absolute_of_state(params, nondiff, x):
        model = nnx.merge(graphdef, params, nondiff)
        return jnp.mean(jnp.abs(model(x)))

    return absolute_of_state(params, nondiff, x)


def with_output(model: Net, x: jax.Array, scale: float = 1.0):
    graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)

    @functools.partial(nnx.value_and_grad, has_aux=True)
    def with_output_of_state(params, nondiff, x, scale):
        model = nnx.merge(graphdef, params, nondiff)
        y = scale * model(x)
        return jnp.sum(y * y), y

    return with_output_of_state(params, nondiff, x, scale)


@nnx.jit
def train_step(model: Net, optimizer: nnx.Optimizer, x):
    @nnx.value_and_grad(has_aux=True)  # used right below
    def loss_fn(params: nnx.State, nondiff: nnx.State):
        model = nnx.merge(graphdef, params, nondiff)
        y = model(x)
        return jnp.mean((y - 1.0) ** 2), y

    graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)
    (loss, y), grads = loss_fn(params, nondiff)
    optimizer.update(model, grads)
    return loss, y


def run(seed: int, x: jax.Array):
    model = Net(nnx.Rngs(seed))
    optimizer = nnx.Optimizer(model, optax.adam(1e-2), wrt=nnx.Param)
    first = squared(model, x)
    second = absolute(model, x)
    third = with_output(model, x, scale=0.5)
    last = train_step(model, optimizer, x)
    return (first, second, third, last), model, optimizer
