import jax
import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 3, rngs=rngs)
        self.norm = nnx.BatchNorm(3, rngs=rngs)

    def __call__(self, x: jax.Array):
        return self.norm(self.linear(x))


@nnx.split_rngs(splits=3)
@nnx.vmap(out_axes=nnx.StateAxes({nnx.BatchStat: 0, ...: None}))
def create(rngs: nnx.Rngs) -> Net:
    net = Net(nnx.Rngs(0))  # the same weights for all
    net.norm.mean[...] = jax.random.normal(rngs.params(), (3,))
    return net


def forward(model: Net, xs: jax.Array):
    """Shared weights; each domain has its own running statistics."""
    state_axes = nnx.StateAxes({nnx.BatchStat: 0, ...: None})

    @nnx.vmap(in_axes=(state_axes, 0), out_axes=0)  # one domain a row
    def run(model: Net, x):
        return model(x)

    return run(model, xs)
