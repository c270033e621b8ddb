import jax.numpy as jnp


def drive(program):
    model, x = program.Net(), jnp.ones(2)
    found = [program.once(model, x), program.chosen(True, model, x), program.printed(model, x)]
    found += [program.mapped(model, [x, x]), program.short(model, x)]
    return found, program.after_others(model, x), model
