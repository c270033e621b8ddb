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
    def weigh(batch):
        return jnp.mean(batch.notes["weight"])

    def made():
        x = jnp.arange(6.0).reshape(3, 2)
        return program.Batch(x=x, y=jnp.ones((3, 2)), notes={"weight": jnp.arange(3.0)})

    model, linear = Net(nnx.Rngs(0)), nnx.Linear(2, 2, rngs=nnx.Rngs(1))
    rngs = nnx.Rngs(noise=2)
    optimizer = nnx.Optimizer(model, optax.sgd(0.1), wrt=nnx.Param)
    trainer = program.Trainer(weigh)
    batch = made()
    seen = [trainer.step(model, optimizer, batch) for _ in range(2)]
    seen += [trainer.step_with_noise(linear, batch, rngs), trainer.step_by_name(model, batch)]
    seen.append(program.step_that_looks(linear, batch, weigh))
    seen.append(trainer.step_that_marks(model, batch))
    return seen, model, optimizer, rngs.noise.count[...], sorted(batch.notes)
