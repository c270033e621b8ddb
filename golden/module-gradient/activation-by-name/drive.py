import jax.numpy as jnp
from flax import nnx


def drive(program):
    x, y = jnp.arange(6.0).reshape(3, 2), jnp.ones((3, 2))
    mlp = program.MLP(2, "gelu", nnx.Rngs(0))
    noisy = program.Noisy(2, "relu", nnx.Rngs(1))
    optimizers = program.make(mlp), program.make(noisy)
    losses = [program.train_mlp(mlp, optimizers[0], x, y) for _ in range(2)]
    losses += [program.train_noisy(noisy, optimizers[1], x, y) for _ in range(2)]
    return losses, program.changed_by_name(mlp, "state", x), mlp, noisy, optimizers
