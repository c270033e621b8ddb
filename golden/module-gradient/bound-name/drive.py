import jax.numpy as jnp


def drive(program):
    model, optimizer = program.make(0)
    other, _ = program.make(1)
    x = jnp.arange(6.0).reshape(3, 2)
    return {
        "once": program.once(model, x),
        "loop": program.loop(model, optimizer, [x, x + 1, x - 1]),
        "pair": program.pair(model, other, x),
        "state": (model, other, optimizer),
    }
