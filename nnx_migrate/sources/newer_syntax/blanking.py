"""Syntax that is newer than the Python that runs this, written for that one, place for place.

LibCST has a parser of its own, which knows it. What `ast` does not know is replaced by text of the
same length that it does know: lines and columns stay, and so does the code around:

    def f[T: int](x: T): ...        def f        (x: T): ...
    type Pair[T] = tuple[T, T]      type;Pair    = tuple[T, T]
    f"{x["a"]:>{width}} m"          ( x["a"],   width,   )
    except KeyError, OSError:       except KeyError| OSError:
    lazy import flax                lazy;import flax

The tree of that is made what a newer Python would give (`newer_tree`), and nothing else is ever
done with the text than to read it.
"""

from __future__ import annotations

import ast
import re
from typing import TypeVar

import libcst as cst

#: LibCST reads these in time and space that grow faster than they do.
_MOST_NESTED = 100
_MOST_CHAINED = 500
_MOST_CHARACTERS = 2_000_000

_STRING = r"\"\"\".*?\"\"\"|'''.*?'''|\"[^\"\n]*\"|'[^'\n]*'|\#[^\n]*"
_PIECE = re.compile(
    rf"{_STRING}|(?P<opens>[(\[{{])|(?P<closes>[)\]}}])|(?P<parts>[,;])|(?P<ends>[\r\n])"
    r"|(?P<joins>[-+*/%@&|^~<>.]|\b(?:not|lambda|await|if|for|and|or|in|is)\b)",
    re.DOTALL,
)
_Display = cst.FormattedString | cst.TemplatedString | cst.ConcatenatedString
_Generic = TypeVar("_Generic", cst.FunctionDef, cst.ClassDef, cst.TypeAlias)
_Lazy = cst.LazyImport | cst.LazyImportFrom
_LONE_RETURN = re.compile(r"\r(?!\n)")
_NOTHING = cst.SimpleWhitespace("")


def blanked(text: str) -> str | None:
    """A text without the syntax that this Python does not know; None when LibCST does not read it.

    What is still not known afterwards stays in it.
    """
    if not _is_modest(text):
        return None
    # LibCST does not know lines that end as those of old Macs did.
    written, text = text, _LONE_RETURN.sub("\n", text)
    try:
        module = cst.parse_module(text)
        found = module.visit(_Blanking(module)).code
    except (cst.ParserSyntaxError, cst.CSTValidationError, cst.CSTLogicError, RecursionError):
        return None
    return _laid_over(written, text, module.code, found)


def _laid_over(written: str, text: str, code: str, blanked: str) -> str | None:
    """The blanked code of LibCST with the spaces that it forgets and the line ends that it has not.

    It forgets those behind `!r` in a string, and in front of the colon of an `except`.

    Args:
        written: the text as it is.
        text: the same with line ends that LibCST knows.
        code: what LibCST makes of it.
        blanked: the same, without newer syntax.
    """
    if len(code) != len(blanked):
        return None
    found: list[str] = []
    place = 0
    for character, expected in zip(written, text, strict=True):
        if code.startswith(expected, place):
            found.append(character if character == "\r" else blanked[place])
            place += 1
        elif character in " \t":
            found.append(character)
        else:
            return None
    return "".join(found) if place == len(code) else None


def _is_modest(text: str) -> bool:
    """Whether nothing in a text is nested so deep, or chained so long, that LibCST would stall."""
    if len(text) > _MOST_CHARACTERS:
        return False
    chains = [0]
    for match in _PIECE.finditer(text):
        kind = match.lastgroup
        if kind == "opens":
            chains[-1] += 1
            chains.append(0)
        elif kind == "closes" and len(chains) > 1:
            chains.pop()
        elif kind == "joins":
            chains[-1] += 1
        elif kind == "parts" or (kind == "ends" and len(chains) == 1):
            chains[-1] = 0
        if len(chains) > _MOST_NESTED or chains[-1] > _MOST_CHAINED:
            return False
    return True


class _Written(cst.Name):
    """A name that is any text."""

    def _validate(self) -> None:
        """Let it be none that Python would take."""


class _Blanking(cst.CSTTransformer):
    """Replaces what is newer by other text.

    Args:
        module: what it is a part of.
    """

    def __init__(self, module: cst.Module) -> None:
        super().__init__()
        self._module = module
        self._pieces: set[cst.CSTNode] = set()
        self._indents: list[str] = []
        self._shown_before: list[int] = []
        self._number_shown = 0

    def _code(self, node: cst.CSTNode | cst.MaybeSentinel) -> str:
        return "" if isinstance(node, cst.MaybeSentinel) else self._module.code_for_node(node)

    def leave_FunctionDef(
        self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef
    ) -> cst.FunctionDef:
        return self._without_parameters(updated_node)

    def leave_ClassDef(
        self, original_node: cst.ClassDef, updated_node: cst.ClassDef
    ) -> cst.ClassDef:
        return self._without_parameters(updated_node)

    def leave_TypeAlias(
        self, original_node: cst.TypeAlias, updated_node: cst.TypeAlias
    ) -> cst.Expr:
        return self._behind("type", self._without_parameters(updated_node))

    def _without_parameters(self, node: _Generic) -> _Generic:
        """A definition with spaces for its type parameters."""
        if node.type_parameters is None:
            return node
        code = "".join(
            self._code(each)
            for each in (
                node.whitespace_after_name,
                node.type_parameters,
                node.whitespace_after_type_parameters,
            )
        )
        # Nothing is around them that would let a line end there.
        spaces = re.sub(r" (?=\r\n|\r|\n)", r"\\", _spaces(code))
        return node.with_changes(
            name=_Written(node.name.value + spaces),
            type_parameters=None,
            whitespace_after_name=_NOTHING,
            whitespace_after_type_parameters=cst.MaybeSentinel.DEFAULT
            if isinstance(node, cst.TypeAlias)
            else _NOTHING,
        )

    def leave_LazyImport(
        self, original_node: cst.LazyImport, updated_node: cst.LazyImport
    ) -> cst.Expr:
        return self._behind("lazy", updated_node)

    def leave_LazyImportFrom(
        self, original_node: cst.LazyImportFrom, updated_node: cst.LazyImportFrom
    ) -> cst.Expr:
        return self._behind("lazy", updated_node)

    def _behind(self, word: str, node: cst.TypeAlias | _Lazy) -> cst.Expr:
        """A statement behind the soft keyword that it begins with, which becomes one of its own."""
        code = self._code(node.with_changes(semicolon=cst.MaybeSentinel.DEFAULT))
        return cst.Expr(_Written(f"{word};{code[len(word) + 1 :]}"), semicolon=node.semicolon)

    def leave_ExceptHandler(
        self, original_node: cst.ExceptHandler, updated_node: cst.ExceptHandler
    ) -> cst.ExceptHandler:
        return updated_node.with_changes(type=self._either(updated_node.type))

    def leave_ExceptStarHandler(
        self, original_node: cst.ExceptStarHandler, updated_node: cst.ExceptStarHandler
    ) -> cst.ExceptStarHandler:
        return updated_node.with_changes(type=self._either(updated_node.type))

    def _either(self, kinds: cst.BaseExpression | None) -> cst.BaseExpression | None:
        """Several types of exceptions without parentheses, joined by an operator."""
        if not isinstance(kinds, cst.Tuple) or kinds.lpar:
            return kinds
        code = ""
        for number, element in enumerate(kinds.elements, start=1):
            code += self._code(element.value)
            code += self._code(element.comma).replace(
                ",", " " if number == len(kinds.elements) else "|"
            )
        return _Written(code)

    def visit_IndentedBlock(self, node: cst.IndentedBlock) -> None:
        self._indents.append(node.indent or self._module.default_indent)

    def leave_IndentedBlock(
        self, original_node: cst.IndentedBlock, updated_node: cst.IndentedBlock
    ) -> cst.IndentedBlock:
        self._indents.pop()
        return updated_node

    def leave_ParenthesizedWhitespace(
        self,
        original_node: cst.ParenthesizedWhitespace,
        updated_node: cst.ParenthesizedWhitespace,
    ) -> cst.ParenthesizedWhitespace:
        """Write out the indentation, which a node does not have when its code is asked for."""
        indent = "".join(self._indents)
        lines = [
            line.with_changes(indent=False, whitespace=_indented(indent, line.whitespace))
            if line.indent
            else line
            for line in updated_node.empty_lines
        ]
        last = updated_node.last_line
        if updated_node.indent:
            last = _indented(indent, last)
        return updated_node.with_changes(indent=False, empty_lines=lines, last_line=last)

    def visit_ConcatenatedString(self, node: cst.ConcatenatedString) -> None:
        self._pieces |= {node.left, node.right}
        self._shown_before.append(self._number_shown)

    def visit_FormattedString(self, node: cst.FormattedString) -> None:
        self._shown_before.append(self._number_shown)

    def visit_TemplatedString(self, node: cst.TemplatedString) -> None:
        self._shown_before.append(self._number_shown)

    def leave_ConcatenatedString(
        self, original_node: cst.ConcatenatedString, updated_node: cst.ConcatenatedString
    ) -> cst.BaseExpression:
        return self._shown(original_node, updated_node)

    def leave_FormattedString(
        self, original_node: cst.FormattedString, updated_node: cst.FormattedString
    ) -> cst.BaseExpression:
        return self._shown(original_node, updated_node)

    def leave_TemplatedString(
        self, original_node: cst.TemplatedString, updated_node: cst.TemplatedString
    ) -> cst.BaseExpression:
        return self._shown(original_node, updated_node)

    def _shown(self, original: _Display, updated: _Display) -> cst.BaseExpression:
        """A tuple of what a string formats, where the string, or one in it, is not known."""
        holds_none = self._shown_before.pop() == self._number_shown
        if original in self._pieces or (holds_none and _is_known(self._code(updated))):
            return updated
        self._number_shown += 1
        code = self._formats(updated.with_changes(lpar=(), rpar=()))
        return _Written(f"({code[1:-1]})", lpar=updated.lpar, rpar=updated.rpar)

    def _formats(self, node: cst.BaseExpression) -> str:
        """What a string formats, each with a comma behind, and spaces for the rest of it."""
        match node:
            case cst.ConcatenatedString():
                between = self._code(node.whitespace_between)
                return self._formats(node.left) + between + self._formats(node.right)
            case cst.FormattedString() | cst.TemplatedString():
                parts = "".join(map(self._part, node.parts))
                return _spaces(node.start) + parts + _spaces(node.end)
        return _spaces(self._code(node))

    def _part(self, part: cst.CSTNode) -> str:
        if not isinstance(part, cst.FormattedStringExpression | cst.TemplatedStringExpression):
            return _spaces(self._code(part))
        value = "".join(
            self._code(each)
            for each in (
                part.whitespace_before_expression,
                part.expression,
                part.whitespace_after_expression,
            )
        )
        whole = self._code(part)
        comma = " " if _ends_with_comma(part.expression) else ","
        if part.format_spec is None:
            return f" {value}{_spaces(whole[len(value) + 1 : -1])}{comma}"
        spec = "".join(map(self._part, part.format_spec))
        between = whole[len(value) + 1 : -len(spec) - 2]
        return f" {value}{_spaces(between)}{comma}{spec} "


def _ends_with_comma(node: cst.BaseExpression) -> bool:
    return (
        isinstance(node, cst.Tuple)
        and not node.lpar
        and isinstance(node.elements[-1].comma, cst.Comma)
    )


def _indented(indent: str, space: cst.SimpleWhitespace) -> cst.SimpleWhitespace:
    return cst.SimpleWhitespace(indent + space.value)


def _spaces(code: str) -> str:
    """Spaces for a code, on as many lines as it has."""
    return re.sub(r"[^\r\n]", " ", code)


def _is_known(code: str) -> bool:
    if code.lstrip("rR")[:1] in {"t", "T"}:
        return False
    try:
        ast.parse(f"({code}\n)")
    except (SyntaxError, ValueError):
        return False
    return True
