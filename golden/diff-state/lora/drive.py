import jax.numpy as jnp


def drive(program):
    model, optimizer = program.make(0)
    x = jnp.arange(6.0).reshape(3, 2)
    return [program.train_step(model, optimizer, x) for _ in range(3)], model, optimizer
