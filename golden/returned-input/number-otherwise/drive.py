import jax.numpy as jnp


def drive(program):
    alpha, other, x = program.Alpha(), program.Alpha(), jnp.arange(3.0)
    learnt = [program.step(alpha, x, True) for _ in range(2)]
    fixed = program.step(0.2, x, False), program.value_of(0.2, False)
    same = program.step_and_model(other, x, True)
    return learnt, alpha, fixed, program.value_of(alpha, True), same, same[1] is other
