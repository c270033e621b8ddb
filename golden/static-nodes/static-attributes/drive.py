from flax import nnx


def drive(program):
    model = program.Net(nnx.Rngs(0))
    sizes = sorted((str(path), size) for path, size in program.sizes(model).items())
    return sizes, program.names(model), program.halved(model).rate, program.replaced(model), program.counted(model), program.settings(model), program.handed_on([model])
