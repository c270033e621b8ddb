"""A model that could sow: only the script that looks at it asks for that."""

import jax
import jax.numpy as jnp
import optax
from flax import nnx

from nets import Encoder


def train(steps: int):
    optimizer = nnx.ModelAndOptimizer(Encoder(nnx.Rngs(0)), optax.adam(1e-2))
    x = jnp.arange(6.0).reshape(2, 3)

    @nnx.jit
    def train_step(optimizer: nnx.ModelAndOptimizer, x: jax.Array):
        def loss_fn(params: nnx.State, nondiff: nnx.State):
            model = nnx.merge(graphdef, params, nondiff)
            return jnp.mean(model(x) ** 2)

        graphdef, params, nondiff = nnx.split(optimizer.model, nnx.Param, ...)
        loss, grads = nnx.value_and_grad(loss_fn)(params, nondiff)
        optimizer.update(grads)
        return loss

    @nnx.jit
    def eval_step(model: Encoder, x: jax.Array):
        return jnp.mean(model(x) ** 2)

    losses = []
    for _ in range(steps):
        optimizer.model.train()
        losses.append(train_step(optimizer, x))
        optimizer.model.eval()
        losses.append(eval_step(optimizer.model, x))
    return losses, optimizer.model.dropout.deterministic, optimizer.model


if __name__ == "__main__":
    print(train(3))
