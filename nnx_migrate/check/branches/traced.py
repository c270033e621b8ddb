"""Which ways of the conditions in a traced program its numbers take.

A trace takes all of them alike. So the program is computed once more, with a note at each
condition that is written in a watched file; where there is none, nothing is computed.
"""

from __future__ import annotations

import ast
import functools
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.extend import core

from nnx_migrate.check.branches.coverage import file_of
from nnx_migrate.check.branches.sites import Taken, sites_in
from nnx_migrate.check.cases.calls import failure
from nnx_migrate.check.compare.forms import NotDone
from nnx_migrate.check.jobs import Side
from nnx_migrate.check.proof.primitives import CALLS

_Program = core.Jaxpr | core.ClosedJaxpr
_OF_JAX = str(Path(jax.__file__).parent) + os.sep


class _Place(NamedTuple):
    path: str
    line: int


class _Above(NamedTuple):
    """What a program is part of.

    Args:
        place: where that is written.
        shared: the program is jax's own, traced once for all who call it: what its equations say
            of where they come from is true of the first one alone.
    """

    place: _Place | None = None
    shared: bool = False


class _Condition(NamedTuple):
    place: _Place
    kind: str
    ways: int


class Conditions:
    """The conditions of traced programs that are written in the watched files of a side.

    Args:
        side: whose files are watched.

    Attributes:
        found: those of the last program, with the ways that were taken; why they are not known.
    """

    def __init__(self, side: Side) -> None:
        self.found: tuple[Taken, ...] | NotDone = ()
        files = {str(file_of(side, path)): path for path in side.watched}
        self._files = {file: path for file, path in files.items() if _has_sites(file)}
        self._taken: dict[_Condition, set[int]] = {}

    def find(self, program: core.ClosedJaxpr) -> None:
        """Finds the conditions of a program, each with all of its ways, for a proof holds for all.

        Args:
            program: a traced one.
        """
        found = dict.fromkeys(self._in(program, _Above())) if self._files else {}
        self.found = tuple(_taken(each, range(each.ways)) for each in found)

    def follow(self, function: Callable[[Any], Any], inputs: Any) -> None:
        """Finds the conditions of a function, each with the ways that these inputs take.

        Args:
            function: it can be traced.
            inputs: its argument.
        """
        if not self._files:
            return
        try:
            program = jax.make_jaxpr(function)(inputs)
            if self._in(program, _Above()):
                computed = jax.jit(functools.partial(self._computed, program, _Above()))
                jax.block_until_ready(computed(*jax.tree.leaves(inputs)))
                jax.effects_barrier()
            self.found = tuple(_taken(each, ways) for each, ways in self._taken.items())
        except Exception as error:
            self.found = NotDone(failure(error))

    def _in(self, program: _Program, above: _Above) -> list[_Condition]:
        found = []
        for equation in _opened(program)[0].eqns:
            place = self._place(equation, above)
            kind = _kind(equation)
            if kind and place:
                found.append(_Condition(place, kind, _ways_of(equation)))
            for inner in _bodies(equation):
                found += self._in(inner, _inside(equation, place, above))
        return found

    def _place(self, equation: core.JaxprEqn, above: _Above) -> _Place | None:
        """The innermost line of a watched file that an equation comes from."""
        traceback = None if above.shared else equation.source_info.traceback
        frames: Sequence[Any] = traceback.frames if traceback is not None else ()
        for frame in frames:
            if frame.file_name in self._files:
                return _Place(self._files[frame.file_name], frame.line_num)
        return above.place

    def _computed(self, program: _Program, above: _Above, *inputs: Any) -> list[Any]:
        jaxpr, constants = _opened(program)
        known: dict[core.Var, Any] = dict(zip(jaxpr.constvars, constants, strict=True))
        known.update(zip(jaxpr.invars, inputs, strict=True))
        for equation in jaxpr.eqns:
            place = self._place(equation, above)
            given = [_read(known, each) for each in equation.invars]
            kind = _kind(equation)
            if kind and place:
                self._note(_Condition(place, kind, _ways_of(equation)), given[0])
            found = self._bound(equation, _inside(equation, place, above), given)
            known.update(zip(equation.outvars, found, strict=True))
        return [_read(known, each) for each in jaxpr.outvars]

    def _note(self, condition: _Condition, which: Any) -> None:
        ways = self._taken.setdefault(condition, set())

        def note(seen: Any) -> None:
            ways.update(map(int, np.flatnonzero(seen)))

        number = jnp.asarray(which).astype(jnp.int32)
        jax.debug.callback(note, jnp.stack([(number == n).any() for n in range(condition.ways)]))

    def _bound(self, equation: core.JaxprEqn, inside: _Above, given: list[Any]) -> list[Any]:
        name, parameters = equation.primitive.name, equation.params
        programs = _bodies(equation)
        if any(self._in(each, inside) for each in programs):
            bodies = [functools.partial(self._computed, each, inside) for each in programs]
            if name == "cond":
                found: list[Any] = lax.switch(given[0], bodies, *given[1:])
                return found
            if name == "scan":
                return _scanned(parameters, bodies[0], given)
            if name == "while":
                return _looped(parameters, bodies[0], bodies[1], given)
            return bodies[0](*given)
        bound = equation.primitive.bind(*given, **equation.primitive.get_bind_params(parameters))
        return list(bound) if equation.primitive.multiple_results else [bound]


def _scanned(
    parameters: Mapping[str, Any], body: Callable[..., list[Any]], given: list[Any]
) -> list[Any]:
    fixed, carried = parameters["num_consts"], parameters["num_carry"]
    constants, carry, rows = given[:fixed], given[fixed:][:carried], given[fixed + carried :]

    def step(carry: list[Any], row: list[Any]) -> tuple[list[Any], list[Any]]:
        found = body(*constants, *carry, *row)
        return found[:carried], found[carried:]

    last, stacked = lax.scan(
        step, carry, rows, length=parameters["length"], reverse=parameters["reverse"]
    )
    return [*last, *stacked]


def _looped(
    parameters: Mapping[str, Any],
    test: Callable[..., list[Any]],
    body: Callable[..., list[Any]],
    given: list[Any],
) -> list[Any]:
    of_test, of_body = parameters["cond_nconsts"], parameters["body_nconsts"]
    for_test, for_body = given[:of_test], given[of_test:][:of_body]
    found: list[Any] = lax.while_loop(
        lambda carry: test(*for_test, *carry)[0],
        lambda carry: body(*for_body, *carry),
        given[of_test + of_body :],
    )
    return found


def _opened(program: _Program) -> tuple[core.Jaxpr, Sequence[Any]]:
    return (
        (program.jaxpr, program.consts) if isinstance(program, core.ClosedJaxpr) else (program, ())
    )


def _inside(equation: core.JaxprEqn, place: _Place | None, above: _Above) -> _Above:
    """What the programs that an equation computes are part of."""
    of_jax = False
    if equation.primitive.name in CALLS:
        jaxpr, _ = _opened(*_bodies(equation))
        file = jaxpr.debug_info.func_filename or ""
        of_jax = file.startswith(_OF_JAX)
    return _Above(place, above.shared or of_jax)


def _bodies(equation: core.JaxprEqn) -> Sequence[_Program]:
    """The programs that an equation computes and whose conditions can be seen."""
    name, parameters = equation.primitive.name, equation.params
    if name in CALLS:
        return [parameters[CALLS[name]]]
    if name == "cond":
        return list(parameters["branches"])
    if name == "scan":
        return [parameters["jaxpr"]]
    return [parameters["cond_jaxpr"], parameters["body_jaxpr"]] if name == "while" else []


def _kind(equation: core.JaxprEqn) -> str:
    """What kind of a condition an equation is; "" for none."""
    if equation.primitive.name == "select_n":
        # A condition that is mapped over selects by a number; beside it are selections by flags,
        # which keep gradients of the branch that is not taken out.
        which: Any = equation.invars[0].aval
        return "select" if which.dtype == bool else "cond"
    return "cond" if equation.primitive.name == "cond" else ""


def _ways_of(equation: core.JaxprEqn) -> int:
    if equation.primitive.name == "cond":
        return len(equation.params["branches"])
    return len(equation.invars) - 1


def _read(known: Mapping[core.Var, Any], atom: Any) -> Any:
    return atom.val if isinstance(atom, core.Literal) else known[atom]


def _taken(condition: _Condition, ways: Iterable[int]) -> Taken:
    return Taken(*condition.place, condition.kind, condition.ways, tuple(sorted(ways)))


@functools.cache
def _has_sites(file: str) -> bool:
    try:
        return next(sites_in(ast.parse(Path(file).read_bytes())), None) is not None
    except (OSError, SyntaxError, ValueError):
        return False
