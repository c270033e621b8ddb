"""`nnx.pop(model, T)` on every way through a function, behind all that sows in it."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Sequence

from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.ir.lowering.expressions import lower_call
from nnx_migrate.analysis.ir.lowering.statement_order import may_leave

_POP = "pop"


@dataclasses.dataclass(frozen=True, slots=True)
class _Pop:
    """A pop that a statement ends with.

    Args:
        statement: one of the function's own, under no condition; None where it is all of a lambda.
        call: the pop itself.
        before: how many calls of the function are made before it.
    """

    statement: ast.stmt | None
    call: ast.Call
    before: int


class CertainPops:
    """Gathers them while the statements of a function are walked, one after the other."""

    def __init__(self) -> None:
        self._found: list[_Pop] = []

    def note(self, statement: ast.stmt, before: int, after: int) -> None:
        """Look at a statement of the function's own.

        Args:
            before: how many calls were noted before it.
            after: how many with those of it.
        """
        match statement:
            case ast.Assign(targets=[target], value=value) if _binds_names(target):
                self._note(statement, value, before, after)
            case ast.Expr(value=value) | ast.Return(value=ast.expr() as value):
                self._note(statement, value, before, after)

    def note_lambda(self, body: ast.expr, calls: int) -> None:
        """Look at the body of a lambda, of which so many calls were noted."""
        self._note(None, body, 0, calls)

    def _note(self, statement: ast.stmt | None, value: ast.expr, before: int, after: int) -> None:
        """Look at what is evaluated last."""
        last = value
        while isinstance(last, ast.Tuple) and last.elts:
            last = last.elts[-1]
        pop = last
        while isinstance(pop, ast.Call) and _named(pop) != _POP and pop.args:
            pop = pop.args[0]  # `jax.tree.leaves(nnx.pop(model, T))`
        if not isinstance(pop, ast.Call) or _named(pop) != _POP or len(pop.args) < 2:
            return
        around = sum(isinstance(node, ast.Call | ast.Lambda) for node in ast.walk(last))
        if around != _depth(last, pop):
            return  # something else runs in the expression
        self._found.append(_Pop(statement, pop, before if last is value else after - around))

    def settled(self, body: Sequence[ast.stmt]) -> tuple[tuple[int, ir.Call], ...]:
        """Those that nothing returns before, each with the number of calls before it."""
        found: list[tuple[int, ir.Call]] = []
        for pop in self._found:
            above = body[: body.index(pop.statement)] if pop.statement is not None else ()
            if not any(map(may_leave, above)):
                found.append((pop.before, lower_call(pop.call)))
        return tuple(found)


def _depth(outer: ast.expr, pop: ast.Call) -> int:
    """How many calls there are from an expression down to the pop, both included."""
    depth = 1
    while outer is not pop and isinstance(outer, ast.Call):
        outer, depth = outer.args[0], depth + 1
    return depth


def _named(call: ast.Call) -> str:
    func = call.func
    return func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")


def _binds_names(target: ast.expr) -> bool:
    parts = target.elts if isinstance(target, ast.Tuple) else [target]
    return all(isinstance(part, ast.Name) for part in parts)
