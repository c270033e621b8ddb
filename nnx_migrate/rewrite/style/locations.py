"""The edits of a file as their readers count: bytes, lines and columns of the file as it was."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator, Sequence

from nnx_migrate.analysis.ir.parse import parse
from nnx_migrate.core.findings import Finding, SourceEdit, apply_source_edits
from nnx_migrate.rewrite.style.units import units_of
from nnx_migrate.rewrite.text.edits import Text
from nnx_migrate.rewrite.text.history import Change, History
from nnx_migrate.sources.text import Source


def source_edits(
    source: Source, text: str, after: bytes, history: History, findings: Sequence[Finding]
) -> tuple[SourceEdit, ...]:
    """Return the edits that turn a file into what it became.

    Args:
        source: the file as it was.
        text: its text as it should be.
        after: the bytes of that.
        history: the rounds of edits between the two.
        findings: of the file, in the order of its result.
    """
    changes = list(history.changes())
    original = Text(source.text)
    units = units_of(changes, history, _statements(original))
    edits = _located(source, original, changes, units, findings)
    if apply_source_edits(source.data, edits, source.encoding) == after:
        return edits
    # In a codec with shift states, the bytes of a part of a text are no part of its bytes.
    owners = dict.fromkeys(itertools.chain.from_iterable(c.findings for c in changes))
    whole = Change(0, len(source.text), text, tuple(owners))
    return _located(source, original, [whole], [0], findings)


def _statements(text: Text) -> list[int]:
    starts = []
    for statement in parse(text.text).body:
        decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
        line = min([statement.lineno, *(d.lineno for d in decorators)])
        starts.append(text.line_start(line))
    return starts


def _located(
    source: Source,
    text: Text,
    changes: Sequence[Change],
    units: Sequence[int],
    findings: Sequence[Finding],
) -> tuple[SourceEdit, ...]:
    places: dict[Finding, list[int]] = {}  # of two calls in one that is written anew, one finding
    for place, finding in enumerate(findings):
        places.setdefault(finding, []).append(place)
    offsets = _byte_offsets(source, [at for c in changes for at in (c.start, c.end)])
    edits = []
    for change, unit in zip(changes, units, strict=True):
        start, end = next(offsets), next(offsets)
        line, end_line = text.line_of(change.start), text.line_of(change.end)
        edits.append(
            SourceEdit(
                start,
                end,
                line,
                change.start - text.line_start(line) + 1,
                end_line,
                change.end - text.line_start(end_line) + 1,
                change.replacement,
                tuple(sorted({at for finding in change.findings for at in places[finding]})),
                unit,
            )
        )
    return tuple(edits)


def _byte_offsets(source: Source, characters: Sequence[int]) -> Iterator[int]:
    """Where characters begin in the file; they are given in order."""
    position, offset = 0, len(source.data) - len(source.text.encode(source.encoding))
    for character in characters:
        offset += len(source.text[position:character].encode(source.encoding))
        position = character
        yield offset
