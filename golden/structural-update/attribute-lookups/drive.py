import jax.numpy as jnp


def drive(program):
    model, plain, x = program.Lazy(), program.Plain(), jnp.ones(2)
    seen = []
    for step in ("missing", "described", "walked", "stacked"):
        seen.append((getattr(program, step)(model, x), model.reads))
    return seen, program.found(plain, x)
