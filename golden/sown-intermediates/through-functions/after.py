"""The values are popped further out than one function around the transform."""

import jax
import jax.numpy as jnp
import optax
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.norm = nnx.BatchNorm(2, rngs=rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)

    def __call__(self, x: jax.Array):
        h = self.norm(self.linear(x))
        self.sow(nnx.Intermediate, "hidden", h)
        return self.drop(h)


@nnx.jit
@nnx.capture(nnx.Intermediate)
def forward(model: Net, x: jax.Array):
    return model(x)


def predict(model: Net, x: jax.Array) -> tuple[jax.Array, nnx.State]:
    y, intermediates = forward(model, x)
    return nnx.softmax(y), intermediates


def score(batch: dict[str, jax.Array], model: Net):
    """How good the model is at a batch."""
    outputs, intermediates = predict(model, batch["x"])
    error = jnp.mean(jnp.abs(outputs - batch["y"]))
    return (error, batch["x"].size), intermediates


class Evaluator:
    def __init__(self, scale: float):
        self.scale = scale

    def run(self, model: Net, batch) -> tuple[jax.Array, nnx.State]:
        (error, size), intermediates = score(batch, model=model)
        return self.scale * error / size, intermediates


@nnx.jit
def train_step(model: Net, optimizer: nnx.Optimizer, batch):
    def loss_fn(params, nondiff):
        model = nnx.merge(graphdef, params, nondiff)
        y, intermediates = nnx.capture(model, nnx.Intermediate)(batch["x"])
        return jnp.mean((y - batch["y"]) ** 2), intermediates

    graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)
    (loss, intermediates), grads = nnx.value_and_grad(loss_fn, has_aux=True)(params, nondiff)
    optimizer.update(model, grads)
    return loss, intermediates


def epoch(model: Net, optimizer: nnx.Optimizer, batch):
    outputs, intermediates = train_step(model, optimizer, batch)
    return {"loss": outputs, "size": batch["x"].size}, intermediates


def main(xs):
    evaluator = Evaluator(10.0)
    model = Net(nnx.Rngs(0))
    optimizer = nnx.Optimizer(model, optax.sgd(0.1), wrt=nnx.Param)
    history = []
    for x in xs:
        batch = {"x": x, "y": jnp.ones((3, 2))}
        seen, intermediates_2 = epoch(model, optimizer, batch)
        hidden = intermediates_2["hidden"]
        history.append((seen["loss"], seen["size"], hidden))
        error, intermediates = evaluator.run(model, batch)
        history.append((error, intermediates))
    return history, model, optimizer
