from flax import nnx


def drive(program):
    return [name for name in program.run(program.Net(nnx.Rngs(0))) if not name.startswith("_")]
