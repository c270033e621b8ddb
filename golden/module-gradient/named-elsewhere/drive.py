import jax.numpy as jnp
from flax import nnx


def drive(program):
    net = program.Net(nnx.Rngs(0))
    x = jnp.arange(6.0).reshape(3, 2)
    return [f(net, x) for f in (program.by_import, program.by_attribute, program.by_another_name)], net
