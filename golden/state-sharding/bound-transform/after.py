import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 4, rngs=rngs)
        self.norm = nnx.BatchNorm(4, rngs=rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)

    def __call__(self, x: jax.Array):
        return self.drop(self.norm(self.linear(x)))


def forward(model: Net, x: jax.Array):
    return model(x)


def evaluate(model: Net, batches):
    mesh = Mesh(np.array(jax.devices()[:2]), ("data",))
    data_sharding = NamedSharding(mesh, P("data"))
    run = nnx.jit(forward, in_shardings=(NamedSharding(mesh, P()), data_sharding))
    # compiled once, called for each batch
    return [run(model, batch) for batch in batches]
