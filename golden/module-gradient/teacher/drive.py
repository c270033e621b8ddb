import jax.numpy as jnp
import optax
from flax import nnx


def drive(program):
    student, teacher = program.Net(3, rngs=nnx.Rngs(0)), program.Net(4, rngs=nnx.Rngs(1))
    optimizer = nnx.Optimizer(student, optax.adam(1e-2), wrt=nnx.Param)
    x = jnp.arange(8.0).reshape(4, 2)
    steps = [program.distill_step(student, teacher, optimizer, x) for _ in range(3)]
    return steps, student, teacher, optimizer
