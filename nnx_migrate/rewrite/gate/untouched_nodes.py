"""The second leg of the gate: what no edit touches means what it meant, where it meant it.

What edits leave is the same text by construction. It is the same code when the new tree has a node
of the same kind at its new place, no longer and no shorter, for the grammar knows no context: so
the nodes that edits touch are walked down, in the old tree and in the new one, to the largest ones
that none touches. And a statement stands in the block that it stood in, unless the edits have
taken that away or put one around it.
"""

from __future__ import annotations

import ast
import bisect
import dataclasses
from collections.abc import Iterator, Mapping, Sequence

from nnx_migrate.analysis.ir.parse import children
from nnx_migrate.core.refusal import Refusal
from nnx_migrate.rewrite.model.causes import GateCause
from nnx_migrate.rewrite.text.edits import Edit, Text

#: The parts of nodes that hold statements.
_BLOCKS = ("body", "orelse", "handlers", "finalbody", "cases")
_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
#: A node's lines, its columns and its kind.
_Place = tuple[int, int, int, int, type[ast.AST]]
#: Where a block's statement stands, and which of its blocks it is.
_Block = tuple[int, str]


@dataclasses.dataclass(frozen=True, slots=True)
class Version:
    """One of the two texts, with its tree."""

    text: Text
    tree: ast.Module


def disturbed(before: Version, after: Version, edits: Sequence[Edit]) -> Refusal | None:
    """What edits have changed that none of them touches; None when there is nothing.

    Args:
        edits: spans of the text before, apart from each other.
    """
    there = _Moves(before.text.text, edits)
    back = _Moves(after.text.text, there.inverse())
    line = _first_moved(before, there, after, back) or _first_lost(before, there, after, back)
    if line:
        return GateCause.LINE_CHANGED.about(line=line)
    line = _first_lost(after, back, before, there)
    if line:
        return GateCause.LINE_APPEARED.about(line=line)
    return None


class _Moves:
    """Where edits leave what they do not touch.

    Args:
        text: the text that they are spans of.
    """

    def __init__(self, text: str, edits: Sequence[Edit]) -> None:
        self._text = text
        self._edits = sorted(edits, key=lambda e: (e.start, e.end))
        self._starts = [edit.start for edit in self._edits]
        self._ends = [edit.end for edit in self._edits]
        self._grown = [0]
        for edit in self._edits:
            self._grown.append(self._grown[-1] + len(edit.replacement) - (edit.end - edit.start))

    def inverse(self) -> list[Edit]:
        """The edits that undo these."""
        return [
            Edit(e.start + g, e.start + g + len(e.replacement), self._text[e.start : e.end])
            for e, g in zip(self._edits, self._grown, strict=False)
        ]

    def start(self, offset: int) -> int:
        """Where a character that stays is; what is put in front of it is not part of it."""
        return offset + self._grown[bisect.bisect_right(self._ends, offset)]

    def end(self, offset: int) -> int:
        """The end of one that stays."""
        return offset + self._grown[bisect.bisect_left(self._starts, offset)]

    def stays(self, offset: int) -> bool:
        return not any(e.start <= offset < e.end for e in self._near(offset, offset))

    def spare(self, start: int, end: int) -> bool:
        """Whether no edit is in a span, nor right beside it."""
        return not any(True for _ in self._near(start, end))

    def within(self, start: int, end: int) -> list[Edit]:
        """The edits inside of a span."""
        return [
            e
            for e in self._near(start, end)
            if (e.start < end and start < e.end) or (e.start == e.end and start < e.start < end)
        ]

    def beside(self, start: int, end: int) -> bool:
        """Whether something other than an indentation changes right in front of it or behind."""
        edits = self._near(start, end)
        return any(not self.indents(e) and (e.end == start or e.start == end) for e in edits)

    def indents(self, edit: Edit) -> bool:
        """Whether an edit changes nothing but space on a line."""
        return not (self._text[edit.start : edit.end] + edit.replacement).strip(" \t\f")

    def _near(self, start: int, end: int) -> Iterator[Edit]:
        for number in range(bisect.bisect_left(self._ends, start), len(self._edits)):
            if self._starts[number] > end:
                break
            yield self._edits[number]


def _first_lost(one: Version, moves: _Moves, other: Version, back: _Moves) -> int:
    """The line of the first node that no edit touches and the other tree does not have; or 0."""
    nodes = _near_edits(other, back)
    lost: list[int] = []
    todo: list[ast.AST] = [one.tree]
    while todo:
        node = todo.pop()
        if _place(node) is None:
            todo += children(node)
            continue
        # What has a place has all of it.
        start, end = one.text.span(node)  # type: ignore[arg-type]
        changed = moves.within(start, end)
        if all(map(moves.indents, changed)):
            begins, ends = moves.start(start), moves.end(end)
            image = nodes.get((*_at(other.text, begins), *_at(other.text, ends), node.__class__))
            if image is not None and (not changed or ast.dump(node) == ast.dump(image)):
                continue
            if image is not None or not moves.beside(start, end):
                lost.append(one.text.line_of(start))
                continue
        # Before Python 3.12 what stands in an f-string had other places than in the file.
        if not isinstance(node, ast.JoinedStr):
            todo += children(node)
    return min(lost, default=0)


def _near_edits(version: Version, moves: _Moves) -> dict[_Place, ast.AST]:
    """The nodes of a tree, without those below statements that edits spare."""
    found: dict[_Place, ast.AST] = {}
    todo: list[ast.AST] = [version.tree]
    for node in todo:  # grows while it is walked
        if (place := _place(node)) is not None:
            found[place] = node
        if not isinstance(node, ast.stmt) or not moves.spare(*version.text.span(node)):
            todo += children(node)
    return found


def _place(node: ast.AST) -> _Place | None:
    if not hasattr(node, "end_col_offset"):
        return None
    # By a look at one field, since every node of every version comes here.
    line, column = node.lineno, node.col_offset  # type: ignore[attr-defined]
    return line, column, node.end_lineno, node.end_col_offset, node.__class__  # type: ignore[attr-defined]


def _at(text: Text, offset: int) -> tuple[int, int]:
    """A line and a column in UTF-8 bytes, as `ast` counts."""
    line = text.line_of(offset)
    return line, len(text.text[text.line_start(line) : offset].encode())


def _first_moved(before: Version, moves: _Moves, after: Version, back: _Moves) -> int:
    """The line of the first statement that is no longer in its block; or 0."""
    old, new = list(_statements(before, moves)), list(_statements(after, back))
    begins = {statement.place for statement in new}
    kept = {
        statement.place: moved
        for statement in old
        if moves.stays(statement.place) and (moved := moves.start(statement.place)) in begins
    }
    old_blocks = _blocks(old, {place: place for place in kept})
    new_blocks = _blocks(new, {moved: place for place, moved in kept.items()})
    lost = [place for place, block in old_blocks.items() if new_blocks[place] != block]
    return before.text.line_of(min(lost)) if lost else 0


@dataclasses.dataclass(frozen=True, slots=True)
class _Statement:
    """A statement, an `except` or a `case`.

    Args:
        place: the offset of its first character.
        parent: that of what it stands in; -1 for the module.
        block: which part of that; what a docstring stands in is one of its own.
    """

    place: int
    parent: int
    block: str


def _statements(version: Version, moves: _Moves) -> Iterator[_Statement]:
    """Those that do not stand in one that edits spare, each behind what it stands in."""
    todo: list[tuple[ast.AST, int]] = [(version.tree, -1)]
    for node, place in todo:  # grows while it is walked
        for field in _BLOCKS:
            for number, child in enumerate(getattr(node, field, None) or ()):
                first = child.pattern if isinstance(child, ast.match_case) else child
                found = version.text.offset(first.lineno, first.col_offset)
                documents = not number and isinstance(node, _DOCUMENTED) and _is_text(child)
                yield _Statement(found, place, "docstring" if documents else field)
                if isinstance(child, ast.match_case) or not moves.spare(*version.text.span(child)):
                    todo.append((child, found))


def _is_text(node: ast.AST) -> bool:
    match node:
        case ast.Expr(value=ast.Constant(value=str())):
            return True
    return False


def _blocks(statements: Sequence[_Statement], kept: Mapping[int, int]) -> dict[int, _Block]:
    """By the old place of each statement that is kept, the innermost block that is kept."""
    around: dict[int, _Block] = {-1: (-1, "")}
    kept = {**kept, -1: -1}
    for each in statements:
        own = kept.get(each.parent)
        around[each.place] = around[each.parent] if own is None else (own, each.block)
    return {kept[place]: block for place, block in around.items() if place in kept}
