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
def create(rngs: nnx.Rngs) -> Net:
    @nnx.vmap(out_axes=(None, 0, None))
    def create_of_state(rngs):
        net = Net(nnx.Rngs(0))  # the same weights for all
        net.norm.mean[...] = jax.random.normal(rngs.params(), (3,))
        return nnx.split(net, nnx.BatchStat, ...)

    return nnx.merge(*create_of_state(rngs))


def forward(model: Net, xs: jax.Array):
    """Shared weights; each domain has its own running statistics."""

    def run(model: Net, x):
        graphdef, batch_stats, rest = nnx.split(model, nnx.BatchStat, ...)

        @nnx.vmap(in_axes=(0, None, 0), out_axes=0)  # one domain a row
        def run_of_state(batch_stats, rest, x):
            model = nnx.merge(graphdef, batch_stats, rest)
            return model(x)

        return run_of_state(batch_stats, rest, x)

    return run(model, xs)
