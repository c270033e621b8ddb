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
def _train_step_and_pop(model: Net, optimizer: nnx.Optimizer, batch):
    def loss_fn(params: nnx.State, nondiff: nnx.State) -> jax.Array:
        model = nnx.merge(graphdef, params, nondiff)
        y = model(batch["x"])
        return jnp.mean((y - batch["y"]) ** 2), nnx.clone(nnx.pop(model, nnx.Intermediate))

    graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)
    (loss, sown), grads = nnx.value_and_grad(loss_fn, has_aux=True)(params, nondiff)
    nnx.update(model, sown)
    optimizer.update(model, grads)
    return (loss, optax.global_norm(grads)), nnx.clone(nnx.pop(model, nnx.Intermediate))


def train_step(model: Net, optimizer: nnx.Optimizer, batch):
    result, sown = _train_step_and_pop(model, optimizer, batch)
    nnx.update(model, sown)
    return result


@nnx.jit
def _evaluate_and_pop(model: Net, batch):
    return model(batch["x"]), nnx.clone(nnx.pop(model, nnx.Intermediate))


def evaluate(model: Net, batch):
    result, sown = _evaluate_and_pop(model, batch)
    nnx.update(model, sown)
    return result


def test_step(model: Net, batch) -> jax.Array:
    """The error of one batch."""
    y = evaluate(model, batch)
    return jnp.mean((y - batch["y"]) ** 2)


def main(xs):
    model = Net(nnx.Rngs(0))
    optimizer = nnx.Optimizer(model, optax.sgd(0.1), wrt=nnx.Param)
    history = []
    for x in xs:
        batch = {"x": x, "y": jnp.ones((3, 3))}
        loss, norm = train_step(model, optimizer, batch)
        hidden = nnx.pop(model, nnx.Intermediate)["hidden"]
        history.append((loss, norm, jnp.std(hidden[0])))
        error = test_step(model, batch)
        history.append((error, nnx.to_pure_dict(nnx.pop(model, nnx.Intermediate))))
    return history, model, optimizer
