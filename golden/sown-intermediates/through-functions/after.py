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
def _forward_and_pop(model: Net, x: jax.Array):
    return model(x), nnx.clone(nnx.pop(model, nnx.Intermediate))


def forward(model: Net, x: jax.Array):
    result, sown = _forward_and_pop(model, x)
    nnx.update(model, sown)
    return result


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
def _train_step_and_pop(model: Net, optimizer: nnx.Optimizer, batch):
    def loss_fn(params: nnx.State, nondiff: nnx.State):
        model = nnx.merge(graphdef, params, nondiff)
        return jnp.mean((model(batch["x"]) - batch["y"]) ** 2), nnx.clone(
            nnx.pop(model, nnx.Intermediate)
        )

    graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)
    (loss, sown), grads = nnx.value_and_grad(loss_fn, has_aux=True)(params, nondiff)
    nnx.update(model, sown)
    optimizer.update(model, grads)
    return loss, nnx.clone(nnx.pop(model, nnx.Intermediate))


def train_step(model: Net, optimizer: nnx.Optimizer, batch):
    result, sown = _train_step_and_pop(model, optimizer, batch)
    nnx.update(model, sown)
    return result


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
