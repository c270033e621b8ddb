"""Constructors that store an object under a second name on one of several ways only.

if config.tie_word_embeddings:
    self.lm_head = self.embed.embedding
else:
    self.lm_head = nnx.Param(...)

No property can read it: objects of the other ways hold something of their own under that name.
Where an object has nothing there, `__getattr__` reads what the first name holds.
"""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterator, Sequence

from nnx_migrate.rewrite.classes.second_names.preconditions import (
    TwoNames,
    check_classes,
    check_held,
    check_stores,
    may_be_object,
    related,
)
from nnx_migrate.rewrite.classes.second_names.stored_again import stored_again
from nnx_migrate.rewrite.classes.second_names.taken_out import line_end, taken_out
from nnx_migrate.rewrite.model.causes import LayoutCause
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import CannotEmit, NotRewritten
from nnx_migrate.rewrite.style.layout import line_after
from nnx_migrate.rewrite.text.edits import Edit

_OPPOSITE: dict[type[ast.cmpop], str] = {
    ast.Is: "is not",
    ast.IsNot: "is",
    ast.In: "not in",
    ast.NotIn: "in",
    ast.Eq: "!=",
    ast.NotEq: "==",
}


@dataclasses.dataclass(frozen=True, slots=True)
class Tied:
    """A statement that stores an object a second time, on one way through a constructor.

    Args:
        statement: which goes.
        branch: the `if` that it stands in.
        name: what it stores the object under.
        path: the attributes by which the object is read where it stays.
    """

    statement: ast.Assign
    branch: ast.If
    name: str
    path: tuple[str, ...]

    def agrees_with(self, other: Tied) -> bool:
        """Whether both names are read at one place, if they are the same one."""
        return self.name != other.name or self.path == other.path


def tied_in_branch(
    context: FileContext,
    class_name: str,
    node: ast.ClassDef,
    init: ast.FunctionDef,
    statement: ast.Assign | ast.AnnAssign,
) -> Tied | None:
    """Such a statement, once it is known that each object has the name, and nothing changes it.

    Raises:
        NotRewritten: some code may.
    """
    stored = stored_again(init, statement)
    branch = context.tree.parents[statement]
    if stored is None or not isinstance(branch, ast.If) or not isinstance(statement, ast.Assign):
        return None
    own, second, value, path = stored
    if not may_be_object(context, context.values(value)):
        return None
    family = related(context, class_name)
    if context.evaluator.hierarchy.descendants(class_name) != (class_name,):
        raise NotRewritten(TwoNames.CLASS)
    check_classes(context, class_name, node, family, {second, path[0]})
    stores, first = [*_stores_of(init, own, second)], [*_stores_of(init, own, path[0])]
    check_stores(context, family, {second: len(stores), path[0]: len(first)})
    check_held(context, value)
    beside = [each for each in first if not _excludes(context, each, statement)]
    if not beside:
        raise NotRewritten(TwoNames.PLACE)
    if any(each.lineno > statement.lineno for each in beside):
        raise NotRewritten(TwoNames.SET.about(name=path[0]))
    if path[0] >= second:
        raise NotRewritten(TwoNames.ORDER)
    if not _is_stored_once(context, init, _outermost(context, branch), stores):
        raise NotRewritten(TwoNames.WAYS.about(name=second))
    return Tied(statement, branch, second, path)


def _stores_of(init: ast.FunctionDef, own: str, name: str) -> Iterator[ast.Attribute]:
    for node in ast.walk(init):
        match node:
            case ast.Attribute(value=ast.Name(id=base), attr=attribute, ctx=ast.Store()):
                if base == own and attribute == name:
                    yield node


def _excludes(context: FileContext, one: ast.AST, other: ast.AST) -> bool:
    """Whether a run of a constructor that comes by one place passes by another one."""
    branches = dict(_branches(context, one))
    return any(branches.get(test, kind) != kind for test, kind in _branches(context, other))


def _branches(context: FileContext, node: ast.AST) -> Iterator[tuple[ast.If, bool]]:
    """The `if` statements around a place, each with whether it is where the test is true."""
    while (parent := context.tree.parents.get(node)) is not None:
        if isinstance(parent, ast.If):
            yield parent, node in parent.body
        node = parent


def _outermost(context: FileContext, branch: ast.If) -> ast.If:
    """The statement of a constructor's body that a branch is in.

    Raises:
        NotRewritten: it is in a loop, or in a block that an exception may end.
    """
    parent = context.tree.parents[branch]
    if isinstance(parent, ast.If):
        return _outermost(context, parent)
    if not isinstance(parent, ast.FunctionDef):
        raise NotRewritten(TwoNames.PLACE)
    return branch


def _is_stored_once(
    context: FileContext, init: ast.FunctionDef, around: ast.If, stores: Sequence[ast.Attribute]
) -> bool:
    """Whether each run of a constructor stores a name once, in one of the branches of an `if`."""
    statements = {context.tree.parents[each] for each in stores}

    def once(block: Sequence[ast.stmt]) -> bool:
        if block and isinstance(block[-1], ast.Raise):
            return True
        found = [each for each in block if not statements.isdisjoint(ast.walk(each))]
        match found:
            case [ast.If(body=body, orelse=orelse)]:
                return once(body) and once(orelse)
            case [ast.Assign(targets=[target])] | [ast.AnnAssign(target=target, value=ast.expr())]:
                return target in stores
        return False

    leaves = any(
        isinstance(each, ast.Return) and context.tree.function_around(each) is init
        for each in ast.walk(init)
    )
    within = {*ast.walk(around)}
    return not leaves and all(each in within for each in stores) and once([around])


def read_when_missing(
    context: FileContext, own: str, tied: Sequence[Tied], comments: Sequence[str]
) -> Iterator[str]:
    """The lines of a method that reads objects where they are kept.

    Args:
        comments: those that stood beside the statements.
    """
    unit = context.indent_unit
    yield f"def __getattr__({own}, name):"
    yield f"{unit}# Tree mode does not allow one object in two attributes."
    yield from (f"{unit}{comment}" for comment in comments)
    for each in {each.name: each for each in tied}.values():
        yield f'{unit}if name == "{each.name}":'
        yield f"{unit * 2}return {'.'.join((own, *each.path))}"
    yield f"{unit}return super().__getattribute__(name)"


def without(
    context: FileContext, init: ast.FunctionDef, tied: Sequence[Tied]
) -> tuple[list[str], list[Edit]]:
    """The comments that speak of some statements, and the edits that take those out.

    Raises:
        CannotEmit: other code stands on one of the lines.
    """
    comments: list[str] = []
    edits: list[Edit] = []
    blocks: dict[tuple[ast.If, bool], list[ast.Assign]] = {}
    for each in tied:
        in_body = each.statement in each.branch.body
        blocks.setdefault((each.branch, in_body), []).append(each.statement)
    for (branch, in_body), going in blocks.items():
        block = branch.body if in_body else branch.orelse
        if len(going) == len(block):
            said, cuts = _without_block(context, branch, block)
            comments += said
            edits += cuts
            continue
        for statement in going:
            said, cut = taken_out(context, init, statement)
            comments += said
            edits.append(cut)
    return comments, edits


def _without_block(
    context: FileContext, branch: ast.If, block: Sequence[ast.stmt]
) -> tuple[list[str], list[Edit]]:
    """The same of all statements of one block, with the block."""
    end, header = block[-1].end_lineno, branch.test.end_lineno
    assert end is not None
    assert header is not None
    if block is branch.orelse:
        last = branch.body[-1].end_lineno
        assert last is not None
        comments, edit = _cut(context, last + 1, end, ["else:", *_texts(context, block)])
        text = context.text.text
        # The block ends where the one above it does, whatever follows.
        return comments, [Edit(line_end(text, edit.start), line_end(text, edit.end), "")]
    first = header + 1
    if not branch.orelse or _is_elif(context, branch.orelse[0]):
        comments, edit = _cut(context, first, end, _texts(context, block))
        indent = context.text.indent_of_line(block[0].lineno)
        return comments, [Edit(edit.start, edit.end, f"{indent}pass{context.newline}")]
    lines = context.text.text.splitlines()
    between = range(end + 1, branch.orelse[0].lineno)
    word = next((each for each in between if lines[each - 1].strip().startswith("else")), end)
    comments, edit = _cut(context, first, word, [*_texts(context, block), "else:"])
    start = context.text.span(branch)[0]
    keyword = "elif" if _is_elif(context, branch) else "if"
    # Its first word goes, too: what stood in one of its blocks stands in another one from now on.
    test = f"{keyword} {negated(context, branch.test)}"
    return comments, [Edit(start, context.text.span(branch.test)[1], test), edit]


def _texts(context: FileContext, block: Sequence[ast.stmt]) -> list[str]:
    return [context.text.of(each) for each in block]


def _cut(
    context: FileContext, first: int, last: int, expected: Sequence[str]
) -> tuple[list[str], Edit]:
    """The comments on some lines, and the edit that takes the lines out.

    Args:
        expected: all that has to stand there but for comments.

    Raises:
        CannotEmit: something else does.
    """
    start, stop = context.text.line_start(first), line_after(context, last)
    comments = context.comments_between(start, stop)
    rest = context.text.text[start:stop]
    for each in comments:
        rest = rest.replace(each, "", 1)
    if "".join(rest.split()) != "".join("".join(expected).split()):
        raise CannotEmit(LayoutCause.POP_BESIDE_CODE)
    return [*comments], Edit(start, stop, "")


def _is_elif(context: FileContext, statement: ast.stmt) -> bool:
    start = context.text.span(statement)[0]
    return context.text.text.startswith("elif", start)


def negated(context: FileContext, test: ast.expr) -> str:
    """The text of a test that is true where another one is false."""
    text = context.text
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return text.of(operand)
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _OPPOSITE:
            return f"{text.of(left)} {_OPPOSITE[type(op)]} {text.of(right)}"
        case ast.Name() | ast.Attribute() | ast.Call() | ast.Subscript() | ast.Constant():
            return f"not {text.of(test)}"
        case _:
            return f"not ({text.of(test)})"
