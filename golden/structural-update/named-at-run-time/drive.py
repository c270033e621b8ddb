import jax.numpy as jnp


def drive(program):
    model, x = program.Net(), jnp.ones(2)
    found = [
        (program.by_globals("counting", model, x), model.calls),
        (program.by_module("counting", model, x), model.calls),
        (program.by_class("forward", model, x), model.calls),
        (program.by_parameter(program.counting, model, jnp.ones((3, 2))), model.calls),
        (program.inside(model, x), model.calls),
        (program.by_text(model, x), model.calls),
    ]
    return found, program.arrays_only("doubled", x)
