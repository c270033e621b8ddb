from flax import nnx


def drive(program):
    a, b = program.Net(nnx.Rngs(0)), program.Net(nnx.Rngs(1))
    return program.run(a, b), a, b
