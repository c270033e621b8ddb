import jax.numpy as jnp
from flax import nnx


def drive(program):
    net, x = program.Net(nnx.Rngs(0)), jnp.ones((1, 2))
    found = [program.there_and_back(net), program.by_hand(net, x), program.references(net)]
    loss, grads = program.loss_and_grads(net, x)
    return found, loss, nnx.to_pure_dict(nnx.state(grads, nnx.Param)), program.remember(net, x), hasattr(net, "seen")
