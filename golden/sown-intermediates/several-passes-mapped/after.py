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
def _predict_and_pop(member: Net, x: jax.Array):
    return member(x), nnx.clone(nnx.pop(member, nnx.Intermediate))


def predict(member: Net, x: jax.Array):
    result, sown = _predict_and_pop(member, x)
    nnx.update(member, sown)
    return result


@nnx.remat
def _forward_and_pop(model: Net, x: jax.Array) -> tuple[jax.Array, nnx.State]:
    return model(x), nnx.clone(nnx.pop(model, nnx.Intermediate))


def forward(model: Net, x: jax.Array) -> jax.Array:
    result, sown = _forward_and_pop(model, x)
    nnx.update(model, sown)
    return result


def over_batches(members: Net, batches):
    outputs = []
    for x in batches:
        outputs.append(predict(members, x).sum())
    noted = nnx.to_pure_dict(nnx.pop(members, nnx.Intermediate))
    return outputs, noted


def twice(x: jax.Array):
    members = ensemble(nnx.Rngs(2))

    def doubled(member: Net, x: jax.Array):
        return 2 * member(x), nnx.clone(nnx.pop(member, nnx.Intermediate))

    _both_and_pop = nnx.vmap(doubled)

    def both(member, x):
        result, sown = _both_and_pop(member, x)
        nnx.update(member, sown)
        return result

    first = both(members, x)
    second = both(members, first)
    intermediates = nnx.pop(members, nnx.Intermediate)
    return second, intermediates


def run(x: jax.Array):
    members = ensemble(nnx.Rngs(0))
    stacked = jnp.stack([x, x + 1, -x])
    found = [over_batches(members, [stacked, stacked * 2]), over_batches(members, [])]

    model = Net(nnx.Rngs(1))
    y = forward(model, x)
    if x.shape[0] > 2:
        y = forward(model, y)
    intermediates = nnx.pop(model, nnx.Intermediate)
    return found, y, intermediates, twice(stacked), members, model
