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
def forward(model: Net, x: jax.Array):
    return model(x)


def predict(model: Net, x: jax.Array) -> jax.Array:
    y = forward(model, x)
    return nnx.softmax(y)


def score(batch: dict[str, jax.Array], model: Net):
    """How good the model is at a batch."""
    error = jnp.mean(jnp.abs(predict(model, batch["x"]) - batch["y"]))
    return error, batch["x"].size


class Evaluator:
    def __init__(self, scale: float):
        self.scale = scale

    def run(self, model: Net, batch) -> jax.Array:
        error, size = score(batch, model=model)
        return self.scale * error / size


@nnx.jit
def train_step(model: Net, optimizer: nnx.Optimizer, batch):
    def loss_fn(model: Net):
        return jnp.mean((model(batch["x"]) - batch["y"]) ** 2)

    loss, grads = nnx.value_and_grad(loss_fn)(model)
    optimizer.update(model, grads)
    return loss


def epoch(model: Net, optimizer: nnx.Optimizer, batch):
    return {"loss": train_step(model, optimizer, batch), "size": batch["x"].size}


def main(xs):
    evaluator = Evaluator(10.0)
    model = Net(nnx.Rngs(0))
    optimizer = nnx.Optimizer(model, optax.sgd(0.1), wrt=nnx.Param)
    history = []
    for x in xs:
        batch = {"x": x, "y": jnp.ones((3, 2))}
        seen = epoch(model, optimizer, batch)
        hidden = nnx.pop(model, nnx.Intermediate)["hidden"]
        history.append((seen["loss"], seen["size"], hidden))
        error = evaluator.run(model, batch)
        intermediates = nnx.pop(model, nnx.Intermediate)
        history.append((error, intermediates))
    return history, model, optimizer
