import jax
from flax import nnx


class Block(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.kernel = nnx.Param(
            jax.random.normal(rngs.params(), (2, 2)), out_sharding=("in", "out"), eager_sharding=False
        )


def create(n: int, rngs: nnx.Rngs, metadata: dict, **options):
    @nnx.split_rngs(splits=n)
    @nnx.compat.vmap(transform_metadata=metadata)
    def init(rngs: nnx.Rngs):
        return Block(rngs)

    return init(rngs)


def create_with_options(n: int, rngs: nnx.Rngs, **options) -> Block:
    # options may hold in_axes, out_axes, transform_metadata
    return nnx.split_rngs(splits=n)(nnx.compat.vmap(
        nnx.set_graph_mode(True)(nnx.set_graph_updates(True)(Block)), **options
    ))(rngs)
