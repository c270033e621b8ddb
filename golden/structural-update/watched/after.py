"""Losses that hand another argument to code that is not in sight, and so may change it."""

import dataclasses
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from flax import nnx


@nnx.dataclass
class Batch(nnx.Pytree):
    x: jax.Array = nnx.data()
    y: jax.Array = nnx.data()
    notes: dict[str, Any] = nnx.data()


@dataclasses.dataclass
class Weighted:
    batch: Batch


class Trainer:
    def __init__(self, weigh: Callable[[Batch], jax.Array]):
        self.weigh = weigh

    def loss(self, model: nnx.Module, batch: Batch | Weighted) -> jax.Array:
        held = batch.batch if isinstance(batch, Weighted) else batch
        return jnp.mean((model(held.x) - held.y) ** 2) * self.weigh(held)

    def step(self, model: nnx.Module, optimizer: nnx.Optimizer, batch: Batch):
        graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)

        def loss_of_state(params, nondiff, batch):
            model = nnx.merge(graphdef, params, nondiff)
            before = nnx.split((model, batch))
            loss = self.loss(model, batch)
            if nnx.split((model, batch)) != before:
                raise ValueError("model and batch must keep their structure")
            return loss

        loss, grads = nnx.value_and_grad(loss_of_state)(params, nondiff, batch)
        optimizer.update(model, grads)
        return loss

    def step_with_noise(self, model: nnx.Linear, batch: Batch, rngs: nnx.Rngs):
        def loss_fn(model: nnx.Linear, batch: Batch, rngs: nnx.Rngs):
            noise = 0.1 * rngs.noise.normal(batch.y.shape)
            return jnp.mean((model(batch.x) + noise) ** 2) * self.weigh(batch), noise

        graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)

        def loss_fn_of_state(params, nondiff, batch, rngs):
            model = nnx.merge(graphdef, params, nondiff)
            batch_before = nnx.split(batch)
            result = loss_fn(model, batch, rngs)
            if nnx.split(batch) != batch_before:
                raise ValueError("batch must keep its structure")
            return result

        return nnx.grad(loss_fn_of_state, has_aux=True)(params, nondiff, batch, rngs)

    def step_by_name(self, model: nnx.Module, batch: Batch):
        return nnx.compat.grad(
            nnx.set_graph_mode(True)(nnx.set_graph_updates(True)(self.loss))
        )(model, batch=batch)

    def step_that_marks(self, model: nnx.Module, batch: Batch):
        @nnx.set_graph_mode(True)
        @nnx.set_graph_updates(True)
        def loss_fn(model: nnx.Module, batch: Batch):
            batch.notes["seen"] = jnp.ones(())
            return jnp.mean((model(batch.x) - batch.y) ** 2) * self.weigh(batch)

        return nnx.compat.grad(loss_fn)(model, batch)


def step_that_looks(model: nnx.Linear, batch: Batch, weigh: Callable[[Batch], jax.Array]):
    graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)

    def loss_fn(params: nnx.State, nondiff: nnx.State, batch: Batch):
        before = nnx.split(batch)
        model = nnx.merge(graphdef, params, nondiff)
        loss = jnp.mean((model(batch.x) - batch.y) ** 2) * weigh(batch)
        if nnx.split(batch) != before:
            raise ValueError("weigh must not change the batch")
        return loss

    return nnx.grad(loss_fn)(params, nondiff, batch)
