"""No two random programs of equal hash are different functions."""

from __future__ import annotations

import random

import pytest

jax = pytest.importorskip("jax")
jnp = pytest.importorskip("jax.numpy")

from tests.unit.check.proof import random_programs
from tests.unit.check.proof.random_programs import LENGTH, Program
from tests.unit.check.proof.tracing import program as hashed

pytestmark = pytest.mark.runs_jax

SHAPES = (
    jax.ShapeDtypeStruct((), jnp.int32),
    jax.ShapeDtypeStruct((), jnp.int32),
    jax.ShapeDtypeStruct((LENGTH,), jnp.int32),
    jax.ShapeDtypeStruct((LENGTH,), jnp.int32),
)


def inputs(count: int) -> list[tuple[int, int, list[int], list[int]]]:
    source = random.Random(0)

    def number() -> int:
        return source.randint(-50, 50)

    return [
        (number(), number(), [number() for _ in range(LENGTH)], [number() for _ in range(LENGTH)])
        for _ in range(count)
    ]


INPUTS = inputs(5)


def behaviour(program: Program) -> tuple[int, ...]:
    return tuple(random_programs.run(program, *given) for given in INPUTS)


def name(program: Program) -> str:
    return hashed(random_programs.function(program), *SHAPES).outputs[0]


def test_the_programs_are_what_jax_runs() -> None:
    for seed in range(4):
        program = random_programs.generate(random.Random(seed))
        compiled = jax.jit(random_programs.function(program))
        for a, b, first, second in INPUTS[:2]:
            arrays = (jnp.array(first, jnp.int32), jnp.array(second, jnp.int32))
            assert int(compiled(a, b, *arrays)) == random_programs.run(program, a, b, first, second)


@pytest.mark.parametrize("depth", [1, 2])
def test_equal_hashes_are_equal_functions(depth: int) -> None:
    seen: dict[str, tuple[Program, tuple[int, ...]]] = {}
    accepted = rejected = 0
    for seed in range(500):
        source = random.Random(seed)
        program = random_programs.generate(source, depth)
        names = set()
        for candidate in (program, random_programs.mutate(source, program)):
            key, values = name(candidate), behaviour(candidate)
            names.add(key)
            first, expected = seen.setdefault(key, (candidate, values))
            assert values == expected, (first, candidate)
            accepted += first != candidate
        rejected += len(names) == 2
    assert accepted > 150
    assert rejected > 150


def test_few_mutants_are_equal_unseen() -> None:
    """So that hashes are not merely always different."""
    equal = unseen = 0
    for seed in range(300):
        source = random.Random(seed)
        program = random_programs.generate(source)
        mutant = random_programs.mutate(source, program)
        if mutant != program and behaviour(program) == behaviour(mutant):
            equal += 1
            unseen += name(program) != name(mutant)
    assert equal > 80
    assert unseen < equal / 4
