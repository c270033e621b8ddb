"""Steps whose loss the caller brings: what it does to the model is checked when it is traced."""

from collections.abc import Callable

import jax
import jax.numpy as jnp
from flax import nnx


def train_step(model: nnx.Module, optimizer: nnx.Optimizer, loss_fn: Callable, batch: jax.Array):
    graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)

    def loss_fn_of_state(params, nondiff, batch):
        model = nnx.merge(graphdef, params, nondiff)
        result = loss_fn(model, batch)
        if nnx.split(model, nnx.Param, ...) != (graphdef, params, nondiff):
            raise ValueError("model must keep its structure")
        return result

    (loss, metrics), grads = nnx.value_and_grad(loss_fn_of_state, has_aux=True)(
        params, nondiff, batch
    )
    optimizer.update(model, grads)
    return loss, metrics


class Trainer:
    def __init__(self, evaluate: Callable):
        self.evaluate = evaluate

    def gradients(self, model: nnx.Module, batch: jax.Array):
        def loss_fn(params: nnx.State, nondiff: nnx.State):
            m = nnx.merge(graphdef, params, nondiff)
            loss, metrics = self.evaluate(m, batch)
            result = loss, {"loss": loss, **metrics}
            if nnx.split(m, nnx.Param, ...) != (graphdef, params, nondiff):
                raise ValueError("m must keep its structure")
            return result

        graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)
        return nnx.grad(loss_fn, has_aux=True)(params, nondiff)


def distil(model: nnx.Module, teacher: nnx.Module, loss_fn: Callable, batch: jax.Array):
    return nnx.compat.grad(
        nnx.set_graph_mode(True)(nnx.set_graph_updates(True)(loss_fn))
    )(model, teacher, batch)


def quiet(model: nnx.Module, batch: jax.Array):
    model.eval()
    return jnp.mean(model(batch) ** 2)


def quiet_gradients(model: nnx.Module, quiet: Callable, batch: jax.Array):
    return nnx.compat.grad(
        nnx.set_graph_mode(True)(nnx.set_graph_updates(True)(quiet))
    )(model, batch)
