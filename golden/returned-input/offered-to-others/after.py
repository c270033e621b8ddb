"""A step that others may call, and that returns the objects that it was given."""

import jax
import jax.numpy as jnp
import optax
from flax import nnx

__all__ = ["Net", "train_step"]


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 1, rngs=rngs)
        self.norm = nnx.BatchNorm(2, rngs=rngs)

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.linear(self.norm(x))


@nnx.jit(static_argnames="scale")
def _train_step(
    model: Net, optimizer: nnx.Optimizer, batch: jax.Array, *, scale: float = 1.0
) -> jax.Array:
    def loss_fn(params: nnx.State, nondiff: nnx.State):
        model = nnx.merge(graphdef, params, nondiff)
        return jnp.mean((model(batch) * scale) ** 2)

    graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)
    loss, grads = nnx.value_and_grad(loss_fn)(params, nondiff)
    optimizer.update(model, grads)
    return loss


def train_step(
    model: Net, optimizer: nnx.Optimizer, batch: jax.Array, *, scale: float = 1.0
) -> tuple[jax.Array, Net, nnx.Optimizer]:
    """Take one step.

    Args:
        batch: some inputs.
    """
    loss = _train_step(model, optimizer, batch, scale=scale)
    return loss, model, optimizer


def train(steps: int):
    model = Net(nnx.Rngs(0))
    optimizer = nnx.Optimizer(model, optax.adam(1e-2), wrt=nnx.Param)
    losses = []
    for _ in range(steps):
        loss, model, optimizer = train_step(model, optimizer, jnp.ones((3, 2)))
        losses.append(loss)
    last = train_step(model, optimizer, jnp.ones((3, 2)), scale=0.5)
    return losses, last[0], nnx.state(last[1]), nnx.state(last[2])
