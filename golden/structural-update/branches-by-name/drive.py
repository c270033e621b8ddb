import jax.numpy as jnp
from flax import nnx


def drive(program):
    x = jnp.ones((1, 2))
    found = []
    for run in (
        lambda net: program.routed(0, net, x),
        lambda net: program.Router().route(1, net, x),
        lambda net: program.dispatch(jnp.array(True), net, x),
        lambda net: program.always(net, x),
    ):
        net = program.Net(nnx.Rngs(0))
        found.append((run(net), net.taken))
    return found
