"""The function that sows is called in other files than its own, and popped here."""

import jax
from flax import nnx
from nets import Net, forward
from steps import doubled


@nnx.jit
@nnx.capture(nnx.Intermediate)
def twice(model: Net, x: jax.Array):
    return model(model.linear(x).T[:2].T)


def run(x: jax.Array):
    model = Net(nnx.Rngs(0))
    y, intermediates = forward(model, x)
    z, others = twice(model, x)
    w, intermediates_2 = doubled(model, x)
    more = nnx.to_pure_dict(intermediates_2)
    return y, z, w, nnx.to_pure_dict(intermediates), nnx.to_pure_dict(others), more
