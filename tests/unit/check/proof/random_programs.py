"""Random programs with loops in loops, small enough that many of them are the same function.

A program is data. JAX traces it (`function`), and Python runs it on wrapped 32-bit integers
(`run`), where nothing is rounded: two programs that agree on a few random inputs are the same
function for all that matters.
"""

from __future__ import annotations

import dataclasses
import operator
import random
from typing import Any

import jax.numpy as jnp
from jax import lax

LENGTH = 3
_OPERATIONS = {"+": operator.add, "-": operator.sub, "*": operator.mul}


@dataclasses.dataclass(frozen=True)
class Term:
    """`left operation right`, each a place in the scope; negative ones are constants."""

    operation: str
    left: int
    right: int


@dataclasses.dataclass(frozen=True)
class Loop:
    """A scan over an array, or a while loop of some steps.

    Its scope is the scope around it, then its carries, then the element (or the counter), then
    what `body` computes. It adds its last carries, and its outputs put together, to the scope
    around it.
    """

    array: int | None
    scale: int  # the place that the array is multiplied with
    steps: int
    guard: int  # the carry that ends a while loop early
    reverse: bool
    starts: tuple[int, ...]
    body: tuple[Statement, ...]
    updates: tuple[int, ...]
    output: int


@dataclasses.dataclass(frozen=True)
class Choice:
    """One of two terms, by the sign of a place."""

    on: int
    terms: tuple[Term, Term]


Statement = Term | Loop | Choice


@dataclasses.dataclass(frozen=True)
class Program:
    statements: tuple[Statement, ...]
    result: int


def generate(source: random.Random, depth: int = 2) -> Program:
    statements, size = _block(source, 2, depth)
    return Program(statements, size - 1)


def _block(source: random.Random, size: int, depth: int) -> tuple[tuple[Statement, ...], int]:
    """Statements, and the size of the scope after them."""
    statements: list[Statement] = []
    for _ in range(source.randint(1, 2)):
        kind = source.random()
        if depth and kind < 0.75:
            loop = _loop(source, size, depth)
            statements.append(loop)
            size += len(loop.starts) + 1
        elif kind < 0.85:
            statements.append(
                Choice(source.randrange(size), (_term(source, size), _term(source, size)))
            )
            size += 1
        else:
            statements.append(_term(source, size))
            size += 1
    return tuple(statements), size


def _term(source: random.Random, size: int) -> Term:
    return Term(source.choice("+-*"), source.randrange(size), source.randrange(-1, size))


def _loop(source: random.Random, size: int, depth: int) -> Loop:
    carries = source.randint(1, 3)
    starts = tuple(source.randrange(-1, size) for _ in range(carries))
    body, inner = _block(source, size + carries + 1, depth - 1)
    updates = tuple(source.randrange(size, inner) for _ in range(carries))
    return Loop(
        array=source.choice([0, 1, None]),
        scale=source.randrange(-size, size),
        steps=source.randint(2, 3),
        guard=source.randrange(-3, carries),
        reverse=source.random() < 0.3,
        starts=starts,
        body=body,
        updates=updates,
        output=source.randrange(size, inner),
    )


def function(program: Program) -> Any:
    """For JAX: of two numbers and two arrays."""

    def traced(a: Any, b: Any, first: Any, second: Any) -> Any:
        return _trace(program.statements, [a, b], (first, second))[program.result]

    return traced


def _trace(
    statements: tuple[Statement, ...], scope: list[Any], arrays: tuple[Any, Any]
) -> list[Any]:
    scope = list(scope)
    for statement in statements:
        match statement:
            case Term():
                scope.append(_compute(statement, scope))
            case Choice(on, (one, other)):
                here = tuple(scope)
                scope.append(
                    lax.cond(
                        scope[on] < 0,
                        lambda s, one=one: _compute(one, s),
                        lambda s, other=other: _compute(other, s),
                        here,
                    )
                )
            case Loop():
                scope += _trace_loop(statement, scope, arrays)
    return scope


def _trace_loop(loop: Loop, scope: list[Any], arrays: tuple[Any, Any]) -> list[Any]:
    start = tuple(jnp.int32(_value(scope, i)) for i in loop.starts)

    def step(carry: Any, element: Any) -> Any:
        inner = _trace(loop.body, [*scope, *carry, element], arrays)
        return tuple(inner[i] for i in loop.updates), inner[loop.output]

    if loop.array is not None:
        array = arrays[loop.array] * _value(scope, loop.scale)
        last, outputs = lax.scan(step, start, array, reverse=loop.reverse)
        return [*last, jnp.sum(outputs * jnp.arange(1, LENGTH + 1, dtype=jnp.int32))]

    def again(state: Any) -> Any:
        more = state[0] < loop.steps
        return more if loop.guard < 0 else more & (state[1][loop.guard] > 0)

    def advance(state: Any) -> Any:
        counter, carry, total = state
        carry, output = step(carry, counter)
        return counter + 1, carry, total * 3 + output

    _, last, total = lax.while_loop(again, advance, (jnp.int32(0), start, jnp.int32(0)))
    return [*last, total]


def _value(scope: Any, place: int) -> Any:
    return 1 if place < 0 else scope[place]


def _compute(term: Term, scope: Any) -> Any:
    return _OPERATIONS[term.operation](scope[term.left], _value(scope, term.right))


def run(program: Program, a: int, b: int, first: list[int], second: list[int]) -> int:
    """In Python, on 32 bits."""
    return _run(program.statements, [a, b], (first, second))[program.result]


def _wrap(number: int) -> int:
    return (number + 2**31) % 2**32 - 2**31


def _run(
    statements: tuple[Statement, ...], scope: list[int], arrays: tuple[list[int], list[int]]
) -> list[int]:
    scope = list(scope)
    for statement in statements:
        match statement:
            case Term():
                scope.append(_wrap(_compute(statement, scope)))
            case Choice(on, terms):
                scope.append(_wrap(_compute(terms[0 if scope[on] < 0 else 1], scope)))
            case Loop():
                scope += _run_loop(statement, scope, arrays)
    return scope


def _run_loop(loop: Loop, scope: list[int], arrays: tuple[list[int], list[int]]) -> list[int]:
    carry = [_value(scope, i) for i in loop.starts]
    steps = range(loop.steps) if loop.array is None else range(LENGTH)
    total = 0
    for i in reversed(steps) if loop.reverse and loop.array is not None else steps:
        if loop.array is None and loop.guard >= 0 and carry[loop.guard] <= 0:
            break
        element = i if loop.array is None else arrays[loop.array][i] * _value(scope, loop.scale)
        element = _wrap(element)
        inner = _run(loop.body, [*scope, *carry, element], arrays)
        carry = [inner[place] for place in loop.updates]
        output = inner[loop.output]
        total = _wrap(total * 3 + output if loop.array is None else total + output * (i + 1))
    return [*carry, total]


def mutate(source: random.Random, program: Program) -> Program:
    """One small change somewhere; the result is a program too."""
    statements = list(program.statements)
    sizes = [2]
    for statement in statements:
        sizes.append(sizes[-1] + (len(statement.starts) + 1 if isinstance(statement, Loop) else 1))
    i = source.randrange(len(statements))
    statements[i] = _mutated(source, statements[i], sizes[i])
    return Program(tuple(statements), program.result)


def _mutated(source: random.Random, statement: Statement, size: int) -> Statement:
    match statement:
        case Term():
            return _term(source, size)
        case Choice(on, (one, other)):
            return (
                Choice(on, (other, one))
                if source.random() < 0.5
                else Choice(on, (one, _term(source, size)))
            )
    return _mutated_loop(source, statement, size)


def _mutated_loop(source: random.Random, loop: Loop, size: int) -> Loop:
    inner = size + len(loop.starts) + 1
    ends = [inner]
    for statement in loop.body:
        ends.append(ends[-1] + (len(statement.starts) + 1 if isinstance(statement, Loop) else 1))
    k = source.randrange(len(loop.starts))
    match source.randrange(7):
        case 0:
            return dataclasses.replace(loop, reverse=not loop.reverse)
        case 1:
            start = source.randrange(-1, size)
            return dataclasses.replace(
                loop, starts=(*loop.starts[:k], start, *loop.starts[k + 1 :])
            )
        case 2:
            update = source.randrange(size, ends[-1])
            return dataclasses.replace(
                loop, updates=(*loop.updates[:k], update, *loop.updates[k + 1 :])
            )
        case 3:
            return dataclasses.replace(loop, output=source.randrange(size, ends[-1]))
        case 4:
            return dataclasses.replace(loop, array=None if loop.array is not None else 0)
        case 5:
            return dataclasses.replace(
                loop,
                scale=source.randrange(-1, size),
                guard=source.randrange(-1, len(loop.starts)),
            )
    i = source.randrange(len(loop.body))
    body = list(loop.body)
    body[i] = _mutated(source, body[i], ends[i])
    return dataclasses.replace(loop, body=tuple(body))
