"""Two models that a loop captures, each made by a call of its own."""

import jax
import jax.numpy as jnp
from flax import nnx


class Actor(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.scale = nnx.Param(rngs.params.normal((2,)))
        self.calls = nnx.Variable(jnp.array(0))

    def __call__(self, x: jax.Array):
        self.calls[...] += 1
        return self.scale[...] * x



class Pair(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.first = Actor(rngs)
        self.second = Actor(rngs)

    def __call__(self, x: jax.Array):
        first, second = self.first, self.second

        def body(i, carry):
            x, first, second = carry
            return first(second(x)), first, second

        return nnx.fori_loop(0, 2, body, (x, first, second))[0]


def made_here(x: jax.Array):
    rngs = nnx.Rngs(1)
    student, teacher = Actor(rngs), nnx.clone(Actor(rngs))

    def body(i, carry):
        x, student, teacher = carry
        return student(teacher(x)), student, teacher

    y, _, _ = nnx.fori_loop(0, 2, body, (x, student, teacher))
    return y, student, teacher


def given(student: Actor, teacher: Actor, x: jax.Array):
    return nnx.cond(
        x.sum() > 0,
        lambda x, student, teacher: student(teacher(x)),
        lambda x, student, teacher: x,
        x,
        student,
        teacher,
    )


def carried_already(x: jax.Array):
    student = Actor(nnx.Rngs(4))
    teacher = Actor(nnx.Rngs(5))

    def step(i, carry):
        student, x, teacher = carry
        return student, student(teacher(x)), teacher

    return nnx.fori_loop(0, 2, step, (student, x, teacher))[1], student, teacher


def run(x: jax.Array):
    student = Actor(nnx.Rngs(2))
    teacher = Actor(nnx.Rngs(3))
    pair = Pair(nnx.Rngs(0))
    return pair(x), pair, given(student, teacher, x), student, teacher
