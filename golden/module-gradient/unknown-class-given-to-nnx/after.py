"""Steps with an optimizer of optax, for whatever model the caller brings."""

import jax
import jax.numpy as jnp
import optax
from flax import nnx


def make_step(tx: optax.GradientTransformation):
    @nnx.jit
    def step(model, opt_state: optax.OptState, x: jax.Array):
        def loss_fn(model_params, model_nondiff):
            model = nnx.merge(model_graphdef, model_params, model_nondiff)
            loss = jnp.mean(model(x) ** 2)
            if nnx.split(model, nnx.Param, ...) != (model_graphdef, model_params, model_nondiff):
                raise ValueError("model must keep its structure")
            return loss

        model_graphdef, model_params, model_nondiff = nnx.split(model, nnx.Param, ...)
        loss, grads = nnx.value_and_grad(loss_fn)(model_params, model_nondiff)
        params = nnx.state(model, nnx.Param)
        updates, opt_state = tx.update(grads, opt_state, params)
        nnx.update(model, optax.apply_updates(params, updates))
        return loss, opt_state

    return step


def descend(model, x: jax.Array, rate: float):
    """Plain gradient descent."""
    _, params, _ = nnx.split(model, nnx.Param, ...)

    def loss_fn(model_params, model_nondiff):
        model = nnx.merge(model_graphdef, model_params, model_nondiff)
        loss = jnp.mean(model(x) ** 2)
        if nnx.split(model, nnx.Param, ...) != (model_graphdef, model_params, model_nondiff):
            raise ValueError("model must keep its structure")
        return loss

    model_graphdef, model_params, model_nondiff = nnx.split(model, nnx.Param, ...)
    grads = nnx.grad(loss_fn)(model_params, model_nondiff)
    nnx.update(model, jax.tree.map(lambda p, g: p - rate * g, params, grads))


def gradients_of(model, x: jax.Array, keep: bool):
    def loss_fn(model):
        return jnp.mean(model(x) ** 2)

    if keep:  # in one case only
        return nnx.compat.grad(
            nnx.set_graph_mode(True)(nnx.set_graph_updates(True)(loss_fn))
        )(model), nnx.clone(model)
    return nnx.compat.grad(
        nnx.set_graph_mode(True)(nnx.set_graph_updates(True)(loss_fn))
    )(model), None
