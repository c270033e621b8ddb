import jax.numpy as jnp


def drive(program):
    x = jnp.arange(6.0).reshape(3, 2)
    return (
        program.of_a_layer(x),
        program.of_layers(x),
        program.of_noisy_layers(x),
        program.of_a_frozen_layer(x),
        program.of_a_shared_layer(x),
    )
