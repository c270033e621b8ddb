import jax.numpy as jnp
from flax import nnx


def drive(program):
    model = program.Adapted(nnx.Rngs(0))
    trainer = program.Trainer(lambda model, x: model(x))
    return trainer.run(model, jnp.ones((1, 2))), model
