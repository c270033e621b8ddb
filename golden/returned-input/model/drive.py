from flax import nnx


def drive(program):
    model = program.Net(nnx.Rngs(0))
    trained = program.train(model)
    return trained, trained is model
