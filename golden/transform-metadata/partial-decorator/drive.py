from flax import nnx


def drive(program):
    return [program.create(n, 2, nnx.Rngs(n)) for n in (1, 3)]
