"""The function that sows is called in another file than its own, and popped there."""

import jax
from flax import nnx
from nets import Net, forward


@nnx.jit
@nnx.capture(nnx.Intermediate)
def twice(model: Net, x: jax.Array):
    return model(model.linear(x).T[:2].T)


def run(x: jax.Array):
    model = Net(nnx.Rngs(0))
    y = forward(model, x)
    intermediates = nnx.pop(model, nnx.Intermediate)
    z, others = twice(model, x)
    return y, z, nnx.to_pure_dict(intermediates), nnx.to_pure_dict(others)
