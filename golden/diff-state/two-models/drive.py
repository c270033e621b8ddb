import jax.numpy as jnp


def drive(program):
    encoder, decoder, optimizers = program.make(0)
    x = jnp.arange(6.0).reshape(3, 2)
    steps = [program.train_step(encoder, decoder, optimizers, x) for _ in range(2)]
    return steps, encoder, decoder, optimizers
