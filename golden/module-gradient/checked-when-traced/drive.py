import jax.numpy as jnp
import optax
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.norm = nnx.BatchNorm(2, rngs=rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)
        self.calls = nnx.Variable(jnp.zeros(()))

    def __call__(self, x):
        self.calls[...] += 1
        return self.drop(self.norm(self.linear(x)))


def mean_error(model, x, y):
    return jnp.mean(jnp.abs(model(x) - y))


def drive(program):
    model, other = Net(nnx.Rngs(0)), Net(nnx.Rngs(1))
    optimizer = nnx.Optimizer(model, optax.sgd(0.1), wrt=nnx.Param)
    x, y = jnp.arange(6.0).reshape(3, 2), jnp.ones((3, 2))
    trainer = program.Trainer(model, optimizer, mean_error)
    seen = [(trainer.step(x, y), trainer.step_of_its_own_loss(x, y)) for _ in range(2)]
    grads = program.jitted_step(model, optimizer, x, y)
    return seen, grads, program.both(model, other, x), model, other, optimizer
