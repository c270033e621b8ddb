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


def drive(program):
    model = Net(nnx.Rngs(0))
    optimizer = nnx.Optimizer(model, optax.sgd(0.1), wrt=nnx.Param)
    x, y = jnp.arange(6.0).reshape(3, 2), jnp.ones((3, 2))
    trainer = program.Trainer(model, optimizer)
    seen = []
    for _ in range(2):
        trainer.step_by_name(x, y)
        seen += [trainer.step(x, y), trainer.step_with_output(x, y)]
        seen += [trainer.step_by_parts(x, y), trainer.step_of_a_part(x, y)]
    return seen, model, optimizer
