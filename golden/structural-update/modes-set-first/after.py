"""Steps that set the mode of their model first of all, and are called one after the other."""

import jax
import jax.numpy as jnp
import optax
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(3, 3, rngs=rngs)
        self.norm = nnx.BatchNorm(3, rngs=rngs)
        self.dropout = nnx.Dropout(0.5, rngs=rngs)
        self.scaled = False

    def __call__(self, x: jax.Array):
        y = self.dropout(self.norm(self.linear(x)))
        return 2 * y if self.scaled else y


@nnx.jit(donate_argnums=0)
def train_step(optimizer: nnx.ModelAndOptimizer, x):
    def loss_fn(params, nondiff):
        model = nnx.merge(graphdef, params, nondiff)
        return jnp.mean(model(x) ** 2)

    graphdef, params, nondiff = nnx.split(optimizer.model, nnx.Param, ...)
    loss, grads = nnx.value_and_grad(loss_fn)(params, nondiff)
    optimizer.update(grads)
    return loss


@nnx.jit
def eval_step(model: Net, batch):
    """The loss of a batch."""
    x = batch["x"]

    return jnp.mean(model(x) ** 2)


@nnx.jit
def predict(model: Net, x):
    return model(x)


def recomputed(net: Net, x):
    def one(model, x):
        return model(x)

    # All of them count.
    net.train()
    return nnx.remat(one)(net, x)


def fit(optimizer: nnx.ModelAndOptimizer, batch):
    losses = []
    for _ in range(3):
        optimizer.model.train()  # and it stays so
        losses.append(train_step(optimizer, batch["x"]))
        optimizer.model.eval()
        optimizer.model.scaled = True
        loss = eval_step(batch=batch, model=optimizer.model)
        losses.append(loss)
    if batch["x"].shape[0] > 2:
        optimizer.model.set_attributes(deterministic=True, use_running_average=True)
        return losses, predict(optimizer.model, jnp.ones((2, 3)))
    return losses, None


def main():
    optimizer = nnx.ModelAndOptimizer(Net(nnx.Rngs(0)), optax.adam(1e-2))
    losses = fit(optimizer, {"x": jnp.arange(12.0).reshape(4, 3)})
    modes = optimizer.model.dropout.deterministic, optimizer.model.scaled
    again = recomputed(optimizer.model, jnp.ones((4, 3)))
    return losses, modes, again, optimizer.model
