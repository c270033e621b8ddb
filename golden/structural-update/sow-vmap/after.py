import jax
import jax.numpy as jnp
from flax import nnx


class Member(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 3, rngs=rngs)

    def __call__(self, x: jax.Array):
        y = self.linear(x)
        self.sow(nnx.Intermediate, "logits", y)
        return y


@nnx.split_rngs(splits=4)
@nnx.vmap
def create(rngs: nnx.Rngs):
    return Member(rngs)


def forward(ensemble: Member, x: jax.Array):
    return nnx.compat.vmap(lambda member, x: member(x), in_axes=(0, None))(ensemble, x)


def predict(ensemble: Member, x: jax.Array):
    y = forward(ensemble, x).mean(axis=0)
    return y, nnx.to_pure_dict(nnx.pop(ensemble, nnx.Intermediate))
