"""Activations of an ensemble, and of a rematerialised model, over several passes."""

import jax
import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.layers = nnx.List([nnx.Linear(2, 2, rngs=rngs), nnx.Linear(2, 2, rngs=rngs)])
        self.drop = nnx.Dropout(0.5, rngs=rngs)

    def __call__(self, x: jax.Array):
        for layer in self.layers:
            x = self.drop(layer(x))
            self.sow(nnx.Intermediate, "hidden", x)
        self.sow(nnx.Intermediate, "calls", 1, init_fn=lambda: 0, reduce_fn=lambda a, b: a + b)
        return x


def ensemble(rngs: nnx.Rngs):
    return nnx.split_rngs(splits=3)(nnx.vmap(lambda rngs: Net(rngs)))(rngs)


@nnx.vmap
def predict(member: Net, intermediates: nnx.State, x: jax.Array):
    return nnx.capture(member, nnx.Intermediate, init=intermediates)(x)


@nnx.remat
def forward(model: Net, intermediates: nnx.State, x: jax.Array) -> tuple[jax.Array, nnx.State]:
    return nnx.capture(model, nnx.Intermediate, init=intermediates)(x)


def over_batches(members: Net, batches):
    outputs = []
    intermediates = nnx.State({})
    for x in batches:
        outputs_2, intermediates = predict(members, intermediates, x)
        outputs.append(outputs_2.sum())
    noted = nnx.to_pure_dict(intermediates)
    return outputs, noted


def twice(x: jax.Array):
    members = ensemble(nnx.Rngs(2))

    def doubled(member: Net, intermediates: nnx.State, x: jax.Array):
        y, new_intermediates = nnx.capture(member, nnx.Intermediate, init=intermediates)(x)
        return 2 * y, new_intermediates

    both = nnx.vmap(doubled)
    intermediates = nnx.State({})
    first, intermediates = both(members, intermediates, x)
    second, intermediates = both(members, intermediates, first)
    return second, intermediates


def run(x: jax.Array):
    members = ensemble(nnx.Rngs(0))
    stacked = jnp.stack([x, x + 1, -x])
    found = [over_batches(members, [stacked, stacked * 2]), over_batches(members, [])]

    model = Net(nnx.Rngs(1))
    intermediates = nnx.State({})
    y, intermediates = forward(model, intermediates, x)
    if x.shape[0] > 2:
        y, intermediates = forward(model, intermediates, y)
    return found, y, intermediates, twice(stacked), members, model
