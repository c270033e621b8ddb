"""A method that marks the Module, under vmap under jit."""

import jax
import jax.numpy as jnp
from flax import nnx


class Member(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 3, rngs=rngs)
        self.used = False

    def __call__(self, x: jax.Array):
        self.used = True
        self.features = nnx.Cache(x)
        return self.linear(x)


@nnx.compat.jit
@nnx.set_graph_mode(True)
@nnx.set_graph_updates(True)
def predict(ensemble: Member, x: jax.Array):
    @nnx.vmap(in_axes=(0, None))
    def forward(member: Member, x):
        return member(x)

    return jnp.mean(forward(ensemble, x), axis=0)


@nnx.split_rngs(splits=4)
@nnx.vmap
def create(rngs: nnx.Rngs):
    return Member(rngs)
