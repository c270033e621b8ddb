"""Blocks of a page: lines behind an indentation, quote marks or prompts, which they keep."""

from __future__ import annotations

import ast
import dataclasses
import os
import re
from collections.abc import Iterator, Sequence

from nnx_migrate.sources.documents.chunks import Chunk, width
from nnx_migrate.sources.documents.document import Block, CannotPlace, Place, Unread, kept_lines
from nnx_migrate.sources.documents.ipython import IN_COMMAND, Read, read_cell
from nnx_migrate.sources.documents.ipython_lines import why_not
from nnx_migrate.sources.documents.mentions import ignores_unread, mentions_nnx
from nnx_migrate.sources.python_text import parse
from nnx_migrate.sources.text import newline_of

_PROMPT = re.compile(r"(?P<indent>[ \t]*)(?P<prompt>>>>|\.\.\.)(?: (?P<code>.*))?$")


@dataclasses.dataclass(frozen=True, slots=True)
class PageBlock:
    """Lines of code behind what stands in front of each.

    Args:
        raw: the lines as they stand, with their ends.
        start: where the first begins, in characters of the file.
        prefix: what stands in front of a new line.
        newline: what ends a new line.
        prompts: and then a prompt.
        literal: why a line with a backslash or quotes has no place in it, or "".
    """

    read: Read
    mark: str
    raw: tuple[str, ...]
    start: int
    prefix: str
    places: tuple[Place, ...]
    shows_last: bool
    newline: str
    prompts: bool = False
    literal: str = ""

    @property
    def code(self) -> tuple[str, ...]:
        return self.read.code

    @property
    def span(self) -> tuple[int, int]:
        return self.start, self.start + sum(map(len, self.raw))

    def columns(self, line: int, column: int) -> tuple[int, int]:
        column = self.read.column(line, column)
        return column + len(self.prefix) + (4 if self.prompts else 0), column

    def rendered(self, lines: Sequence[str]) -> str:
        new = self.read.restored(lines, self.mark)
        if not any(line.strip() for line in new):
            raise CannotPlace("its block would be empty")
        if self.literal and any("\\" in line or self.literal in line for line in new):
            raise CannotPlace("it would change the string around it")
        prompts = _prompts(new) if self.prompts else [""] * len(new)
        rendered = []
        for at, line, prompt in zip(kept_lines(self.code, lines), new, prompts, strict=True):
            if at is None:
                written = f"{self.prefix}{prompt}{line}"
                rendered.append((written if line.strip() else written.rstrip()) + self.newline)
            else:
                rendered.append(self.raw[at] if _end(self.raw[at]) else self.raw[at] + self.newline)
        if not _end(self.raw[-1]) and rendered:
            rendered[-1] = rendered[-1].removesuffix(self.newline)
        return "".join(rendered)


@dataclasses.dataclass(slots=True)
class PageReader:
    """Makes blocks of the chunks of a page, and keeps what it cannot read.

    Args:
        lines: the lines of the page with their ends.
        mark: what marks of IPython's syntax are made of.
        offset: the number of lines above them in the file.
        start: the number of characters above them.
        literal: the quotes of the string that the lines stand in, or "".
    """

    lines: Sequence[str]
    mark: str
    offset: int = 0
    start: int = 0
    literal: str = ""
    marks: int = 0
    unread: list[Unread] = dataclasses.field(default_factory=list)

    def blocks(self, chunks: Iterator[Chunk]) -> Iterator[Block]:
        """Yield the blocks in order."""
        newline = newline_of("".join(self.lines))
        starts = [self.start]
        for line in self.lines:
            starts.append(starts[-1] + len(line))
        for chunk in chunks:
            raw = self.lines[chunk.first : chunk.stop]
            split = _split(raw, chunk.quotes)
            if split is None:
                self._leave(chunk, raw, "its lines are not indented or quoted alike")
                continue
            prefix, codes = split
            if not any(map(str.strip, codes)):
                continue
            if chunk.prompts or next(c for c in codes if c.strip()).startswith(">>>"):
                yield from self._examples(chunk, starts, newline)
                continue
            read = read_cell(codes, self.mark, self.marks, names=False)
            self.marks += len(read.aside)
            for number in read.unseen:
                rest = Chunk(chunk.first + number, chunk.stop)
                self._leave(rest, self.lines[rest.first : rest.stop], IN_COMMAND)
            if read.reason:
                self._leave(chunk, raw, read.reason)
            elif not read.foreign:
                yield PageBlock(
                    read,
                    self.mark,
                    tuple(raw),
                    starts[chunk.first],
                    prefix,
                    self._places(chunk.first, chunk.stop),
                    chunk.shown,
                    newline,
                )

    def _examples(self, chunk: Chunk, starts: Sequence[int], newline: str) -> Iterator[Block]:
        """Each run of lines with prompts; what stands between them is output."""
        at = chunk.first
        while at < chunk.stop:
            first = _prompt(self.lines[at], chunk.quotes)
            if first is None or first["prompt"] != ">>>":
                at += 1
                continue
            codes: list[str] = []
            begin = at
            while at < chunk.stop and (found := _prompt(self.lines[at], chunk.quotes)) is not None:
                if found["indent"] != first["indent"]:
                    break
                codes.append(found["code"] or "")
                at += 1
            run = Chunk(begin, at)
            raw = self.lines[begin:at]
            reason = why_not(codes)
            if not reason and self.literal and any("\\" in line for line in raw):
                reason = "backslashes in a string that is not raw"
            if reason:
                self._leave(run, raw, reason)
                continue
            shown = at < chunk.stop and bool(self.lines[at].strip())
            places = self._places(begin, at)
            yield PageBlock(
                Read(tuple(codes)),
                self.mark,
                tuple(raw),
                starts[begin],
                first["indent"],
                places,
                shown,
                newline,
                prompts=True,
                literal=self.literal,
            )

    def _places(self, first: int, stop: int) -> tuple[Place, ...]:
        return tuple(Place(self.offset + number + 1) for number in range(first, stop))

    def _leave(self, chunk: Chunk, raw: Sequence[str], reason: str) -> None:
        place = self._places(chunk.first, chunk.first + 1)[0]
        self.unread.append(Unread(place, reason, mentions_nnx(raw), ignores_unread(raw)))


def _split(raw: Sequence[str], quotes: int) -> tuple[str, list[str]] | None:
    """What stands in front of every line, and what is left of each; None where they differ."""
    lead = re.compile(rf"[ \t]*(?:>[ \t]?){{{quotes}}}" if quotes else "")
    heads, rests = [], []
    for line in raw:
        line = line.rstrip("\r\n")
        head = lead.match(line)
        if head is None:
            return None
        heads.append(head[0])
        rests.append(line[head.end() :])
    filled = [n for n, rest in enumerate(rests) if rest.strip()]
    margins = [rests[n][: width(rests[n])] for n in filled]
    # Character by character, which the lint takes for a mistake with paths.
    margin = os.path.commonprefix(margins)  # noqa: RUF071
    codes = [rest[len(margin) :] if rest.strip() else "" for rest in rests]
    return heads[filled[0]] + margin if filled else "", codes


def _prompt(line: str, quotes: int) -> re.Match[str] | None:
    return _PROMPT.match(line.rstrip("\r\n")) if not quotes else None


def _prompts(lines: Sequence[str]) -> list[str]:
    """The prompt of each line: one example for each statement."""
    starts: set[int] = set()
    inside: set[int] = set()
    try:
        body = parse("\n".join(lines)).body
    except (SyntaxError, ValueError) as error:
        raise CannotPlace("its examples would not be Python") from error
    for statement in body:
        decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
        first = min([statement.lineno, *(each.lineno for each in decorators)])
        starts.add(first)
        inside.update(range(first + 1, (statement.end_lineno or first) + 1))
    prompts: list[str] = []
    for number, line in enumerate(lines, start=1):
        continues = number in inside or (not line.strip() and prompts and number not in starts)
        prompts.append("... " if continues else ">>> ")
    return prompts


def _end(line: str) -> str:
    return line[len(line.rstrip("\r\n")) :]
