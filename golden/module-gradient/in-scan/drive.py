import jax.numpy as jnp


def drive(program):
    model, optimizer = program.make(0)
    xs = jnp.arange(18.0).reshape(3, 3, 2)
    return [program.train_epoch(model, optimizer, xs) for _ in range(2)], model, optimizer
