from flax import nnx


def drive(program):
    model, head = program.Net(nnx.Rngs(0)), nnx.Linear(3, 1, rngs=nnx.Rngs(1))
    return program.both(model, head), program.named(model, head), program.alone(model)
