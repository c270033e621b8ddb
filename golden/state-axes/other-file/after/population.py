import jax
import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 3, rngs=rngs)
        self.norm = nnx.BatchNorm(3, rngs=rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)
        self.calls = nnx.Variable(jnp.array(0))

    def __call__(self, x: jax.Array):
        self.calls[...] += 1
        return self.drop(self.norm(self.linear(x)))


@nnx.split_rngs(splits=3)
def create(rngs: nnx.Rngs) -> Net:
    """A population of three."""

    @nnx.vmap(out_axes=(None, 0, None))
    def create_of_state(rngs):
        return nnx.split(Net(rngs), (nnx.Param, nnx.BatchStat, nnx.RngState), ...)

    return nnx.merge(*create_of_state(rngs))


def evaluate(model: Net, x: jax.Array) -> jax.Array:
    graphdef, mapped, rest = nnx.split(model, (nnx.Param, nnx.BatchStat, nnx.RngState), ...)

    @nnx.vmap(in_axes=(0, None, None))
    def evaluate_of_state(mapped, rest, x):
        model = nnx.merge(graphdef, mapped, rest)
        return jnp.mean(model(x) ** 2)

    return evaluate_of_state(mapped, rest, x)
