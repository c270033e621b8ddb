"""Steps that pop what they have sown, of which a check would raise, or would see too little."""

import jax
import jax.numpy as jnp
from flax import nnx


class Balance(nnx.Variable):
    pass


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)

    def __call__(self, x: jax.Array) -> jax.Array:
        y = self.linear(x)
        self.sow(nnx.Intermediate, "hidden", y)
        return y


@nnx.compat.jit
def left_by_warm_up(model: Net, x: jax.Array):
    y = model(x)
    return y, jax.tree.leaves(nnx.pop(model, nnx.Intermediate))


def warm_up(x: jax.Array):
    model = Net(nnx.Rngs(0))
    model(x)
    return left_by_warm_up(model, x), model


@nnx.compat.jit
@nnx.set_graph_mode(True)
@nnx.set_graph_updates(True)
def left_by_predict(model: Net, x: jax.Array):
    def loss_fn(model: Net):
        y = model(x)
        sown = nnx.pop(model, nnx.Intermediate)
        return jnp.mean(y**2) + sum(map(jnp.mean, jax.tree.leaves(sown)))

    return nnx.grad(loss_fn)(model)


class Trainer:
    def __init__(self, model: Net):
        self.model = model

    def step(self, x: jax.Array):
        return left_by_predict(self.model, x)

    def predict(self, x: jax.Array):
        return self.model(x)


@nnx.compat.jit
def cleared_first(model: Net, x: jax.Array):
    nnx.pop(model, nnx.Intermediate)
    y = model(x)
    return y, jax.tree.leaves(nnx.pop(model, nnx.Intermediate))


@nnx.compat.jit
def of_the_caller(model: Net, x: jax.Array):
    y = model(x)
    balance = nnx.pop(model, Balance)
    nnx.pop(model, nnx.Intermediate)
    return y, jax.tree.leaves(balance)


@nnx.compat.jit
def returns_twice(model: Net, x: jax.Array):
    y = model(x)
    sown = nnx.pop(model, nnx.Intermediate)
    if x.ndim == 1:
        return y
    return jax.tree.leaves(sown)


def make_steps():
    def loss_fn(model: Net, x: jax.Array):
        y = model(x)
        sown = nnx.pop(model, nnx.Intermediate)
        return jnp.mean(y**2) + sum(map(jnp.mean, jax.tree.leaves(sown)))

    @nnx.jit
    def gradient(model: Net, x: jax.Array):
        graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)

        def loss_fn_of_state(params, nondiff, x):
            model = nnx.merge(graphdef, params, nondiff)
            loss = loss_fn(model, x)
            if nnx.split(model, nnx.Param, ...) != (graphdef, params, nondiff):
                raise ValueError("model must keep its structure")
            return loss

        return nnx.grad(loss_fn_of_state)(params, nondiff, x)

    @nnx.compat.jit
    def loss(model: Net, x: jax.Array):
        return loss_fn(model, x)

    return gradient, loss


@nnx.compat.vmap
def mapped(model: Net, x: jax.Array):
    y = model(x)
    return y, jax.tree.leaves(nnx.pop(model, nnx.Intermediate))
