from flax import nnx


def drive(program):
    blocks = program.create_pipeline(2, 3, nnx.Rngs(0))
    grid = program.grid(2, nnx.Rngs(1))
    return blocks, grid, blocks.kernel.out_sharding, grid.kernel.out_sharding
