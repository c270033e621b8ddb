import jax.numpy as jnp


def drive(program):
    model = program.Net()
    found = []
    for step in (program.step, program.forward):
        for x in (jnp.ones(2), jnp.ones((3, 2)).T, jnp.ones(2)):
            found.append(step(model, x[:2]))
            held = model.layouts
            found += [held.calls, sorted(held.cache), list(held.names), held.last]
    return found
