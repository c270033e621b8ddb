import jax.numpy as jnp
import optax
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 3, rngs=rngs)
        self.norm = nnx.BatchNorm(3, rngs=rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)

    def __call__(self, x):
        return self.drop(self.norm(self.linear(x)))


def drive(program):
    model, other = Net(nnx.Rngs(0)), Net(nnx.Rngs(1))
    optimizer = nnx.Optimizer(model, optax.sgd(0.1), wrt=nnx.Param)
    holder = nnx.ModelAndOptimizer(other, optax.adam(0.1))
    batch = {"x": jnp.arange(6.0).reshape(3, 2), "y": jnp.ones((3, 3))}
    losses = [program.train_step(model, optimizer, batch) for _ in range(2)]
    losses += [program.held_step(holder, batch) for _ in range(2)]
    return losses, model, optimizer, holder
