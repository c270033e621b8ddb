import jax
import jax.numpy as jnp
import optax
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(3, 4, rngs=rngs)
        self.norm = nnx.BatchNorm(4, rngs=rngs)
        self.dropout = nnx.Dropout(0.5, rngs=rngs)
        self.out = nnx.Linear(4, 2, rngs=rngs)

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.out(self.dropout(nnx.relu(self.norm(self.linear(x)))))


def loss_fn(model: Net, x: jax.Array, y: jax.Array):
    logits = model(x)
    return jnp.mean((logits - y) ** 2), logits


# The one gradient function of this program.
def loss_and_grad(model, x, y):
    graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)

    @nnx.value_and_grad(has_aux=True)
    def loss_and_grad_of_state(params, nondiff, x, y):
        model = nnx.merge(graphdef, params, nondiff)
        return loss_fn(model, x, y)

    return loss_and_grad_of_state(params, nondiff, x, y)


@nnx.jit
def train_step(model: Net, optimizer: nnx.Optimizer, x, y):
    (loss, logits), grads = loss_and_grad(model, x, y)
    optimizer.update(model, grads)
    return loss, logits
