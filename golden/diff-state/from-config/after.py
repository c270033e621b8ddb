from __future__ import annotations

import dataclasses

import jax
import jax.numpy as jnp
import optax
from flax import nnx
from flax.nnx import filterlib


@dataclasses.dataclass(frozen=True)
class TrainConfig:
    lr: float = 0.1
    freeze: str = "body"

    @property
    def trainable_filter(self) -> filterlib.Filter:
        return nnx.All(nnx.Param, nnx.Not(nnx.PathContains(self.freeze)))


class Policy(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.body = nnx.Linear(2, 3, rngs=rngs)
        self.norm = nnx.BatchNorm(3, rngs=rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)
        self.head = nnx.Linear(3, 2, rngs=rngs)

    def compute_loss(self, rng: jax.Array, batch: jax.Array, *, train: bool) -> jax.Array:
        noise = jax.random.normal(rng, batch.shape) if train else 0.0
        return jnp.square(self.head(self.drop(self.norm(self.body(batch + noise)))) - 1.0)


def train_step(config: TrainConfig, model: Policy, optimizer: nnx.Optimizer, rng, batch):
    model.train()

    def loss_fn(diff: nnx.State, nondiff: nnx.State, rng: jax.Array, batch: jax.Array):
        model = nnx.merge(graphdef, diff, nondiff)
        chunked_loss = model.compute_loss(rng, batch, train=True)
        return jnp.mean(chunked_loss)

    # Filter out frozen params.
    graphdef, diff, nondiff = nnx.split(model, config.trainable_filter, ...)
    loss, grads = nnx.value_and_grad(loss_fn)(diff, nondiff, rng, batch)

    optimizer.update(model, grads)
    info = {
        "loss": loss,
        "grad_norm": optax.global_norm(grads),
    }
    return info
