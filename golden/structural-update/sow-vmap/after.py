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
    def mapped_fn(member, x):
        return member(x), nnx.clone(nnx.pop(member, nnx.Intermediate))

    result, sown = nnx.vmap(mapped_fn, in_axes=(0, None))(ensemble, x)
    nnx.update(ensemble, sown)
    return result


def predict(ensemble: Member, x: jax.Array):
    y = forward(ensemble, x).mean(axis=0)
    return y, nnx.to_pure_dict(nnx.pop(ensemble, nnx.Intermediate))
