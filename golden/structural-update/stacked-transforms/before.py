"""One transform right around another: what both keep in graph mode is said once."""

import jax
import jax.numpy as jnp
from flax import nnx


class Member(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.calls = 0

    def step(self, x: jax.Array):
        self.calls += 1
        return self.linear(x)

    def __call__(self, x: jax.Array):
        return nnx.remat(Member.step)(self, x)


@nnx.jit
@nnx.vmap(in_axes=(0, None))
def stacked(member: Member, x):
    return member(x)


def apply(member: Member, x):
    return member(x)


wrapped = nnx.jit(nnx.vmap(apply, in_axes=(0, None)))


@nnx.split_rngs(splits=3)
@nnx.vmap
def create(rngs: nnx.Rngs):
    return Member(rngs)
