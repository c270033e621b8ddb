import jax.numpy as jnp
from flax import nnx


def drive(program):
    net = program.Net(nnx.Rngs(0))
    kernels = [program.shrink_if(jnp.array(flag), net) for flag in (True, False)]
    scaled = [program.scaled(jnp.array(which), net, jnp.ones((1, 2))) for which in (0, 1, 0)]
    losses, step, trained = program.train(jnp.arange(8.0).reshape(4, 1, 2))
    return kernels, scaled, losses, step, nnx.state(trained), nnx.state(net)
