import jax.numpy as jnp


def drive(program):
    x = jnp.arange(6.0).reshape(3, 2)
    net, optimizer = program.make()
    losses = [program.train_step(net, optimizer, x) for _ in range(2)]
    return losses, program.by_name({"relu": jnp.abs}, "relu", x), net, optimizer
