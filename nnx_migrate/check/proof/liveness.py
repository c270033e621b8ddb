"""Which inputs each output of a jaxpr is computed from, looked at through calls and loops.

It keeps dead code, and loop state that nothing reads, from being looked at at all: their
refusals, their work and their part in the partition of a loop's carries are saved. It is only
about structure, so it errs on the side of live.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Iterable
from typing import NamedTuple

from jax.extend import core

from nnx_migrate.check.proof.calls import body, opened
from nnx_migrate.check.proof.primitives import CALLS, CONTROL


class Live(NamedTuple):
    """An equation, and a bit for each of its outputs that is wanted."""

    equation: core.JaxprEqn
    wanted: int


class Liveness:
    """Remembers its answers: jaxprs are shared by the equations that call them."""

    def __init__(self) -> None:
        self._reads: dict[int, tuple[int, ...]] = {}
        self._equations: dict[int, tuple[int, ...]] = {}
        self._live: dict[tuple[int, int], list[Live]] = {}

    def reads(self, jaxpr: core.Jaxpr) -> tuple[int, ...]:
        """For each output, a bit for each input that it reads (constants are not counted)."""
        known = self._reads.get(id(jaxpr))
        if known is None:
            masks: dict[object, int] = {v: 1 << i for i, v in enumerate(jaxpr.invars)}
            for equation in jaxpr.eqns:
                inputs = [
                    0 if isinstance(v, core.Literal) else masks.get(v, 0) for v in equation.invars
                ]
                if _is_plain(equation):
                    masks.update(dict.fromkeys(equation.outvars, _all(inputs)))
                    continue
                unions: dict[int, int] = {}  # most outputs of one equation read the same
                for variable, mask in zip(equation.outvars, self.of(equation), strict=True):
                    if mask not in unions:
                        unions[mask] = _all(inputs[i] for i in positions(mask))
                    masks[variable] = unions[mask]
            known = tuple(
                0 if isinstance(v, core.Literal) else masks.get(v, 0) for v in jaxpr.outvars
            )
            self._reads[id(jaxpr)] = known
        return known

    def of(self, equation: core.JaxprEqn) -> tuple[int, ...]:
        """For each output of an equation, a bit for each operand that it reads."""
        known = self._equations.get(id(equation))
        if known is None:
            known = self._equations[id(equation)] = self._look(equation)
        return known

    def _look(self, equation: core.JaxprEqn) -> tuple[int, ...]:
        called = body(equation)
        if called is not None:
            return self.reads(opened(called)[0])
        params = equation.params
        match equation.primitive.name:
            case "scan":
                first = params["num_consts"]
                reads = self.reads(params["jaxpr"].jaxpr)
                return _closed(reads, first, params["num_carry"])
            case "shard_map":
                return self.reads(opened(params["jaxpr"])[0])
            case "while":
                return self._of_while(equation)
            case "cond":
                branches = [self.reads(branch.jaxpr) for branch in params["branches"]]
                return tuple(1 | _all(masks) << 1 for masks in zip(*branches, strict=True))
        return ((1 << len(equation.invars)) - 1,) * len(equation.outvars)

    def _of_while(self, equation: core.JaxprEqn) -> tuple[int, ...]:
        params = equation.params
        of_cond, of_body = params["cond_nconsts"], params["body_nconsts"]
        cond = self.reads(params["cond_jaxpr"].jaxpr)[0]
        # The operands are the constants of the condition, those of the body, and the carries.
        low = (1 << of_cond) - 1
        cond = (cond & low) | (cond & ~low) << of_body
        reads = tuple(mask << of_cond for mask in self.reads(params["body_jaxpr"].jaxpr))
        first = of_cond + of_body
        ends = _closed((*reads, cond), first, len(reads))[-1]
        return tuple(mask | ends for mask in _closed(reads, first, len(reads)))

    def live(self, jaxpr: core.Jaxpr, wanted: int) -> list[Live]:
        """The equations that the wanted outputs (a bit each) need, in order."""
        known = self._live.get((id(jaxpr), wanted))
        if known is not None:
            return known
        needed = {id(jaxpr.outvars[i]) for i in positions(wanted)}
        found: list[Live] = []
        for equation in reversed(jaxpr.eqns):
            outputs = 0
            for i, variable in enumerate(equation.outvars):
                if id(variable) in needed:
                    outputs |= 1 << i
            if not outputs:
                continue
            found.append(Live(equation, outputs))
            if _is_plain(equation):
                needed.update(map(id, equation.invars))
            else:
                of = self.of(equation)
                reads = _all(of[i] for i in positions(outputs))
                needed.update(id(equation.invars[i]) for i in positions(reads))
        found.reverse()
        self._live[id(jaxpr), wanted] = found
        return found


def _is_plain(equation: core.JaxprEqn) -> bool:
    """Whether every output reads every operand."""
    name = equation.primitive.name
    return name not in CALLS and name not in CONTROL


def positions(mask: int) -> list[int]:
    """The places of the bits that are set."""
    return [i for i, digit in enumerate(bin(mask)[:1:-1]) if digit == "1"]


def reached(mask: int, through: int, direct: Callable[[int], int], known: dict[int, int]) -> int:
    """With the bits of a mask, all that can be reached from them.

    Args:
        through: the bits that lead on.
        direct: where to.
        known: what was found for single bits before; what is found now is added.
    """
    found, todo = mask & ~through, mask & through
    while todo:
        bit = todo & -todo
        if bit in known:
            found |= known[bit]
        else:
            step = direct(bit)
            found |= bit | step & ~through
            todo |= step & through
        todo &= ~found
    if mask & through == mask and mask.bit_count() == 1:
        known[mask] = found
    return found


def _all(masks: Iterable[int]) -> int:
    return functools.reduce(operator.or_, masks, 0)


def _closed(reads: tuple[int, ...], first: int, carries: int) -> tuple[int, ...]:
    """What the outputs of a body read over all steps of its loop.

    Args:
        first: where the carries are among the operands. They are the first of the outputs.
    """
    state = (1 << first + carries) - (1 << first)
    known: dict[int, int] = {}

    def of(carry: int) -> int:
        return reached(
            1 << first + carry, state, lambda bit: reads[bit.bit_length() - 1 - first], known
        )

    return (
        *(of(carry) for carry in range(carries)),
        *(
            reached(mask, state, lambda bit: of(bit.bit_length() - 1 - first), known)
            for mask in reads[carries:]
        ),
    )
