import jax.numpy as jnp
import optax
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 3, rngs=rngs)
        self.norm = nnx.BatchNorm(3, rngs=rngs)
        self.drop = nnx.Dropout(0.1, rngs=rngs)

    def __call__(self, x):
        return self.drop(self.norm(self.linear(x)))


def loss_fn(model: Net, x):
    return jnp.mean((model(x) - 1.0) ** 2)


@nnx.jit
def train_step(optimizer: nnx.ModelAndOptimizer, x):
    graphdef, params, nondiff = nnx.split(optimizer.model, nnx.Param, ...)

    def loss_fn_of_state(params, nondiff, x):
        return loss_fn(nnx.merge(graphdef, params, nondiff), x)

    loss, grads = nnx.value_and_grad(loss_fn_of_state)(params, nondiff, x)
    optimizer.update(grads)
    return loss


def make(seed):
    return nnx.ModelAndOptimizer(Net(nnx.Rngs(seed)), optax.adam(1e-2))
