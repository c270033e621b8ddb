import jax.numpy as jnp


def drive(program):
    trained, decoding = program.trained(), program.decoding()
    x = jnp.arange(6.0).reshape(1, 3, 2)
    results = [program.train_step(trained, x), program.train_step(trained, x)]
    return results, program.decode(decoding, x), trained, decoding
