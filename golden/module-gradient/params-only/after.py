import jax
import jax.numpy as jnp
import optax
from flax import nnx


class MLP(nnx.Module):
    """Linear layers only: every leaf is a Param."""

    def __init__(self, din: int, dmid: int, dout: int, *, rngs: nnx.Rngs):
        self.linear1 = nnx.Linear(din, dmid, rngs=rngs)
        self.linear2 = nnx.Linear(dmid, dout, rngs=rngs)

    def __call__(self, x: jax.Array):
        return self.linear2(nnx.relu(self.linear1(x)))


@nnx.jit
def train_step(model: MLP, optimizer: nnx.Optimizer, x: jax.Array, y: jax.Array):
    def loss_fn(model: MLP):
        return jnp.mean((model(x) - y) ** 2)

    loss, grads = nnx.value_and_grad(loss_fn)(model)
    optimizer.update(model, grads)  # the only reader of grads
    return loss
