import jax.numpy as jnp
import optax
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.norm = nnx.BatchNorm(2, rngs=rngs)

    def __call__(self, x):
        return self.norm(self.linear(x))


def drive(program):
    x = jnp.arange(6.0).reshape(3, 2)
    results = []
    for trainer_class in (program.MeanTrainer, program.SumTrainer):
        model = Net(nnx.Rngs(0))
        optimizer = nnx.Optimizer(model, optax.sgd(0.1), wrt=nnx.Param)
        trainer = trainer_class(model, optimizer)
        results.append((trainer.build()(model, optimizer, x), trainer.step(x), model))
    return results
