"""A step that sets a mode first, and that is lowered once to tell what it costs."""

import jax
import jax.numpy as jnp
import optax
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(3, 3, rngs=rngs)
        self.norm = nnx.BatchNorm(3, rngs=rngs)
        self.dropout = nnx.Dropout(0.5, rngs=nnx.Rngs(dropout=1))

    def __call__(self, x: jax.Array):
        return self.dropout(self.norm(self.linear(x)))


@nnx.jit(donate_argnums=0)
def train_step(optimizer: nnx.ModelAndOptimizer, x: jax.Array):
    def loss_fn(params: nnx.State, nondiff: nnx.State):
        model = nnx.merge(graphdef, params, nondiff)
        return jnp.mean(model(x) ** 2)

    optimizer.model.train()
    graphdef, params, nondiff = nnx.split(optimizer.model, nnx.Param, ...)
    loss, grads = nnx.value_and_grad(loss_fn)(params, nondiff)
    optimizer.update(grads)
    return loss


@nnx.jit
def predict(model: Net, x: jax.Array):
    # Nothing is dropped.
    model.eval()  # for good

    return model(x)


def main():
    optimizer = nnx.ModelAndOptimizer(Net(nnx.Rngs(0)), optax.adam(1e-2))
    optimizer.model.eval()
    x = jnp.arange(12.0).reshape(4, 3)
    compiled = train_step.lower(optimizer, x).compile()
    costs = compiled.cost_analysis()
    lines = len(predict.lower(optimizer.model, x).as_text())
    modes = [optimizer.model.dropout.deterministic]
    losses = []
    for _ in range(2):
        optimizer.model.train()
        loss = train_step(optimizer, x)
        losses.append(loss)
        modes.append(optimizer.model.dropout.deterministic)
    optimizer.model.eval()
    y = predict(optimizer.model, x)
    modes.append(optimizer.model.dropout.deterministic)
    return costs is not None, lines > 0, losses, modes, y, optimizer.model
