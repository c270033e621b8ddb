import jax
import jax.numpy as jnp
from flax import nnx


class Bank(nnx.Module):
    def __init__(self, n: int, rngs: nnx.Rngs):
        self.kernel = nnx.Param(
            jax.random.normal(rngs.params(), (n, 2, 2)),
            out_sharding=("heads", "in", "out"),
            eager_sharding=False,
        )
        self.mean = nnx.BatchStat(jnp.zeros((n, 2)), out_sharding=("heads", "out"), eager_sharding=False)


seen = []


@nnx.vmap(in_axes=(0, None), out_axes=0)
@nnx.transform_metadata(in_axes=(0, None), partition="heads")
def forward(bank: Bank, x: jax.Array):
    seen.append(bank.kernel.out_sharding)  # without "heads" in here
    y = x @ bank.kernel[...]
    bank.mean[...] = 0.9 * bank.mean[...] + 0.1 * jnp.mean(y, axis=0)
    return y
