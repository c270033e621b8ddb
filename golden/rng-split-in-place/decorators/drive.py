from flax import nnx


def drive(program):
    rngs = nnx.Rngs(params=0, dropout=1)
    made = program.create(rngs), program.curried(rngs)
    return made, program.fork_keys(rngs), program.split(rngs), rngs
