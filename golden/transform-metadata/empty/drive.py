from flax import nnx


def drive(program):
    return program.create(nnx.Rngs(0))
