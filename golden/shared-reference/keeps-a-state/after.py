"""An optimizer of one's own that keeps the State of a model, made and passed on beside it."""

import jax
import jax.numpy as jnp
from flax import nnx


class Momentum(nnx.Variable):
    pass


class SGD(nnx.Pytree):
    def __init__(self, params: nnx.State, rate: float):
        self.params = nnx.data(params)
        self.momentum = nnx.data(jax.tree.map(lambda p: Momentum(jnp.zeros_like(p[...])), params, is_leaf=is_variable))
        self.rate = rate

    def update(self, grads: nnx.State):
        def move(param, momentum, grad):
            momentum[...] = 0.9 * momentum[...] + 0.1 * grad[...]
            param[...] -= self.rate * momentum[...]

        jax.tree.map(move, self.params, self.momentum, grads, is_leaf=is_variable)


def is_variable(x):
    return isinstance(x, nnx.Variable)


@nnx.compat.jit
def create(rngs: nnx.Rngs):
    model = nnx.Linear(2, 2, rngs=rngs)
    optimizer = SGD(nnx.variables(model, nnx.Param), 0.1)
    return model, optimizer


@nnx.compat.jit
def train_step(model: nnx.Linear, optimizer: SGD, x):
    graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)

    def loss_fn(params, nondiff):
        m = nnx.merge(graphdef, params, nondiff)
        return jnp.mean(m(x) ** 2)

    loss, grads = nnx.value_and_grad(loss_fn)(params, nondiff)
    optimizer.update(grads)
    return loss


@nnx.jit
def apart(first: nnx.Linear, x):
    second = nnx.Linear(2, 2, rngs=nnx.Rngs(0))
    return second, first(x)
