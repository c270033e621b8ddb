"""From a name that a constructor stores to a property of the class."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterator, Sequence

from nnx_migrate.analysis.domain.values import ClassValue
from nnx_migrate.rewrite.classes.second_names.taken_out import taken_out
from nnx_migrate.rewrite.classes.second_names.tied_in_branch import (
    Tied,
    read_when_missing,
    without,
)
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.style.layout import line_after
from nnx_migrate.rewrite.text.edits import Edit


@dataclasses.dataclass(frozen=True, slots=True)
class Alias:
    """An attribute that becomes a property.

    Args:
        statement: what stores the object a second time, and goes.
        name: the property.
        path: the attributes by which it reads the object.
        renamed: what stores the object first, under the name of the property: it is to store it
            under that of the path.
    """

    statement: ast.Assign | ast.AnnAssign
    name: str
    path: tuple[str, ...]
    renamed: ast.Assign | ast.AnnAssign | None = None

    def touches(self, other: Alias) -> bool:
        """Whether both cannot be done at once."""
        same = self.name == other.name or self.path[0] == other.name or other.path[0] == self.name
        both = self.renamed is not None and self.renamed is other.renamed
        return same or both


def property_edits(
    context: FileContext, init: ast.FunctionDef, aliases: Sequence[Alias], tied: Sequence[Tied]
) -> list[Edit]:
    """The edits that make properties of names, behind the constructor.

    Args:
        tied: names that only some objects have for what is kept elsewhere.

    Raises:
        CannotEmit: other code stands on the line of a statement.
    """
    edits: list[Edit] = []
    lines: list[str] = []
    for alias in aliases:
        comments, edit = taken_out(context, init, alias.statement)
        edits.append(edit)
        if alias.renamed is not None:
            edits.append(_renamed(context, alias.renamed, alias.path[0]))
        lines += ["", *comments, *_property(context, init, alias)]
    if tied:
        own = [*init.args.posonlyargs, *init.args.args][0].arg
        comments, cuts = without(context, init, tied)
        edits += cuts
        lines += ["", *read_when_missing(context, own, tied, comments)]
    return [*edits, _behind(context, init, lines)] if lines else []


def _behind(context: FileContext, init: ast.FunctionDef, lines: Sequence[str]) -> Edit:
    """What puts lines behind a constructor."""
    assert init.end_lineno is not None
    outer = context.text.indent_of_line(init.lineno)
    text = "".join(f"{outer if line else ''}{line}{context.newline}" for line in lines)
    place = line_after(context, init.end_lineno)
    if not context.text.text[:place].endswith(("\r", "\n")):
        text = context.newline + text.rstrip("\r\n")
    return Edit(place, place, text)


def _property(context: FileContext, init: ast.FunctionDef, alias: Alias) -> Iterator[str]:
    own = [*init.args.posonlyargs, *init.args.args][0].arg
    unit = context.indent_unit
    yield "@property"
    yield f"def {alias.name}({own}){_annotation(context, init, alias)}:"
    yield f"{unit}return {'.'.join((own, *alias.path))}"


def _annotation(context: FileContext, init: ast.FunctionDef, alias: Alias) -> str:
    """The class of the object, where the constructor is annotated and shows it."""
    args = [*init.args.posonlyargs, *init.args.args, *init.args.kwonlyargs]
    if init.returns is None and not any(each.annotation is not None for each in args):
        return ""
    if isinstance(alias.statement, ast.AnnAssign):
        return f" -> {context.text.of(alias.statement.annotation)}"
    if alias.renamed is not None and isinstance(alias.renamed, ast.AnnAssign):
        return f" -> {context.text.of(alias.renamed.annotation)}"
    value = _made(context, init, alias)
    if value is None or not any(isinstance(v, ClassValue) for v in context.values(value.func)):
        return ""
    return f" -> {context.text.of(value.func)}"


def _made(context: FileContext, init: ast.FunctionDef, alias: Alias) -> ast.Call | None:
    """The call that makes the object, where that is kept right in the constructor's object."""
    if len(alias.path) > 1:
        return None
    kept = alias.path[0] if alias.renamed is None else alias.name
    for node in ast.walk(init):
        match node:
            case ast.Assign(targets=[ast.Attribute(attr=name)], value=ast.Call() as call):
                if name == kept:
                    return call
    return None


def _renamed(context: FileContext, statement: ast.Assign | ast.AnnAssign, name: str) -> Edit:
    target = statement.targets[0] if isinstance(statement, ast.Assign) else statement.target
    assert isinstance(target, ast.Attribute)
    end = context.text.span(target)[1]
    return Edit(end - len(target.attr), end, name)
