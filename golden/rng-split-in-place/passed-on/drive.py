from flax import nnx


def drive(program):
    models = [program.Noisy(nnx.Rngs(seed)) for seed in range(2)]
    program.fork_all(models)
    return models, program.ensemble(nnx.Rngs(2))
