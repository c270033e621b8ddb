"""The function that sows is called in other files than its own, and popped here."""

import jax
from flax import nnx
from nets import Net, forward
from steps import doubled


@nnx.jit
def _twice_and_pop(model: Net, x: jax.Array):
    return model(model.linear(x).T[:2].T), nnx.clone(nnx.pop(model, nnx.Intermediate))


def twice(model: Net, x: jax.Array):
    result, sown = _twice_and_pop(model, x)
    nnx.update(model, sown)
    return result


def run(x: jax.Array):
    model = Net(nnx.Rngs(0))
    y = forward(model, x)
    intermediates = nnx.pop(model, nnx.Intermediate)
    z = twice(model, x)
    others = nnx.pop(model, nnx.Intermediate)
    w = doubled(model, x)
    more = nnx.to_pure_dict(nnx.pop(model, nnx.Intermediate))
    return y, z, w, nnx.to_pure_dict(intermediates), nnx.to_pure_dict(others), more
