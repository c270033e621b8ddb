"""What a part kept is handed to its methods, and kept by those that make it, or by the first."""

from __future__ import annotations

import ast
import re

from nnx_migrate.core.refusal import Cause
from nnx_migrate.rewrite.model.causes import ThreadCause
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import CannotEmit
from nnx_migrate.rewrite.model.lifted_rngs import FirstKeeps, Handed, LiftedRngs, Owner
from nnx_migrate.rewrite.split.unused_bindings import removal
from nnx_migrate.rewrite.style.layout import docstring_of, insert_at_top, insert_before, line_after
from nnx_migrate.rewrite.style.options import on_lines_of_their_own
from nnx_migrate.rewrite.text.edits import Edit
from nnx_migrate.rewrite.thread.as_argument import argument

#: What is left of a constructor that did nothing else.
_NOTHING = "pass  # the Rngs comes with each call"
#: What may stand behind the last parameter of a definition.
_END = re.compile(r"[\s,]*(?:#[^\n\r]*[\s,]*)*\)")


def lifted_edits(context: FileContext, lift: LiftedRngs) -> list[Edit]:
    """The edits in the class, at the calls of its methods and in its owners.

    Raises:
        CannotEmit: one of these leaves no place for what it needs.
    """
    taken, comments = _taken_out(context, lift)
    edits = [_closing(context, lift.stored, edit) for edit in taken]
    edits += [Edit(*context.text.span(node), text) for node, text in lift.reads]
    told = f"{lift.keyword}: {lift.annotation}" if lift.annotation else lift.keyword
    edits += [_parameter(context, method, told) for method in lift.methods]
    edits += [_passed(context, each, lift.keyword) for each in lift.calls]
    for owner in lift.owners:
        if owner.stored is None:
            edits.append(_kept(context, owner, comments))
        elif comments:
            edits.append(insert_before(context, owner.stored, comments))
        comments = []
    return edits


def first_keeps_edits(context: FileContext, plan: FirstKeeps) -> list[Edit]:
    """The edits in the class, at the calls of its methods and in its owner.

    Raises:
        CannotEmit: one of these leaves no place for what it needs.
    """
    keyword = plan.keyword
    edits = [Edit(*context.text.span(node), keyword) for node, _ in plan.reads]
    told = (
        f"{keyword}: {_or_none(plan.annotation)} = None" if plan.annotation else f"{keyword}=None"
    )
    edits += [_parameter(context, method, told) for method in plan.methods]
    for method in dict.fromkeys(method for _, method in plan.reads):
        own = [*method.args.posonlyargs, *method.args.args][0].arg
        kept = f"{own}.{plan.attribute}"
        line = f"{keyword} = {kept} if {keyword} is None else {keyword}"
        edits.append(insert_at_top(context, method, [line]))
    edits += [_passed(context, each, keyword) for each in plan.calls]
    edits.append(_below(context, plan.made, list(plan.removals), ThreadCause.CODE_BEHIND_PARTS))
    return edits


def _or_none(annotation: str) -> str:
    """An annotation that takes None, too."""
    tree = ast.parse(annotation, mode="eval").body
    if any(isinstance(node, ast.Constant) and node.value is None for node in ast.walk(tree)):
        return annotation
    if isinstance(tree, ast.Constant) and isinstance(tree.value, str):
        return f'"{tree.value} | None"'
    return f"{annotation} | None"


def _taken_out(context: FileContext, lift: LiftedRngs) -> tuple[list[Edit], list[str]]:
    """The edits that take out what keeps the Rngs, and the comments that go to an owner with it.

    These are on lines of their own above the statement, and of no other statement.
    """
    text = context.text
    last = first = lift.stored.lineno
    while first > 1 and _line(context, first - 1).startswith("#"):
        first -= 1
    end = lift.stored.end_lineno or last
    if context.tree.block_of(lift.stored) == [lift.stored]:
        return [Edit(*text.span(lift.stored), _NOTHING)], []
    removed = removal(context, lift.stored)
    if not removed:
        raise CannotEmit(ThreadCause.RNGS_BESIDE_CODE)
    below = end + 1
    while below <= len(text.line_starts) and not _line(context, below):
        below += 1
    if first == last or below == end + 1 or removed[0].replacement:
        closes = context.tree.block_of(lift.stored)[-1] is lift.stored
        if closes and (first != last or removed[0].replacement):
            raise CannotEmit(ThreadCause.RNGS_COMMENT)
        return removed, []
    above = _line(context, first - 1)
    stop = below - 1 if not above or above.endswith(":") else end
    comments = [_line(context, line) for line in range(first, last)]
    return [Edit(text.line_start(first), line_after(context, stop), "")], comments


def _closing(context: FileContext, statement: ast.stmt, edit: Edit) -> Edit:
    """What takes out the last lines of a block begins behind the one before, which is then last."""
    source, newline = context.text.text, context.newline
    last = context.tree.block_of(statement)[-1] is statement
    whole = source.endswith(newline, 0, edit.start) and source.endswith(newline, 0, edit.end)
    if not last or edit.replacement or not whole:
        return edit
    return Edit(edit.start - len(newline), edit.end - len(newline), "")


def _line(context: FileContext, line: int) -> str:
    return context.text.text[context.text.line_start(line) : line_after(context, line)].strip()


def _parameter(context: FileContext, method: ast.FunctionDef, told: str) -> Edit:
    """A parameter behind all others, to be passed by keyword."""
    args = method.args
    positional = [*args.posonlyargs, *args.args]
    last: ast.arg | ast.expr | None
    if args.kwonlyargs:
        new, last = [told], args.kw_defaults[-1] or args.kwonlyargs[-1]
    elif args.vararg:
        new, last = [told], args.vararg
    else:
        new, last = ["*", told], args.defaults[-1] if args.defaults else positional[-1]
    start, end = context.text.span(last)
    if args.kwarg or not _END.match(context.text.text, end):
        raise CannotEmit(ThreadCause.METHOD_PARAMETERS.about(method=method.name))
    name = args.kwonlyargs[-1] if args.kwonlyargs else args.vararg or positional[-1]
    begins = context.text.span(name)[0]
    line = context.text.line_start(context.text.line_of(begins))
    indent = context.text.text[line:begins]
    if indent.strip() or context.text.line_of(start) == method.lineno:
        return Edit(end, end, "".join(f", {each}" for each in new))
    return Edit(end, end, "".join(f",{context.newline}{indent}{each}" for each in new))


def _passed(context: FileContext, handed: Handed, keyword: str) -> Edit:
    call = handed.call
    text = f"{keyword}={handed.given}"
    arguments: list[ast.expr | ast.keyword] = [*call.args, *call.keywords]
    if arguments:
        last = max(arguments, key=context.text.span)
        if lines := on_lines_of_their_own(context, call, last, [text]):
            return lines
    return argument(context, call, [text])


def _kept(context: FileContext, owner: Owner, comments: list[str]) -> Edit:
    """The statement that keeps the Rngs, as the first one behind a call of the base class."""
    init = owner.init
    own = [*init.args.posonlyargs, *init.args.args][0].arg
    lines = [*comments, f"{own}.{owner.attribute} = {owner.parameter}"]
    body = init.body[1:] if docstring_of(init) is not None else init.body
    if not body or not _calls_base(body[0]):
        return insert_at_top(context, init, lines)
    return _below(context, body[0], lines, ThreadCause.CODE_BEHIND_BASE)


def _below(context: FileContext, statement: ast.stmt, lines: list[str], beside: Cause) -> Edit:
    """Lines below a statement, as far in as it is.

    Args:
        beside: why there is no place for them, where code stands behind the statement.
    """
    assert statement.end_lineno is not None
    end, line = context.text.span(statement)[1], line_after(context, statement.end_lineno)
    behind = context.text.text[end:line].rstrip()
    if behind.strip() and not behind.strip().startswith("#"):
        raise CannotEmit(beside)
    indent = context.text.indent_of_line(statement.lineno)
    # From the statement on: where that is the last of its block, they are in the block, too.
    text = "".join(f"{context.newline}{indent}{line}" for line in lines)
    return Edit(end, end + len(behind), behind + text)


def _calls_base(statement: ast.stmt) -> bool:
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Call(func=ast.Name(id=name))))):
            return name == "super"
    return False
