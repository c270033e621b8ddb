import jax.numpy as jnp
import optax
from flax import nnx


def drive(program):
    g, c = program.Net(nnx.Rngs(0)), program.Net(nnx.Rngs(1))
    g_opt = nnx.Optimizer(g, optax.sgd(0.1), wrt=nnx.PathContains("linear"))
    c_opt = nnx.Optimizer(c, optax.sgd(0.1), wrt=nnx.PathContains("linear"))
    x = jnp.arange(6.0).reshape(3, 2)
    return [program.adversarial_step(g, c, g_opt, c_opt, x) for _ in range(2)], g, c, g_opt, c_opt
