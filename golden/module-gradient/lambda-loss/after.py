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


def on_several_lines(model: Net, other: nnx.Module, x):
    model_graphdef, model_params, model_nondiff = nnx.split(model, nnx.Param, ...)

    def loss_fn(model_params, model_nondiff):
        m = nnx.merge(model_graphdef, model_params, model_nondiff)
        return (
            jnp.mean((m(x) - 1.0) ** 2)
            + jnp.mean((m(x + 1.0) - 2.0) ** 2)
        )

    grads = nnx.grad(loss_fn)(model_params, model_nondiff)
    model_graphdef, model_params, model_nondiff = nnx.split(model, nnx.Param, ...)

    def loss_fn(model_params, model_nondiff):
        m = nnx.merge(model_graphdef, model_params, model_nondiff)
        return (
            jnp.mean(m(x) ** 2,
                     where=x > 1.0) + jnp.sum(m(x))
        )

    aligned = nnx.grad(loss_fn)(model_params, model_nondiff)
    other_graphdef, other_params, other_nondiff = nnx.split(other, nnx.Param, ...)

    def loss_of_state(other_params, other_nondiff):
        m = nnx.merge(other_graphdef, other_params, other_nondiff)
        loss = (
            jnp.mean((m(x) - 1.0) ** 2)
            + jnp.mean((m(x + 1.0) - 2.0) ** 2)
        )
        if nnx.split(m, nnx.Param, ...) != (other_graphdef, other_params, other_nondiff):
            raise ValueError("m must keep its structure")
        return loss

    checked = nnx.grad(loss_of_state)(other_params, other_nondiff)
    return grads, aligned, checked
