import jax
import jax.numpy as jnp
from flax import nnx


class Norm(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 3, rngs=rngs)
        self.norm = nnx.BatchNorm(3, rngs=rngs)

    def __call__(self, x: jax.Array):
        return self.norm(self.linear(x))


class Counter(nnx.Module):
    """Counts its calls in a number, which is part of its structure."""

    def __init__(self, rngs: nnx.Rngs):
        self.norm = Norm(rngs)
        self.calls = 0

    def __call__(self, x: jax.Array):
        self.calls += 1
        return self.norm(x)


def loss_fn(model, x):
    return jnp.mean((model(x) - 1.0) ** 2)


def of_norm(x):
    model = Norm(nnx.Rngs(0))
    graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)

    def loss_fn_of_state(params, nondiff, x):
        return loss_fn(nnx.merge(graphdef, params, nondiff), x)

    return nnx.grad(loss_fn_of_state)(params, nondiff, x), nnx.state(model)


def of_counter(x):
    model = Counter(nnx.Rngs(0))
    return nnx.compat.grad(loss_fn)(model, x), nnx.state(model), model.calls
