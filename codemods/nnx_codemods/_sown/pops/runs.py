"""Several calls that sow before one `nnx.pop`: in a row, in branches, in loops."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import TypeGuard

from nnx_codemods._sown.pops.forward_calls import NotCaptured
from nnx_codemods._sown.pops.functions import filters_of
from nnx_codemods._sown.pops.mirrored import mirrored_run
from nnx_codemods._sown.pops.pairs import (
    calls_around,
    foreign_call,
    is_alone,
    is_pop,
    mentioned,
    sets_mode,
    updates_only,
    why_not_alone,
    why_not_before,
)
from nnx_codemods._sown.sowing import OF_ARRAYS
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import NotRewritten
from nnx_migrate.rewrite.model.sown_plans import CapturedCall, Run
from nnx_migrate.rewrite.style.layout import is_hoistable

_BLOCKS = ast.For | ast.While | ast.If | ast.With
_LOOPS = ast.For | ast.While
_LEAVING = ast.Return | ast.Raise | ast.Yield | ast.YieldFrom | ast.Await
_SIMPLE = ast.Assign | ast.Expr
_POPPING = _SIMPLE | ast.AnnAssign | ast.AugAssign | ast.Return


def runs_of(
    context: FileContext, uses: Sequence[ast.Call], names: frozenset[str]
) -> tuple[Run, ...]:
    """The calls by the pops that take what they sow; the object is their first argument.

    Args:
        names: the attributes that are sown.

    Raises:
        NotCaptured: something else may happen to the object on the way.
    """
    found: list[Run] = []
    missing = set(uses)
    for use in uses:
        if use in missing:
            try:
                run = _run_from(context, use, uses)
            except NotRewritten as unseen:
                try:
                    run = mirrored_run(context, use, uses, names)
                except NotRewritten as seen:
                    raise NotCaptured(f"{unseen}, and {seen}") from None
            found.append(run)
            missing -= {call.use for call in run.calls}
    return tuple(found)


def _run_from(context: FileContext, use: ast.Call, uses: Sequence[ast.Call]) -> Run:
    model = use.args[0] if use.args else None
    if not isinstance(model, ast.Name):
        raise NotCaptured(f"the object is not passed by its name (line {use.lineno})")
    popping, pop = _pop_behind(context, use, model)
    block = context.tree.block_of(popping)
    uses = [each for each in uses if each.args and _is_name(each.args[0], model.id)]
    statements: list[ast.stmt] = []
    own: list[ast.Call] = []
    for earlier in reversed(block[: block.index(popping)]):
        if mentioned(earlier, model.id) and not _is_harmless(context, earlier, model):
            inside = [u for u in uses if _stands_in(context, u, earlier)]
            if not inside:
                break
            own = [*inside, *own]
            statements = [earlier, *block[block.index(earlier) + 1 : block.index(popping)]]
            _check_uses(context, earlier, model.id, inside)
    if use not in own:
        raise NotCaptured(f"{model.id} is used between line {use.lineno} and nnx.pop")
    _check_reached(statements)
    calls = tuple(
        CapturedCall(
            u,
            pop,
            before=not is_alone(context.tree.statement(u), u),
            module=context.tree.module,
            wanted=filters_of(context, pop),
        )
        for u in own
    )
    _check_foreign(context, statements, popping, Run(statements[0], calls, pop), model.id)
    return Run(statements[0], calls, pop)


def _pop_behind(context: FileContext, use: ast.Call, model: ast.Name) -> tuple[ast.stmt, ast.Call]:
    """The next pop of the object, in the block of the call or in one around it."""
    statement = context.tree.statement(use)
    while True:
        block = context.tree.block_of(statement)
        for later in block[block.index(statement) + 1 :]:
            pops = [
                node
                for node in (ast.walk(later) if isinstance(later, _POPPING) else ())
                if isinstance(node, ast.Call) and is_pop(context, node, model.id)
            ]
            once = len([n for n in ast.walk(later) if _is_name(n, model.id)]) == 1
            if len(pops) == 1 and once and is_hoistable(context, pops[0]):
                return later, pops[0]
        around = context.tree.parents[statement]
        if not isinstance(around, _BLOCKS):
            raise NotCaptured(f"no nnx.pop({model.id}, ...) follows (line {use.lineno})")
        statement = around


def _is_of_array(node: ast.AST) -> TypeGuard[ast.Call]:
    """Whether a method is called that arrays have, of something with a name of its own."""
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name(), attr=attr)):
            return attr in OF_ARRAYS
        case _:
            return False


def _is_harmless(context: FileContext, statement: ast.stmt, model: ast.Name) -> bool:
    """Whether a statement leaves what is sown alone: `model.eval()`, an update of an optimizer."""
    if isinstance(statement, ast.Expr) and sets_mode(context, statement.value, model):
        return len([n for n in ast.walk(statement) if _is_name(n, model.id)]) == 1
    return updates_only(context, statement, model)


def _is_name(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _stands_in(context: FileContext, node: ast.AST, statement: ast.stmt) -> bool:
    return statement in context.tree.ancestors(node)


def _check_uses(
    context: FileContext, statement: ast.stmt, model: str, uses: Sequence[ast.Call]
) -> None:
    """All that a statement does with the object is to call the function, once in a statement."""
    held = {context.tree.statement(use) for use in uses}
    names = [node for node in ast.walk(statement) if _is_name(node, model)]
    firsts = [use.args[0] for use in uses if use.args]
    if len(held) != len(uses) or any(name not in firsts for name in names):
        raise NotCaptured(f"{model} is used in line {statement.lineno} before it is popped")
    for inner in _inner(statement):
        if not isinstance(inner, _BLOCKS | _SIMPLE) and any(
            _stands_in(context, use, inner) for use in uses
        ):
            raise NotCaptured(f"the call stands in another statement (line {inner.lineno})")
    for use in uses:
        around = context.tree.statement(use)
        part = why_not_alone(around, use)
        if part and (reason := why_not_before(context, around, use)):
            raise NotCaptured(f"{part}, and {reason} (line {use.lineno})")


def _inner(statement: ast.stmt) -> Iterator[ast.stmt]:
    return (node for node in ast.walk(statement) if isinstance(node, ast.stmt))


def _check_reached(statements: Sequence[ast.stmt]) -> None:
    """Whatever runs, the pop runs after it."""
    for statement in statements:
        for node in ast.walk(statement):
            if isinstance(node, _LEAVING):
                raise NotCaptured(f"code before nnx.pop may leave (line {node.lineno})")
        loops = [node for node in ast.walk(statement) if isinstance(node, _LOOPS)]
        inside = {node for loop in loops for part in loop.body for node in ast.walk(part)}
        for node in ast.walk(statement):
            if isinstance(node, ast.Break | ast.Continue) and node not in inside:
                raise NotCaptured(f"code before nnx.pop may leave (line {node.lineno})")


def _check_foreign(
    context: FileContext,
    statements: Sequence[ast.stmt],
    popping: ast.stmt,
    run: Run,
    model: str,
) -> None:
    uses = [call.use for call in run.calls]
    taking = ast.Module([context.tree.statement(use) for use in uses], [])
    known = [*uses, run.pop, *calls_around(context, run.pop)]
    later = [*statements, popping]
    of_arrays = [n for each in later for n in ast.walk(each) if _is_of_array(n)]
    foreign = foreign_call(context, taking, later, *known, *of_arrays)
    if foreign is not None:
        raise NotCaptured(f"what line {foreign.lineno} calls may use {model} before it is popped")
    if any(isinstance(n, ast.Nonlocal | ast.Global) for s in statements for n in ast.walk(s)):
        raise NotCaptured("names of other scopes are bound there")
