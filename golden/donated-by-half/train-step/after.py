"""The donation of nnx.jit's own documentation."""

import jax
import jax.numpy as jnp
import optax
from flax import nnx


class Net(nnx.Module):
    """A frozen backbone, a head that is trained, and dropout."""

    def __init__(self, rngs: nnx.Rngs):
        self.backbone = nnx.Linear(2, 3, rngs=rngs)
        self.head = nnx.Linear(3, 1, rngs=rngs)
        self.dropout = nnx.Dropout(0.5, rngs=rngs)

    def __call__(self, x: jax.Array):
        h = jax.lax.stop_gradient(self.backbone(x))
        return self.head(self.dropout(h))


@nnx.jit(donate_argnames=("model", "optimizer"), donate_argnums=(0, 1))
def train_step(model: Net, optimizer: nnx.Optimizer, x: jax.Array):
    def loss_fn(params: nnx.State, nondiff: nnx.State):
        model = nnx.merge(graphdef, params, nondiff)
        return jnp.mean((model(x) - 1.0) ** 2)

    graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)
    loss, grads = nnx.value_and_grad(loss_fn)(params, nondiff)
    optimizer.update(model, grads)
    return loss


def fit(model: Net, xs):
    optimizer = nnx.Optimizer(model, optax.adam(1e-2), wrt=nnx.Param)
    return [train_step(model, optimizer, x) for x in xs], optimizer
