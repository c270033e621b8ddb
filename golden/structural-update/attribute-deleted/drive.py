from flax import nnx


def drive(program):
    model = program.Pretrained(nnx.Rngs(0))
    program.prune(model)
    return model, hasattr(model, "auxiliary")
