"""Members of an ensemble, each with its own values; a type of its own; a rematerialized pass."""

import jax
import jax.numpy as jnp
from flax import nnx


class Penalty(nnx.Variable):
    pass


class Member(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 3, rngs=rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)

    def __call__(self, x: jax.Array):
        y = self.drop(self.linear(x))
        self.sow(Penalty, "size", jnp.mean(y**2))
        return y


class Ensemble(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.first = Member(rngs)
        self.second = Member(rngs.fork())

    def __call__(self, x: jax.Array):
        return self.first(x) + self.second(x)


def predict(ensemble: Ensemble, x: jax.Array):
    run = nnx.remat(nnx.capture(lambda ensemble, x: ensemble(x), Penalty))
    y, penalties = run(ensemble, x)
    return y, sum(jax.tree.leaves(penalties))


@nnx.vmap(in_axes=(0, None))
def _members_and_pop(member: Member, x: jax.Array):
    return member(x), nnx.clone(nnx.pop(member, Penalty))


def members(member: Member, x: jax.Array):
    result, sown = _members_and_pop(member, x)
    nnx.update(member, sown)
    return result


def run(x: jax.Array):
    ensemble = Ensemble(nnx.Rngs(0))
    found = [predict(ensemble, x) for _ in range(2)]
    stacked = jax.tree.map(lambda *leaves: jnp.stack(leaves), *map(nnx.state, [ensemble] * 2))
    member = nnx.merge(nnx.graphdef(ensemble), stacked).first
    nnx.pop(member, Penalty)
    y = members(member, x)
    penalties = nnx.pop(member, Penalty)
    return found, y, nnx.to_pure_dict(penalties), ensemble, member
