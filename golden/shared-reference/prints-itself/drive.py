from flax import nnx


def drive(program):
    return program.told(program.Tied(nnx.Rngs(0)))
