"""A trainer that owns the settings but not the model."""

import dataclasses

import jax
import jax.numpy as jnp
import optax
from flax import nnx


class Policy(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.body = nnx.Linear(3, 4, rngs=rngs)
        self.drop = nnx.Dropout(0.1, rngs=rngs)
        self.norm = nnx.BatchNorm(4, rngs=rngs)
        self.head = nnx.Linear(4, 2, rngs=rngs)

    def __call__(self, obs: jax.Array) -> jax.Array:
        return self.head(self.norm(self.drop(self.body(obs))))


@dataclasses.dataclass
class Trainer:
    entropy_cost: float = 1e-2

    def _loss(self, policy: Policy, obs, actions):
        logits = policy(obs)
        nll = optax.softmax_cross_entropy_with_integer_labels(logits, actions).mean()
        p = nnx.softmax(logits)
        entropy = -jnp.mean(jnp.sum(p * jnp.log(p), axis=-1))
        return nll - self.entropy_cost * entropy, {"entropy": entropy}

    def update(self, policy: Policy, optimizer: nnx.Optimizer, obs, actions):
        graphdef, params, nondiff = nnx.split(policy, nnx.Param, ...)

        def loss_of_state(params, nondiff, obs, actions):
            return self._loss(nnx.merge(graphdef, params, nondiff), obs, actions)

        (loss, info), grads = nnx.value_and_grad(loss_of_state, has_aux=True)(
            params, nondiff, obs, actions
        )
        optimizer.update(policy, grads)
        return {"loss": loss, **info}
