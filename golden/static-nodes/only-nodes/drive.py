from flax import nnx


def drive(program):
    model = program.Net(nnx.Rngs(0))
    twice = program.doubled(model)
    return program.described(model), program.kernels(model), program.shapes(model), twice, program.layers(model)
