"""Pops under conditions: in each branch of an `if`, or in one, where nobody looks for the rest."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator, Sequence

from nnx_codemods._sown.pops.forward_calls import NotCaptured
from nnx_codemods._sown.pops.functions import filters_of
from nnx_codemods._sown.pops.pairs import (
    LEAVING,
    calls_around,
    foreign_call,
    is_pop,
    mentioned,
    updates_only,
)
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.sown_plans import Read
from nnx_migrate.rewrite.style.layout import is_hoistable

_SIMPLE = ast.Assign | ast.AnnAssign | ast.AugAssign | ast.Expr | ast.Return
#: Statements around a pop that runs once at most, and expressions around one that may run again.
_ONCE = ast.If | ast.With | ast.withitem | ast.keyword
_REPEATING = ast.Lambda | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp


def popped_in_branches(
    context: FileContext, taking: ast.stmt, later: Sequence[ast.stmt], model: ast.Name
) -> tuple[Read, ...]:
    """The pops, where each branch of the next statement with the object begins with one.

    Args:
        taking: the statement of the call.
        later: those behind it.

    Returns:
        They, or nothing when that is no such statement.

    Raises:
        NotCaptured: something else may happen to the object before one of them.
    """
    pops = _on_every_path(context, later, model)
    if pops is None or len(pops) < 2:
        return ()
    before = list(_before(context, later, model))
    if any(isinstance(node, LEAVING) for each in before for node in ast.walk(each)):
        raise NotCaptured("code between the call and nnx.pop may leave")
    run = [*before, *(context.tree.statement(pop) for pop in pops)]
    around = [call for pop in pops for call in calls_around(context, pop)]
    foreign = foreign_call(context, taking, run, *pops, *around)
    if foreign is not None:
        raise NotCaptured(f"what line {foreign.lineno} calls may use it before it is popped")
    return tuple(Read(pop, filters_of(context, pop)[0]) for pop in pops)


def _on_every_path(
    context: FileContext, statements: Sequence[ast.stmt], model: ast.Name
) -> list[ast.Call] | None:
    """The pops that come first on each path; None where something else does."""
    for statement in statements:
        if not mentioned(statement, model.id) or updates_only(context, statement, model):
            continue
        if isinstance(statement, ast.If):
            found = [
                _on_every_path(context, branch, model)
                for branch in (statement.body, statement.orelse)
            ]
            if mentioned(statement.test, model.id):
                return None
            one, other = found
            return None if one is None or other is None else [*one, *other]
        pop = _only_pop(context, statement, model)
        return None if pop is None else [pop]
    return None


def _only_pop(context: FileContext, statement: ast.stmt, model: ast.Name) -> ast.Call | None:
    """The pop of a statement that does nothing else with the object."""
    if not isinstance(statement, _SIMPLE):
        return None
    named = [n for n in ast.walk(statement) if isinstance(n, ast.Name) and n.id == model.id]
    pops = [
        node
        for node in ast.walk(statement)
        if isinstance(node, ast.Call) and is_pop(context, node, model.id)
    ]
    if (
        len(named) != 1
        or len(pops) != 1
        or len(filters_of(context, pops[0])) != 1
        or not is_hoistable(context, pops[0])
    ):
        return None
    return pops[0]


def _before(
    context: FileContext, statements: Sequence[ast.stmt], model: ast.Name
) -> Iterator[ast.stmt]:
    """All that may run before the pops."""
    for statement in statements:
        if not mentioned(statement, model.id) or updates_only(context, statement, model):
            yield statement
            continue
        if isinstance(statement, ast.If):
            yield ast.Expr(statement.test)
            for branch in (statement.body, statement.orelse):
                yield from _before(context, branch, model)
        return


def check_popped_once(
    context: FileContext, block: Sequence[ast.stmt], reads: Sequence[Read]
) -> None:
    """Of pops in an object that nobody else sees, each is the last read on its path.

    Args:
        block: the one in which the object is made and given to the function.

    Raises:
        NotCaptured: one may run twice, or before another read.
    """
    for pop in (read.node for read in reads if _is_pop(context, read.node)):
        around = [pop, *context.tree.ancestors(pop)]
        inside = itertools.takewhile(lambda node: node not in block, around)
        beside = next((node for node in around if node in block), None)
        for node in (*inside, beside):
            if isinstance(node, _REPEATING) or not isinstance(node, ast.expr | _ONCE | _SIMPLE):
                raise NotCaptured(f"nnx.pop may run again, or not in order (line {pop.lineno})")
        for read in reads:
            behind = context.text.span(read.node)[0] > context.text.span(pop)[0]
            if behind and not are_exclusive(context, pop, read.node):
                raise NotCaptured(f"it is popped in line {pop.lineno}, and read after that")


def are_exclusive(context: FileContext, one: ast.expr, other: ast.expr) -> bool:
    """Whether two expressions stand in the two branches of an `if`."""
    there = {other, *context.tree.ancestors(other)}
    child: ast.AST = one
    for parent in context.tree.ancestors(one):
        if parent in there:
            if not isinstance(parent, ast.If):
                return False
            first = child in parent.body
            own, its = (parent.body, parent.orelse) if first else (parent.orelse, parent.body)
            return child in own and any(each in there for each in its)
        child = parent
    return False


def _is_pop(context: FileContext, node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and bool(filters_of(context, node))
