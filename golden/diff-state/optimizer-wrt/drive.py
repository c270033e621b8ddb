import jax.numpy as jnp
from flax import nnx


def drive(program):
    trainer = program.Trainer(program.Net(nnx.Rngs(0)), nnx.PathContains("kernel"))
    other = program.Trainer(program.Net(nnx.Rngs(1)), nnx.Param)
    x = jnp.arange(6.0).reshape(3, 2)
    return [(trainer.step(x), other.step(x)) for _ in range(2)], trainer, other
