from flax import nnx


def drive(program):
    model = nnx.Linear(2, 3, rngs=nnx.Rngs(0))
    run = program.Run(nnx.Rngs(1))
    return program.describe(model, 4), program.checkpoint(model, 10), run.leaves(), program.nested(model)
