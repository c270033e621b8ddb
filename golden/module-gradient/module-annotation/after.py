import jax
import jax.numpy as jnp
from flax import nnx


def loss_fn(model: nnx.Module, x: jax.Array):
    return jnp.mean((model(x) - 1.0) ** 2)


@nnx.compat.jit
@nnx.set_graph_mode(True)
@nnx.set_graph_updates(True)
def train_step(model: nnx.Module, optimizer: nnx.Optimizer, x: jax.Array):
    """Any Module will do: all that is known is that it is one."""
    loss, grads = nnx.compat.value_and_grad(loss_fn)(model, x)
    optimizer.update(model, grads)
    return loss
