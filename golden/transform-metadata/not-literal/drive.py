from flax import nnx


def drive(program):
    metadata = {nnx.PARTITION_NAME: "layers"}
    first = program.create(3, nnx.Rngs(0), metadata)
    second = program.create_with_options(2, nnx.Rngs(1), transform_metadata=metadata)
    return first, second, first.kernel.out_sharding, second.kernel.out_sharding
