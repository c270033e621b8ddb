import jax
from flax import nnx


class Block(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.kernel = nnx.Param(
            jax.random.normal(rngs.params(), (2, 2)), out_sharding=("in", "out"), eager_sharding=False
        )


def create_pipeline(stages: int, layers: int, rngs: nnx.Rngs) -> Block:
    """A grid of blocks: stages x layers."""

    @nnx.split_rngs(splits=stages)
    @nnx.vmap(
        in_axes=0,
        out_axes=0,
    )
    @nnx.transform_metadata(partition="stage")
    def create_stage(rngs: nnx.Rngs):
        create_layers = nnx.split_rngs(splits=layers)(
            nnx.vmap(
                nnx.transform_metadata(Block, partition="layers"),
                in_axes=0,
                out_axes=0,
            )
        )
        return create_layers(rngs)

    return create_stage(rngs)


def grid(n: int, rngs: nnx.Rngs) -> Block:
    rngs = rngs.fork(split=(n, n))
    return nnx.vmap(
        nnx.transform_metadata(
            nnx.vmap(nnx.transform_metadata(Block, partition="column")),
            partition="row",
        ),
    )(rngs)
