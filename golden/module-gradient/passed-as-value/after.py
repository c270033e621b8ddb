import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 3, rngs=rngs)
        self.norm = nnx.BatchNorm(3, rngs=rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)

    def __call__(self, x):
        return self.drop(self.norm(self.linear(x)))


def loss_fn(model: Net, x):
    return jnp.mean((model(x) - 1.0) ** 2)


def apply(transform, function, *args):
    return transform(function)(*args)


def gradients(model: Net, x):
    return apply(nnx.compat.grad, loss_fn, model, x)


TRANSFORMS = {"grad": nnx.compat.grad, "both": nnx.compat.value_and_grad}


def by_name(name: str, model: Net, x):
    return apply(TRANSFORMS[name], loss_fn, model, x)
