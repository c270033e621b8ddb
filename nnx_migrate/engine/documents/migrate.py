"""Documents from facts to their migrated bytes: planned as one module, written back by block.

Doctests of a Python file are planned first, each docstring by itself, then the file around them.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Sequence

from nnx_migrate.analysis.facts import Analyses
from nnx_migrate.analysis.ir.build import index_module
from nnx_migrate.analysis.ir.parse import parse
from nnx_migrate.analysis.symbols.program import Project
from nnx_migrate.core.findings import (
    CellPlace,
    FileResult,
    FileStatus,
    Finding,
    KeptPin,
    Outcome,
    SourceEdit,
)
from nnx_migrate.engine.documents.edits import document_edits, whole_edit
from nnx_migrate.engine.explain import explain
from nnx_migrate.engine.migrate import plan
from nnx_migrate.rewrite.classes.edits import ClassPlan
from nnx_migrate.rewrite.model.context import Reader, nothing_else
from nnx_migrate.rewrite.text.edits import Edit, LineMap, Text, apply_edits
from nnx_migrate.sources.configuration import Options
from nnx_migrate.sources.documents.docstrings import read_docstrings
from nnx_migrate.sources.documents.document import CannotPlace, Document, Unread
from nnx_migrate.sources.documents.kinds import read_document
from nnx_migrate.sources.suppressions import parse_suppressions
from nnx_migrate.sources.text import Source

_MOST_NAMED = 5


def plan_document(
    document: Document,
    module: str,
    project: Project,
    options: Options,
    analyses: Analyses,
    read: Reader = nothing_else,
) -> FileResult:
    """Migrate the code of a document.

    Args:
        document: the document as it was read.
        module: the name of its virtual module in `project`.
        project: facts of all files, the virtual module included.
        options: which rules, and how far they may go.
        analyses: of projects.
        read: gives the other files.

    Raises:
        SyntaxError, RecursionError, MemoryError, ValueError: from Python's parser.
    """
    options = _kept_inside(document, options)
    result = plan(document.source, module, project, options, analyses, document.refuses, read)
    placed = [_placed(finding, document) for finding in result.findings]
    findings = _ordered([*placed, *unread_findings(document.unread)])
    kept = dataclasses.replace(
        result,
        before=document.data,
        after=document.data,
        findings=findings,
        edits=(),
        pins=tuple(_pin_placed(pin, document) for pin in result.pins),
    )
    if result.status is not FileStatus.CHANGED:
        return kept
    text = result.after.decode("utf-8")
    try:
        after = document.with_text(text)
    except CannotPlace as error:
        return _reverted(kept, str(error))
    if not _reads_back(document, after, text):
        return _reverted(kept, "the new code would not read back as written")
    places = {number: findings.index(finding) for number, finding in enumerate(placed)}
    edits = document_edits(document, text, result.edits, places)
    return dataclasses.replace(kept, after=after, edits=edits)


def _kept_inside(document: Document, options: Options) -> Options:
    """The options with the kept places by the lines of the virtual module."""
    inside = ((each, document.virtual_line(each.line)) for each in options.kept)
    known = tuple(dataclasses.replace(each, line=at) for each, at in inside if at is not None)
    return dataclasses.replace(options, kept=known) if options.kept else options


def unread_findings(unread: tuple[Unread, ...]) -> list[Finding]:
    """One finding for all code of a file that was not read and may concern the user."""
    left = [each for each in unread if each.mentions_nnx and not each.ignored]
    if not left:
        return []
    first = left[0]
    what = "cell" if first.place.cell else "block"
    places = [str(each.place.cell or f"line {each.place.line}") for each in left]
    named = ", ".join(places[:_MOST_NAMED]) + (", ..." if len(places) > _MOST_NAMED else "")
    if len(left) == 1:
        message = f"this {what} mentions nnx and could not be read: {first.reason}"
    else:
        message = (
            f"{len(left)} {what}s mention nnx and could not be read ({named}); the first: "
            f"{first.reason}"
        )
    cell = CellPlace(first.place.cell, first.place.cell_line, 1) if first.place.cell else None
    return [Finding("unread-code", first.place.line, 1, Outcome.MANUAL, message, (), cell)]


def plan_with_doctests(
    source: Source,
    module: str,
    project: Project,
    options: Options,
    analyses: Analyses,
    read: Reader = nothing_else,
    classes: ClassPlan | None = None,
) -> FileResult:
    """Migrate a Python file and the examples in its docstrings.

    Args:
        source: the file as it was read.
        module: its dotted module name in `project`.
        project: facts of all files, this one included.
        options: which rules, and how far they may go.
        analyses: of projects.
        read: gives the other files.
        classes: what is wanted of the classes of the project, as for `plan`.

    Raises:
        SyntaxError, RecursionError, MemoryError, ValueError: from Python's parser.
    """
    documents = list(read_docstrings(source, parse(source.text), module))
    if not documents or parse_suppressions(source.text).skip_file:
        return plan(source, module, project, options, analyses, read=read, classes=classes)
    findings = unread_findings(tuple(each for one in documents for each in one.unread))
    edits: list[Edit] = []
    meant = project.modules[module].meant
    for number, document in enumerate(documents):
        name = f"{module}@{number}"
        known = project.replacing(index_module(document.source, name, meant))
        result = plan(document.source, name, known, options, analyses, document.refuses)
        findings += [_placed(finding, document) for finding in result.findings]
        if result.status is FileStatus.CHANGED:
            changes = document.changes(result.after.decode("utf-8"))
            edits += [Edit(*span, new) for span, new, _ in changes]
        elif result.status is FileStatus.REVERTED:
            findings.append(_left(document, result.reason))
    text = apply_edits(source.text, edits)
    tested = dataclasses.replace(source, text=text, data=source.encode(text))
    if edits:
        project = project.replacing(index_module(tested, module, meant))
    lines = LineMap(len(Text(source.text).line_starts))
    lines.advance(Text(source.text), edits)
    line_of = lines.original
    result = plan(
        tested, module, project, options, analyses, read=read, original=line_of, classes=classes
    )
    moved = [_moved(finding, lines.original) for finding in result.findings]
    ordered = _ordered([*findings, *moved])
    if result.status is FileStatus.REVERTED or result.after == source.data:
        return dataclasses.replace(
            result, before=source.data, after=source.data, findings=ordered, edits=()
        )
    return dataclasses.replace(
        result,
        status=FileStatus.CHANGED,
        before=source.data,
        findings=ordered,
        edits=whole_edit(source, result.after, ordered)
        if edits
        else _renumbered(result.edits, [ordered.index(finding) for finding in moved]),
        encoding=source.encoding,
    )


def _renumbered(edits: Iterable[SourceEdit], places: Sequence[int]) -> tuple[SourceEdit, ...]:
    return tuple(
        dataclasses.replace(edit, findings=tuple(sorted({places[f] for f in edit.findings})))
        for edit in edits
    )


def _ordered(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    return tuple(sorted(findings, key=lambda f: (f.line, f.column, f.rule)))


def _left(document: Document, reason: str) -> Finding:
    line = document.blocks[0].places[0].line
    message = f"the examples in this docstring stay as they are: {reason}"
    return Finding("unread-code", line, 1, Outcome.MANUAL, message)


def _reverted(result: FileResult, reason: str) -> FileResult:
    return dataclasses.replace(result, status=FileStatus.REVERTED, findings=(), reason=reason)


def _reads_back(document: Document, after: bytes, text: str) -> bool:
    return document.reads_as(text, read_document(document.path, after))


def explain_document(
    document: Document, module: str, project: Project, options: Options, line: int, cell: int
) -> str:
    """Say what is known of the sites at a line of a document.

    Args:
        document: the document as it was read.
        module: the name of its virtual module in `project`.
        project: facts of all files, the virtual module included.
        options: which rules, and how far they may go.
        line: 1-based, in the file or, with `cell`, in that cell.
        cell: 1-based number of a cell, or 0.

    Raises:
        SyntaxError, RecursionError, MemoryError, ValueError: from Python's parser.
    """
    at = document.virtual_line(line, cell)
    place = f"cell {cell}:{line}" if cell else str(line)
    if at is None:
        return f"{document.path}:{place}: there is no Python code at this place\n"
    return explain(document.source, module, project, options, at)


def _placed(finding: Finding, document: Document) -> Finding:
    """A finding in the virtual module as one in its document."""
    if not finding.line:
        return finding
    place = document.place(finding.line)
    column, in_block = document.columns(finding.line, finding.column)
    in_cell = CellPlace(place.cell, place.cell_line, in_block) if place.cell else None
    return dataclasses.replace(finding, line=place.line, column=column, in_cell=in_cell)


def _pin_placed(pin: KeptPin, document: Document) -> KeptPin:
    place = document.place(pin.line)
    column, _ = document.columns(pin.line, pin.column)
    findings = tuple(_placed(finding, document) for finding in pin.findings)
    return dataclasses.replace(pin, line=place.line, column=column, findings=findings)


def _moved(finding: Finding, original: Callable[[int], int]) -> Finding:
    """A finding in a file whose examples were changed as one in the file as it was."""
    if not finding.line:
        return finding
    return dataclasses.replace(finding, line=original(finding.line))
