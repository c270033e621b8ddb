import jax.numpy as jnp


def drive(program):
    model, opt_state = program.init(0)
    x = jnp.arange(6.0).reshape(3, 2)
    out = []
    for _ in range(2):
        loss, norm, opt_state = program.train_step(model, opt_state, x)
        out.append((loss, norm))
    return out, model, opt_state
