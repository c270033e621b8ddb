import jax.numpy as jnp
from flax import nnx


def drive(program):
    x = jnp.ones((1, 2))
    net = program.Net(nnx.Rngs(3))
    forward = program.forward(net, x), net.first.rngs.noise.count[...]
    kept = program.kept_twice(nnx.Rngs(1)), program.kept_once(nnx.Rngs(2))
    another = program.trains_another(program.Single, nnx.Rngs(4))
    return program.trained(nnx.Rngs(0), x), kept, forward, another
