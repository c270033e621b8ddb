"""States for checkpoints, of Modules or of dictionaries that have one and a number."""

import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.depth = 3


def saved(target):
    """A Module's own State: what a test has found to be one is no dictionary."""
    if isinstance(target, nnx.Module):
        return nnx.to_pure_dict(nnx.state(target))
    return target


def counted(target):
    return len(nnx.state(target)) if isinstance(target, Net) else 0


def saved_with_all(target):
    """The State of whatever it is: tree mode counts the number among its leaves."""
    if isinstance(target, (nnx.Module, dict)):
        return len(nnx.to_flat_state(nnx.state(target)))
    return target


def run(x):
    net = Net(nnx.Rngs(0))
    both = {"net": net, "step": 1}
    states = [saved(net), saved(both)["step"], counted(net), counted(both)]
    return net.linear(x), states, saved_with_all(net), saved_with_all(both), jnp.sum(x)
