"""Training with activations watched from outside of the jitted step."""

import jax
import jax.numpy as jnp
import optax
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 3, rngs=rngs)
        self.norm = nnx.BatchNorm(3, rngs=rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)

    def __call__(self, x):
        x = x.reshape(x.shape[0], -1)
        h = self.norm(self.linear(x))
        self.sow(nnx.Intermediate, "hidden", h)
        return self.drop(h)


@nnx.jit
def train_step(model: Net, optimizer: nnx.Optimizer, batch):
    def loss_fn(params, nondiff) -> tuple[jax.Array, nnx.State]:
        model = nnx.merge(graphdef, params, nondiff)
        y, intermediates = nnx.capture(model, nnx.Intermediate)(batch["x"])
        return jnp.mean((y - batch["y"]) ** 2), intermediates

    graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)
    (loss, intermediates), grads = nnx.value_and_grad(loss_fn, has_aux=True)(params, nondiff)
    optimizer.update(model, grads)
    return (loss, optax.global_norm(grads)), intermediates


@nnx.jit
@nnx.capture(nnx.Intermediate)
def evaluate(model: Net, batch):
    return model(batch["x"])


def test_step(model: Net, batch) -> tuple[jax.Array, nnx.State]:
    """The error of one batch."""
    y, intermediates = evaluate(model, batch)
    return jnp.mean((y - batch["y"]) ** 2), intermediates


def main(xs):
    model = Net(nnx.Rngs(0))
    optimizer = nnx.Optimizer(model, optax.sgd(0.1), wrt=nnx.Param)
    history = []
    for x in xs:
        batch = {"x": x, "y": jnp.ones((3, 3))}
        (loss, norm), intermediates = train_step(model, optimizer, batch)
        hidden = intermediates["hidden"]
        history.append((loss, norm, jnp.std(hidden[0])))
        error, intermediates = test_step(model, batch)
        history.append((error, nnx.to_pure_dict(intermediates)))
    return history, model, optimizer
