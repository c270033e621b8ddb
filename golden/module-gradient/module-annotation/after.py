import jax
import jax.numpy as jnp
from flax import nnx


def loss_fn(model: nnx.Module, x: jax.Array):
    return jnp.mean((model(x) - 1.0) ** 2)


@nnx.jit
def train_step(model: nnx.Module, optimizer: nnx.Optimizer, x: jax.Array):
    """Any Module will do: all that is known is that it is one."""
    graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)

    def loss_fn_of_state(params, nondiff, x):
        model = nnx.merge(graphdef, params, nondiff)
        loss = loss_fn(model, x)
        if nnx.split(model, nnx.Param, ...) != (graphdef, params, nondiff):
            raise ValueError("model must keep its structure")
        return loss

    loss, grads = nnx.value_and_grad(loss_fn_of_state)(params, nondiff, x)
    optimizer.update(model, grads)
    return loss
