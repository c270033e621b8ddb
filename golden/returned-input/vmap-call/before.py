import jax
import jax.numpy as jnp
from flax import nnx


class Member(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 3, rngs=rngs)

    def __call__(self, x: jax.Array):
        return self.linear(x)


@nnx.split_rngs(splits=4)
@nnx.vmap
def create(rngs: nnx.Rngs):
    return Member(rngs)


def _forward(member: Member, x: jax.Array):
    member.linear.bias[...] += 1.0
    return member, member(x)


def forward(ensemble: Member, x: jax.Array):
    run = nnx.vmap(_forward, in_axes=(0, None))
    ensemble, ys = run(ensemble, x)
    return ensemble, jnp.mean(ys, axis=0)
