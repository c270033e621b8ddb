"""Modules that keep one object under two names: `self.head = self.embed` becomes a property.

Tree mode takes no object that holds another one twice (docs/semantics.md: ALI-1). A property reads
it where it is kept. It is kept under the name that comes first in the alphabet, by which both modes
list it in a State, so that all paths stay what they are.
"""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Iterator, Sequence

from nnx_migrate.analysis.domain.values import Instance, short_name
from nnx_migrate.analysis.heap.tied_attributes import OBJECTS
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.core.findings import Evidence, Finding, Outcome, Proof
from nnx_migrate.rewrite.claims import ClassClaim
from nnx_migrate.rewrite.classes.change import RULE_NAME, ClassChange
from nnx_migrate.rewrite.classes.definitions import defined_classes
from nnx_migrate.rewrite.classes.second_names.preconditions import (
    TwoNames,
    check_classes,
    check_held,
    check_stores,
    is_object,
    related,
)
from nnx_migrate.rewrite.classes.second_names.properties import Alias, property_edits
from nnx_migrate.rewrite.classes.second_names.stored_again import (
    constructor,
    stored_again,
    stores_again,
)
from nnx_migrate.rewrite.classes.second_names.tied_in_branch import Tied, tied_in_branch
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import CannotEmit, NotRewritten


def is_second_name(record: ir.ModuleIndex) -> bool:
    """Whether a file has a constructor that stores what an attribute of its object holds."""
    return any(
        _attributes(write.value, function)
        for function in record.functions.values()
        if function.name == "__init__" and function.owner is not None
        for write in function.writes
        if write.how == "set" and isinstance(write.target, ir.Attribute)
    )


def _attributes(value: ir.Expr | None, function: ir.Function) -> tuple[str, ...]:
    """The attributes by which an expression is read from a method's own object."""
    names: list[str] = []
    if isinstance(value, ir.Call) and value.func == ir.ANNOTATED:
        value = value.args[-1]
    while isinstance(value, ir.Attribute):
        names.insert(0, value.name)
        value = value.base
    own = function.parameters[0].name if function.parameters else ""
    return tuple(names) if isinstance(value, ir.Name) and value.id == own else ()


def second_names_in(context: FileContext) -> Iterator[ClassChange]:
    """What makes the classes of a file keep each object under one name."""
    record = context.project.modules[context.tree.module]
    if not is_second_name(record):
        return
    hierarchy = context.evaluator.hierarchy
    for name, node in defined_classes(context):
        if hierarchy.kind(name) not in OBJECTS or not stores_again(node):
            continue
        if not context.analysis.sharing.of(frozenset({Instance(name)})):
            continue
        found = _change(context, name, node)
        if found is not None:
            yield found


def _change(context: FileContext, name: str, node: ast.ClassDef) -> ClassChange | None:
    init = constructor(node)
    if init is None:
        return None
    aliases: list[Alias] = []
    tied: list[Tied] = []
    for statement in ast.walk(init):
        if not isinstance(statement, ast.Assign | ast.AnnAssign):
            continue
        if context.tree.function_around(statement) is not init:
            continue
        alias = None
        with contextlib.suppress(NotRewritten, CannotEmit):
            alias = _alias(context, name, node, init, statement)
        if alias is not None:
            aliases += [] if any(alias.touches(each) for each in aliases) else [alias]
            continue
        with contextlib.suppress(NotRewritten):
            found = tied_in_branch(context, name, node, init, statement)
            tied += [] if found is None else [found]
    tied = [each for each in tied if all(map(each.agrees_with, tied))]
    try:
        edits = property_edits(context, init, aliases, tied)
    except CannotEmit:
        return None
    if not edits:
        return None
    second: list[Alias | Tied] = [*aliases, *tied]
    first = second[0].statement
    finding = _finding(context, name, second)
    return ClassChange(first.lineno, first.end_lineno or 0, tuple(edits), finding)


def _alias(
    context: FileContext,
    name: str,
    node: ast.ClassDef,
    init: ast.FunctionDef,
    statement: ast.Assign | ast.AnnAssign,
) -> Alias | None:
    """What a statement of a constructor stores once more, once it is known that nothing forbids
    that it is read there.

    Raises:
        NotRewritten: something does.
    """
    stored = stored_again(init, statement)
    if stored is None:
        return None
    own, second, value, path = stored
    values = context.values(value)
    if not is_object(context, values):
        return None
    maker = _maker(context, statement, own, path[0])
    family = related(context, name)
    check_classes(context, name, node, family, {second, path[0]})
    check_stores(context, family, {second: 1, path[0]: 1})
    check_held(context, value)
    if path[0] < second:
        return Alias(statement, second, path)
    if len(path) > 1:
        raise NotRewritten(TwoNames.ORDER)
    return Alias(statement, path[0], (second,), renamed=maker)


def _maker(
    context: FileContext, statement: ast.stmt, own: str, name: str
) -> ast.Assign | ast.AnnAssign:
    """The statement in front of another one, in the same block, that stores what that reads.

    Raises:
        NotRewritten: there is none, or that block may be run several times.
    """
    parent = context.tree.parents[statement]
    around: ast.AST = parent
    while isinstance(around, ast.If):
        around = context.tree.parents[around]
    if not isinstance(around, ast.FunctionDef):
        raise NotRewritten(TwoNames.PLACE)
    for block in (getattr(parent, "body", []), getattr(parent, "orelse", [])):
        if statement not in block:
            continue
        for before in block[: block.index(statement)]:
            match before:
                case (
                    ast.Assign(targets=[ast.Attribute(value=ast.Name(id=root), attr=attribute)])
                    | ast.AnnAssign(
                        target=ast.Attribute(value=ast.Name(id=root), attr=attribute),
                        value=ast.expr(),
                    )
                ) if root == own and attribute == name:
                    return before
    raise NotRewritten(TwoNames.PLACE)


def _finding(context: FileContext, name: str, aliases: Sequence[Alias | Tied]) -> Finding:
    statement = aliases[0].statement
    start = context.text.offset(statement.lineno, statement.col_offset)
    column = start - context.text.line_start(statement.lineno) + 1
    short = short_name(name)
    read = dict.fromkeys(f"{each.name} from {'.'.join(each.path)}" for each in aliases)
    said = " and ".join(read)
    message = f"{short} reads {said}, because tree mode does not allow one object in two places"
    evidence = tuple(
        Evidence(
            str(ClassClaim.NOTHING_ELSE_SETS.about(name=each.name, read=each.path[0])),
            Proof.PROVED,
            context.where(each.statement),
        )
        for each in aliases
    )
    return Finding(RULE_NAME, statement.lineno, column, Outcome.REWRITTEN, message, evidence)
