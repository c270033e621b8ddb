"""One function of a file as a LibCST module of its own, and what becomes of it put back by lines.

LibCST takes ten times as long as Python's parser, so it is given one function, never a file. A
function that is indented is parsed as the body of an `if`, which is taken off again.
"""

from __future__ import annotations

import ast
import dataclasses
import difflib
import itertools
from collections.abc import Iterator, Sequence

import libcst as cst
from libcst.metadata import (
    MetadataWrapper,
    PositionProvider,
    WhitespaceInclusivePositionProvider,
)

from nnx_migrate.rewrite.model.causes import FunctionCause
from nnx_migrate.rewrite.model.decisions import CannotEmit
from nnx_migrate.rewrite.text.edits import Edit, Text

_Span = tuple[int, int]


@dataclasses.dataclass(frozen=True, slots=True)
class FunctionText:
    """A function that was cut out of a file.

    Args:
        text: the file.
        start: where its first line begins, which may be that of a decorator.
        end: where its last line ends.
        header: what was put in front of it to parse it.
        tree: what LibCST made of both.
    """

    text: Text
    start: int
    end: int
    header: str
    tree: MetadataWrapper

    @classmethod
    def cut(
        cls, text: Text, function: ast.FunctionDef | ast.AsyncFunctionDef, newline: str, indent: str
    ) -> FunctionText:
        """Cut a function out.

        Args:
            text: the file.
            function: the definition, of the file's syntax tree.
            newline: how lines of the file end.
            indent: by how much it indents a block.

        Raises:
            CannotEmit: LibCST does not read it, or does not give it back as it is.
        """
        first = min([function.lineno, *(node.lineno for node in function.decorator_list)])
        last = function.end_lineno or function.lineno
        start = text.line_start(first)
        end = text.line_start(last + 1) if last < len(text.line_starts) else len(text.text)
        piece = text.text[start:end]
        header = f"if True:{newline}" if piece[:1] in {" ", "\t"} else ""
        config = cst.PartialParserConfig(default_newline=newline, default_indent=indent)
        try:
            module = cst.parse_module(header + piece, config)
        except cst.ParserSyntaxError as error:
            refusal = FunctionCause.NOT_READ.about(function=function.name, error=error.message)
            raise CannotEmit(refusal) from None
        found = cls(text, start, end, header, MetadataWrapper(module, unsafe_skip_copy=True))
        if module.code != header + piece or not _is_one_function(module, nested=bool(header)):
            raise CannotEmit(FunctionCause.NOT_GIVEN_BACK.about(function=function.name))
        return found

    def edits(self, module: cst.Module) -> list[Edit]:
        """The lines to replace so that the function becomes another one.

        Args:
            module: what became of the tree.

        Raises:
            CannotEmit: it no longer has the header.
        """
        code = module.code
        if not code.startswith(self.header):
            raise CannotEmit(FunctionCause.LEAVES_FUNCTION)
        old = list(_lines(self.text.text[self.start : self.end]))
        new = list(_lines(code[len(self.header) :]))
        starts = [self.start]
        for line in old:
            starts.append(starts[-1] + len(line))
        matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
        return [
            Edit(starts[a], starts[b], "".join(new[c:d]))
            for tag, a, b, c, d in matcher.get_opcodes()
            if tag != "equal"
        ]

    def spans(self) -> dict[cst.CSTNode, _Span]:
        """Where each node stands in the file, as `ast` counts: parentheses make tuples alone."""
        first = self.text.line_of(self.start) - (2 if self.header else 1)
        whole = self.tree.resolve(WhitespaceInclusivePositionProvider)
        found = {}
        for node, place in self.tree.resolve(PositionProvider).items():
            if isinstance(node, cst.Tuple | cst.GeneratorExp) and node.lpar:
                place = whole[node]
            if first + place.start.line < 1 or (self.header and place.start.line == 1):
                continue
            begins = self.text.line_start(first + place.start.line) + place.start.column
            ends = self.text.line_start(min(first + place.end.line, len(self.text.line_starts)))
            found[node] = begins, ends + place.end.column
        return found


def _is_one_function(module: cst.Module, *, nested: bool) -> bool:
    body: Sequence[cst.CSTNode] = module.body
    if nested and len(body) == 1 and isinstance(body[0], cst.If):
        body = body[0].body.body
    return len(body) == 1 and isinstance(body[0], cst.FunctionDef)


def _lines(text: str) -> Iterator[str]:
    """With their ends; what Python's parser counts as lines."""
    starts = [*Text(text).line_starts, len(text)]
    return (text[a:b] for a, b in itertools.pairwise(starts) if a < b)
