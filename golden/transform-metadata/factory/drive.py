from flax import nnx


def drive(program):
    blocks = program.create_blocks(nnx.Rngs(0))
    kernels = program.create_kernels(nnx.Rngs(params=1))
    names = nnx.get_partition_spec(nnx.state(blocks, (nnx.Param, nnx.BatchStat)))
    return blocks, kernels, blocks.kernel.out_sharding, names
