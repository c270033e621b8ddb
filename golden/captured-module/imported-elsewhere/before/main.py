import jax.numpy as jnp
from flax import errors
from lib import checkpointed, looped, net, predict, seen_whole

x = jnp.ones(2)


def main():
    y = predict(x)
    raised = []
    for function in (looped, checkpointed, seen_whole):
        try:
            y = function(y)
        except errors.TraceContextError:
            raised.append(function.__name__)
    return y, raised, net
