import jax.numpy as jnp


def drive(program):
    train_step = program.make_train_step(2.0)
    x = jnp.arange(6.0).reshape(3, 2)
    first, second = program.make(0), program.make(1)
    return [(train_step(*first, x), train_step(*second, x)) for _ in range(2)], first, second
