import jax
import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 3, rngs=rngs)
        self.norm = nnx.BatchNorm(3, rngs=rngs)
        self.seen = nnx.Variable(jnp.array(0.0))

    def __call__(self, x: jax.Array):
        return self.norm(self.linear(x))


@nnx.split_rngs(splits=2)
@nnx.vmap
def create(rngs: nnx.Rngs) -> Net:
    return Net(rngs)


def compare(left: Net, right: Net, x: jax.Array):

    @nnx.vmap(in_axes=(0, None, None), out_axes=(0, None))
    def distance(left: Net, right: Net, x):
        left.seen[...] += jnp.sum(x)
        right.seen[...] += 1.0
        y = right.linear(x)
        return jnp.mean((left(x) - y) ** 2), y

    return distance(left, right, x)
