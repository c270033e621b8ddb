"""Options that say nothing of what is sown; a pass on every device."""

import jax
import jax.numpy as jnp
from flax import nnx


class Member(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 3, rngs=rngs)

    def __call__(self, x: jax.Array):
        y = self.linear(x)
        self.sow(nnx.Intermediate, "y", y)
        return y


@nnx.remat(policy=jax.checkpoint_policies.dots_saveable)
def predict(member: Member, x: jax.Array):
    return member(x)


@nnx.vmap(in_axes=(0, None), axis_name="members")
def members(member: Member, x: jax.Array):
    return member(x)


@nnx.pmap
def devices(member: Member, x: jax.Array):
    return member(x)


@nnx.vmap
def create(key: jax.Array):
    return Member(nnx.Rngs(key))


def run(x: jax.Array):
    member = Member(nnx.Rngs(0))
    ensemble = create(jax.random.split(jax.random.key(1), 1))
    placed = create(jax.random.split(jax.random.key(2), 1))
    y = predict(member, x)
    sown = nnx.pop(member, nnx.Intermediate)
    ys = members(ensemble, x)
    each = nnx.pop(ensemble, nnx.Intermediate)
    zs = devices(placed, x[None])
    there = nnx.pop(placed, nnx.Intermediate)
    return y, ys, zs, [nnx.to_pure_dict(state) for state in (sown, each, there)]
