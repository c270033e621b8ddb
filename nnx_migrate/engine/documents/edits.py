"""The edits of a document as its readers count, from those of its virtual module.

A block that changes is one edit: what one of its lines looks like depends on the others. So units
of edits that meet in a block are one unit.
"""

from __future__ import annotations

import itertools
import os
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from nnx_migrate.core.findings import Finding, Outcome, SourceEdit
from nnx_migrate.rewrite.text.edits import Edit, Text
from nnx_migrate.sources.documents.document import Document
from nnx_migrate.sources.text import Source, decode

_CHANGING = frozenset(Outcome) - {Outcome.MANUAL, Outcome.SAME}


def located_edit(
    text: Text, edit: Edit, findings: Iterable[int], unit: int, source: Source | None = None
) -> SourceEdit:
    """An edit of a text as one of its file.

    Args:
        text: the characters of the file.
        findings: places of the findings that want it.
        unit: number of the edits that go with it.
        source: how the file is stored, when it is not UTF-8 as it stands.
    """
    encoding = source.encoding if source else "utf-8"
    head = len(source.data) - len(source.text.encode(encoding)) if source else 0
    line, end_line = text.line_of(edit.start), text.line_of(edit.end)
    start = head + len(text.text[: edit.start].encode(encoding))
    return SourceEdit(
        start,
        start + len(text.text[edit.start : edit.end].encode(encoding)),
        line,
        edit.start - text.line_start(line) + 1,
        end_line,
        edit.end - text.line_start(end_line) + 1,
        edit.replacement,
        tuple(sorted(set(findings))),
        unit,
    )


def document_edits(
    document: Document, text: str, edits: Sequence[SourceEdit], places: Mapping[int, int]
) -> tuple[SourceEdit, ...]:
    """Return the edits that turn a document into what it became.

    Args:
        document: the document as it was.
        text: its virtual module as it became.
        edits: those of the virtual module.
        places: for the place of each finding of the virtual module that of the document's finding.
    """
    blocks: dict[int, list[SourceEdit]] = defaultdict(list)
    for edit in edits:
        blocks[document.block_at(edit.line)].append(edit)
    units = _joined(blocks.values())
    raw = Text(document.raw)
    found = []
    for span, new, block in document.changes(text):
        wanted = blocks[block]
        findings = {places[f] for edit in wanted for f in edit.findings} or set(places.values())
        unit = units[wanted[0].unit] if wanted else 0
        found.append(located_edit(raw, _trimmed(document.raw, span, new), findings, unit))
    return tuple(found)


def whole_edit(source: Source, after: bytes, findings: Sequence[Finding]) -> tuple[SourceEdit, ...]:
    """One edit from the first line that differs to the last, for all that a file gets.

    Args:
        source: the file as it was.
        after: its bytes as they should be.
        findings: of the file.
    """
    wanted = [n for n, finding in enumerate(findings) if finding.outcome in _CHANGING]
    text = Text(source.text)
    new = decode(source.path, after).text
    edit = _trimmed(source.text, (0, len(source.text)), new)
    return (located_edit(text, edit, wanted, 0, source),)


def _trimmed(raw: str, span: tuple[int, int], new: str) -> Edit:
    """The edit of the lines that differ."""
    start, end = span
    old = raw[start:end]
    # Character by character, which the lint takes for a mistake with paths.
    same = old.rfind("\n", 0, len(os.path.commonprefix([old, new]))) + 1  # noqa: RUF071
    old, new, start = old[same:], new[same:], start + same
    tail = len(os.path.commonprefix([old[::-1], new[::-1]]))  # noqa: RUF071
    cut = old.find("\n", len(old) - tail)
    if tail and cut != -1:
        kept = len(old) - cut
        old, new, end = old[:-kept], new[:-kept], end - kept
    return Edit(start, end, new)


def _joined(groups: Iterable[Sequence[SourceEdit]]) -> dict[int, int]:
    """For each unit the number of the one that it goes with: those of one block go together."""
    sets: list[set[int]] = []
    for group in groups:
        units = {edit.unit for edit in group}
        meeting = [each for each in sets if each & units]
        sets = [each for each in sets if not each & units]
        sets.append(set(itertools.chain(units, *meeting)))
    ordered = sorted(sets, key=min)
    return {unit: number for number, units in enumerate(ordered) for unit in units}
