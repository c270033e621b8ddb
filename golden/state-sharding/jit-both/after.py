import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import nnx
from jax.sharding import Mesh, NamedSharding, PartitionSpec

MESH = Mesh(np.array(jax.devices()[:2]), ("x",))
SHARDED = NamedSharding(MESH, PartitionSpec("x"))
REPLICATED = NamedSharding(MESH, PartitionSpec())


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 4, rngs=rngs)
        self.norm = nnx.BatchNorm(4, rngs=rngs)

    def __call__(self, x: jax.Array):
        return self.norm(self.linear(x))


@nnx.jit(in_shardings=(None, SHARDED, REPLICATED, REPLICATED), out_shardings=(REPLICATED, (None, SHARDED, REPLICATED)))
def branch_of_state(graphdef, kernel_state, rest, x):
    model = nnx.merge(graphdef, kernel_state, rest)
    y = model(x)
    other = Net(nnx.Rngs(1))
    other.linear.kernel[...] = 2.0 * model.linear.kernel[...]
    return y, nnx.split(other, nnx.PathContains("kernel"), ...)


def branch(model: Net, x: jax.Array):
    """Runs the model, and returns a fresh one that starts at twice its weights."""
    graphdef, kernel_state, rest = nnx.split(model, nnx.PathContains("kernel"), ...)
    y, other = branch_of_state(graphdef, kernel_state, rest, x)
    return y, nnx.merge(*other)
