import jax.numpy as jnp
from flax import nnx


def drive(program):
    counter, net = program.Counter(), program.Net(nnx.Rngs(0))
    x = jnp.ones((3, 2))
    ordinary = program.nothing_of_that(program.Ordinary(nnx.Rngs(0)))
    found = [program.count(counter, x), program.forward(net, x), program.optimizer_of(net).step]
    return found, counter.seen[...], ordinary
