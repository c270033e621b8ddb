from flax import nnx


def drive(program):
    model = program.Net(nnx.Rngs(0))
    program.freeze(model)
    return model, isinstance(model.linear.kernel, nnx.Param), isinstance(model.norm, nnx.Variable)
