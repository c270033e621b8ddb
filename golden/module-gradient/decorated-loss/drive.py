import jax.numpy as jnp


def drive(program):
    x = jnp.arange(8.0).reshape(4, 2)
    out, model, optimizer = program.run(0, x)
    again = [program.squared(model, x), program.absolute(model, x), program.with_output(model, x)]
    return out, again, program.train_step(model, optimizer, x), model, optimizer
