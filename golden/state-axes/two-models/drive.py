import jax.numpy as jnp


def drive(program):
    student, teacher = program.make(3), program.make(3)
    x = jnp.arange(8.0).reshape(4, 2)
    return [program.agreement(student, teacher, x) for _ in range(2)], student, teacher
