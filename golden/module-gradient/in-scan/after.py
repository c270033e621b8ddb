import jax
import jax.numpy as jnp
import optax
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 3, rngs=rngs)
        self.norm = nnx.BatchNorm(3, rngs=rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)

    def __call__(self, x: jax.Array):
        return self.drop(self.norm(self.linear(x)))


@nnx.jit
def train_epoch(model: Net, optimizer: nnx.Optimizer, xs: jax.Array):
    """All batches of an epoch in one scan."""

    @nnx.scan(in_axes=(nnx.Carry, 0), out_axes=(nnx.Carry, 0))
    def body(carry: tuple[Net, nnx.Optimizer], x):
        model, optimizer = carry

        def loss_fn(params: nnx.State, nondiff: nnx.State):
            model = nnx.merge(graphdef, params, nondiff)
            return jnp.mean((model(x) - 1.0) ** 2)

        graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)
        loss, grads = nnx.value_and_grad(loss_fn)(params, nondiff)
        optimizer.update(model, grads)
        return (model, optimizer), loss

    _, losses = body((model, optimizer), xs)
    return losses


def make(seed: int):
    model = Net(nnx.Rngs(seed))
    return model, nnx.Optimizer(model, optax.sgd(0.1), wrt=nnx.Param)
