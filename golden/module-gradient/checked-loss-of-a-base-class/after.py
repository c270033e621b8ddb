"""A trainer whose base class only says that there is a loss; the classes below it define it."""

import jax
import jax.numpy as jnp
from flax import nnx


class Trainer:
    def __init__(self, model, optimizer: nnx.Optimizer):
        self.model = model
        self.optimizer = optimizer

    def loss_fn(self, model, x: jax.Array):
        raise NotImplementedError

    def build(self):
        loss_fn = self.loss_fn

        @nnx.jit
        def train_step(model, optimizer, x):
            def objective(params, nondiff):
                current = nnx.merge(graphdef, params, nondiff)
                loss, metrics = loss_fn(current, x)
                if nnx.split(current, nnx.Param, ...) != (graphdef, params, nondiff):
                    raise ValueError("current must keep its structure")
                return 2.0 * loss, metrics

            graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)
            (_, metrics), grads = nnx.value_and_grad(objective, has_aux=True)(params, nondiff)
            optimizer.update(model, grads)
            return grads, metrics

        return train_step

    def step(self, x: jax.Array):
        def objective(params, nondiff):
            current = nnx.merge(graphdef, params, nondiff)
            result = self.loss_fn(current, x)
            if nnx.split(current, nnx.Param, ...) != (graphdef, params, nondiff):
                raise ValueError("current must keep its structure")
            return result

        graphdef, params, nondiff = nnx.split(self.model, nnx.Param, ...)
        (_, metrics), grads = nnx.value_and_grad(objective, has_aux=True)(params, nondiff)
        self.optimizer.update(self.model, grads)
        return metrics


class MeanTrainer(Trainer):
    def loss_fn(self, model, x: jax.Array):
        loss = jnp.mean(model(x) ** 2)
        return loss, {"loss": loss}


class SumTrainer(Trainer):
    def loss_fn(self, model, x: jax.Array):
        loss = jnp.sum(model(x))
        return loss, {"loss": loss}
