from flax import nnx


def drive(program):
    net = program.Net(nnx.Rngs(0))
    named = [getattr(program, name) for name in dir(program) if name.startswith("kinds")]
    return [function(net) for function in named]
