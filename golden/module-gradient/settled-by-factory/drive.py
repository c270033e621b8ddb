import jax.numpy as jnp


def drive(program):
    x = jnp.arange(6.0).reshape(3, 2)
    return (
        program.from_a_function(x),
        program.from_a_lambda(x),
        program.from_a_keyword(x),
        program.from_the_second(x),
        program.from_a_class(x),
        program.from_one_that_counts(x),
    )
