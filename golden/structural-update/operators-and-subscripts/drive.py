import jax.numpy as jnp


def drive(program):
    history, totals, x = program.History(), program.Totals(), jnp.ones(2)
    found = []
    for step in ("multiply", "subtract", "read", "write", "loop", "measure", "search"):
        found.append((getattr(program, step)(history, x), history.seen, history.total[...]))
    return found, hasattr(history, "last"), program.in_place_only(totals, x), totals.total[...]
