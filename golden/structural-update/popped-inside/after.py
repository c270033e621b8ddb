"""An auxiliary loss that is sown and popped in the loss, of a model that comes clean."""

import jax
import jax.numpy as jnp
import optax
from flax import nnx


class Balance(nnx.Variable):
    pass


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 3, rngs=rngs)
        self.drop = nnx.Dropout(0.3, rngs=rngs)

    def __call__(self, x: jax.Array):
        y = self.drop(self.linear(x))
        self.sow(nnx.Intermediate, "hidden", y)
        self.sow(Balance, "balance", jnp.var(y))
        return y


@nnx.jit
def _train_step(model: Net, optimizer: nnx.Optimizer, x: jax.Array):
    def loss_fn(params: nnx.State, nondiff: nnx.State):
        model = nnx.merge(graphdef, params, nondiff)
        y = model(x)
        hidden, balance = nnx.pop(model, nnx.Intermediate, Balance)
        return jnp.mean(y**2) + sum(jax.tree.leaves(balance)) + jnp.mean(hidden["hidden"][0])

    graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)
    loss, grads = nnx.value_and_grad(loss_fn)(params, nondiff)
    optimizer.update(model, grads)
    return loss


@nnx.jit
def _evaluate(model: Net, x: jax.Array):
    y = model(x)
    return y, jax.tree.leaves(nnx.pop(model, (nnx.Intermediate, Balance)))


@nnx.jit
def _forward(model: Net, x: jax.Array):
    y = model(x)
    return y, nnx.pop(model, (nnx.Intermediate, Balance))


def main(x: jax.Array):
    model = Net(nnx.Rngs(0))
    optimizer = nnx.Optimizer(model, optax.adam(0.1), wrt=nnx.Param)
    model(x)
    found = [nnx.pop(model, nnx.Intermediate, Balance)]
    for _ in range(3):
        found.append(_train_step(model, optimizer, x))
    model.eval()
    found += [_evaluate(model, x), _forward(model, x)]
    model(x)
    return found, model
