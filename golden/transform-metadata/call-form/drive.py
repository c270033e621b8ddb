from flax import nnx


def drive(program):
    return program.create(3, nnx.Rngs(0)), program.create_lambda(3, nnx.Rngs(1))
