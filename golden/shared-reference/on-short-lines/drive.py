from flax import nnx


def drive(program):
    model = program.Tied(nnx.Rngs(0))
    found = program.checkpoint(1, {"a": model}), program.split(model), program.kept({"a": model})
    return found, program.reported(lambda count, zero, name, one: (count, zero, one), model)
