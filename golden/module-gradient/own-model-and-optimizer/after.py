"""Train states that are a ModelAndOptimizer: their model is what the constructor is given."""

import jax
import jax.numpy as jnp
import optax
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 3, rngs=rngs)

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.linear(x)


class Noisy(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 3, rngs=rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.drop(self.linear(x))


class TrainState(nnx.ModelAndOptimizer):
    def __init__(self, model, tx, metrics):
        self.metrics = metrics
        super().__init__(model, tx)

    def update(self, *, grads, **updates):
        self.metrics.update(**updates)
        super().update(grads)


class NoisyState(nnx.ModelAndOptimizer):
    def norm(self, grads) -> jax.Array:
        return optax.global_norm(grads)


class Keeping(nnx.ModelAndOptimizer):
    def __init__(self, net: Net):
        nnx.ModelAndOptimizer.__init__(self, net, optax.sgd(0.1))

    def update(self, grads):
        self.kind = type(grads).__name__  # it sees what they are
        super().update(grads)


def train(x: jax.Array):
    state = TrainState(Net(nnx.Rngs(0)), optax.adam(0.1), nnx.metrics.Average())
    for _ in range(3):
        loss, grads = nnx.value_and_grad(lambda model: jnp.mean(model(x) ** 2))(state.model)
        state.update(grads=grads, values=loss)
    return state.metrics.compute(), state


def train_noisy(x: jax.Array):
    state = NoisyState(Noisy(nnx.Rngs(1)), optax.adam(0.1))

    def loss_fn(params, nondiff):
        model = nnx.merge(graphdef, params, nondiff)
        return jnp.mean(model(x) ** 2)

    for _ in range(3):
        graphdef, params, nondiff = nnx.split(state.model, nnx.Param, ...)
        grads = nnx.grad(loss_fn)(params, nondiff)
        state.update(grads)
    return state


def train_keeping(x: jax.Array):
    state = Keeping(Net(nnx.Rngs(2)))

    def loss_fn(params, nondiff):
        model = nnx.merge(graphdef, params, nondiff)
        return jnp.mean(model(x) ** 2)

    graphdef, params, nondiff = nnx.split(state.model, nnx.Param, ...)
    grads = nnx.grad(loss_fn)(params, nondiff)
    state.update(grads)
    return state.kind, state
