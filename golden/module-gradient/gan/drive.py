import jax.numpy as jnp
import optax
from flax import nnx


def drive(program):
    g, d = program.Generator(nnx.Rngs(0, noise=1)), program.Discriminator(nnx.Rngs(2))
    g_opt = nnx.Optimizer(g, optax.adam(1e-2), wrt=nnx.Param)
    d_opt = nnx.Optimizer(d, optax.adam(1e-2), wrt=nnx.Param)
    real = jnp.arange(8.0).reshape(4, 2)
    steps = [program.train_step(g, d, g_opt, d_opt, real) for _ in range(2)]
    return steps, g, d, g_opt, d_opt
