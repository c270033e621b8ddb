"""The tree of a text without newer syntax, made what a newer Python would give for it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

_LINE_END = re.compile(r"\r\n|\r|\n")
#: What a string begins with.
_PREFIX = re.compile(r"\w*(?=[\"'])")
_DEFINED = re.compile(r"(?:async\s+)?(?:def|class)\s+\w+")
_GAP = re.compile(r"[ \t\r\n\\]*")
_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def as_newer(tree: ast.Module, text: str, blanked: str) -> ast.Module:
    """The tree that a newer Python would give for a text.

    Its type parameters are arguments, with their bounds for annotations: `ast.TypeVar` is newer.

    Args:
        tree: of the blanked text; it is changed.
    """
    places = _Places(text, blanked)
    for node in ast.walk(tree):
        if hasattr(node, "end_col_offset"):
            places.mend(node)
    changed = _Newer(places).visit(tree)
    assert isinstance(changed, ast.Module)
    return changed


class _Places:
    """Two texts with the same characters on each line, though not the same bytes."""

    def __init__(self, text: str, blanked: str) -> None:
        self._text, self._blanked = text, blanked
        self._starts = [0, *(match.end() for match in _LINE_END.finditer(text))]
        self._ends = [*self._starts[1:], len(text)]
        self._shifted = {
            line
            for line, (start, end) in enumerate(zip(self._starts, self._ends, strict=True), start=1)
            if len(text[start:end].encode()) != len(blanked[start:end].encode())
        }

    def mend(self, node: ast.AST) -> None:
        """Count the columns of a node in the bytes of the text as it is written."""
        for line, column in (("lineno", "col_offset"), ("end_lineno", "end_col_offset")):
            number = getattr(node, line)
            if number in self._shifted:
                start, end = self._starts[number - 1], self._ends[number - 1]
                before = self._blanked[start:end].encode()[: getattr(node, column)].decode()
                bytes_before = self._text[start : start + len(before)].encode()
                setattr(node, column, len(bytes_before))

    def offset(self, line: int, column: int) -> int:
        start, end = self._starts[line - 1], self._ends[line - 1]
        return start + len(self._text[start:end].encode()[:column].decode())

    def written(self, start: int, blanked: str) -> str:
        """What is written from a place on, where the blanked text has something else there."""
        known = self._text.startswith(blanked, start)
        return "" if known or not self._blanked.startswith(blanked, start) else self._text[start:]

    def behind(self, pattern: re.Pattern[str], start: int) -> str:
        """What is written behind a match at a place, where the blanked text has spaces."""
        match = pattern.match(self._text, start)
        gap = _GAP.match(self._blanked, match.end()) if match else None
        return self._text[gap.start() : gap.end()] if gap else ""

    def written_between(self, start: int, end: int, blanked: str) -> bool:
        return any(self.written(place, blanked) for place in range(start, end))


def _arguments(written: str) -> list[ast.arg]:
    """Type parameters, read as what they look like."""
    try:
        tree = ast.parse(f"def definition({written}): pass")
    except SyntaxError:
        return []
    match tree.body:
        case [ast.FunctionDef(args=ast.arguments(args=found))]:
            return found
    return []


class _Newer(ast.NodeTransformer):
    """Puts in what was blanked."""

    def __init__(self, places: _Places) -> None:
        self._places = places

    def generic_visit(self, node: ast.AST) -> ast.AST:
        for field in ("body", "orelse", "finalbody"):
            block = getattr(node, field, None)
            if isinstance(block, list):
                setattr(node, field, list(self._joined(block)))
        return super().generic_visit(node)

    def _joined(self, block: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
        """Statements with the soft keyword in front that was made one of its own."""
        keyword: ast.stmt | None = None
        for statement in block:
            if keyword is not None:
                statement.lineno, statement.col_offset = keyword.lineno, keyword.col_offset
                keyword = None
            elif self._is_keyword(statement):
                keyword = statement
                continue
            yield statement

    def _is_keyword(self, statement: ast.stmt) -> bool:
        match statement:
            case ast.Expr(value=ast.Name(id="type" | "lazy" as word)):
                place = self._places.offset(statement.lineno, statement.col_offset)
                return bool(self._places.written(place, f"{word};"))
        return False

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return self._with_parameters(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        return self._with_parameters(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        return self._with_parameters(node)

    def _with_parameters(self, node: _Definition) -> ast.AST:
        self.generic_visit(node)
        place = self._places.offset(node.lineno, node.col_offset)
        written = self._places.behind(_DEFINED, place).strip()
        if written:
            # Only Python 3.12 and newer have that field.
            node.type_params = _arguments(written[1:-1])  # type: ignore[union-attr]
        return node

    def visit_Tuple(self, node: ast.Tuple) -> ast.AST:
        self.generic_visit(node)
        place = self._places.offset(node.lineno, node.col_offset)
        prefix = _PREFIX.match(self._places.written(place, "("))
        first = node.elts[0] if node.elts else node
        # A tuple without parentheses may begin with one that was a string.
        bare = node.elts and (first.lineno, first.col_offset) == (node.lineno, node.col_offset)
        if bare or prefix is None or {"t", "T"} & set(prefix[0]):
            return node
        values: list[ast.expr] = [
            ast.copy_location(ast.FormattedValue(value, -1, None), node) for value in node.elts
        ]
        return ast.copy_location(ast.JoinedStr(values), node)

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> ast.AST:
        self.generic_visit(node)
        kinds: list[ast.expr] = []
        kind = node.type
        while isinstance(kind, ast.BinOp) and self._was_comma(kind):
            kinds.insert(0, kind.right)
            kind = kind.left
        if kinds and kind is not None and node.type is not None:
            elements = ast.Tuple([kind, *kinds], ast.Load())
            node.type = ast.copy_location(elements, node.type)
        return node

    def _was_comma(self, node: ast.BinOp) -> bool:
        assert node.left.end_lineno is not None
        assert node.left.end_col_offset is not None
        start = self._places.offset(node.left.end_lineno, node.left.end_col_offset)
        end = self._places.offset(node.right.lineno, node.right.col_offset)
        return self._places.written_between(start, end, "|")
