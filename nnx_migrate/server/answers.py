"""What an editor is told of a file: diagnostics, code actions and hovers, from one result."""

from __future__ import annotations

import dataclasses
import difflib
import re
from collections.abc import Iterable, Iterator, Sequence

from lsprotocol import types
from pygls.workspace import PositionCodec

from nnx_migrate.core.findings import FileResult, Finding, Outcome, SourceEdit
from nnx_migrate.core.place import Location
from nnx_migrate.report.human.frames import name_at
from nnx_migrate.report.levels import Level, Told, told_of
from nnx_migrate.report.manuals import manual_of
from nnx_migrate.report.ways_out import alternatives, with_help

SOURCE = "nnx-migrate"
FIX_ALL = f"{types.CodeActionKind.SourceFixAll.value}.{SOURCE}"
_LINE_END = re.compile(r"\r\n|\r|\n")
_SEVERITIES = {
    Level.ERROR: types.DiagnosticSeverity.Error,
    Level.WARNING: types.DiagnosticSeverity.Warning,
    Level.NOTE: types.DiagnosticSeverity.Information,
}
_TITLES = {
    Outcome.REWRITTEN: "Rewrite for tree mode",
    Outcome.REWRITTEN_CHECKED: "Rewrite for tree mode, with a check when traced",
    Outcome.PINNED: "Keep in graph mode, visibly",
    Outcome.PINNED_MID: "Keep in mid mode, visibly",
}


@dataclasses.dataclass(frozen=True, slots=True)
class Answers:
    """One version of an open file, and what is known of it.

    Args:
        uri: the file, as the editor names it.
        version: of the text.
        text: what was looked at.
        result: what came of it.
        codec: counts columns as the editor does.
    """

    uri: str
    version: int | None
    text: str
    result: FileResult
    codec: PositionCodec

    def diagnostics(self) -> list[types.Diagnostic]:
        """The findings of the file."""
        return [self._diagnostic(each) for each in told_of(self.result, written=False)]

    def diagnostics_later(self, text: str) -> list[types.Diagnostic]:
        """The findings on lines that a later text has too, where it has them."""
        lines = dict(self._kept_lines(text))
        found = []
        for each in self.diagnostics():
            if each.range.start.line not in lines:
                continue
            _move(each.range, lines[each.range.start.line])
            related = each.related_information or []
            beside = [one for one in related if one.location.uri != self.uri]
            for one in related:
                here = one.location
                if here.uri == self.uri and here.range.start.line in lines:
                    _move(here.range, lines[here.range.start.line])
                    beside.append(one)
            each.related_information = beside or None
            found.append(each)
        return found

    def actions(
        self, asked: types.Range, only: Sequence[str] | None = None
    ) -> list[types.CodeAction]:
        """The rewrites of the sites in a range, each alone, and that of the whole file.

        Args:
            asked: the range.
            only: kinds of actions, of which all or one is wanted; None for any.
        """
        return _offered(self._all_actions(only), asked)

    def actions_later(
        self, text: str, asked: types.Range, only: Sequence[str] | None = None
    ) -> list[types.CodeAction]:
        """The same in a later text, on lines that stand in both: what each edits is not known yet.

        Args:
            text: the later one.
            asked: a range in it.
            only: as for `actions`.
        """
        lines = dict(self._kept_lines(text))
        found = []
        for each in self._all_actions(only):
            for diagnostic in each.diagnostics or ():
                if (line := lines.get(diagnostic.range.start.line)) is None:
                    break
                _move(diagnostic.range, line)
                # Its places may have moved otherwise, and say nothing of what is edited.
                diagnostic.related_information = None
            else:
                found.append(each)
        offered = _offered(found, asked)
        for each in offered:
            each.edit = None
        return offered

    def edit_of(self, action: types.CodeAction) -> types.WorkspaceEdit | None:
        """What an action of `actions_later` edits; None where there is no such action any more."""
        for each in self._all_actions(None):
            if (each.kind, each.title, _start(each)) == (action.kind, action.title, _start(action)):
                return each.edit
        return None

    def hover(self, position: types.Position) -> types.Hover | None:
        """The page of the rule that has found something there."""
        for each in told_of(self.result, written=False):
            where = self._range(each.finding)
            if each.finding.line and _holds(where, position):
                told = [f"**{each.finding.message}**"]
                told += [f"help: {way}" for way in alternatives(each.finding)]
                page = "\n\n".join([*told, "---", manual_of(each.finding.rule)])
                value = types.MarkupContent(kind=types.MarkupKind.Markdown, value=page)
                return types.Hover(contents=value, range=where)
        return None

    def hover_later(self, text: str, position: types.Position) -> types.Hover | None:
        """The same in a later text, for a line that stands in both; None for any other.

        Args:
            text: the later one.
            position: in it.
        """
        for old, new in self._kept_lines(text):
            if new == position.line:
                found = self.hover(types.Position(old, position.character))
                if found is not None and found.range is not None:
                    _move(found.range, new)
                return found
        return None

    def _kept_lines(self, text: str) -> Iterator[tuple[int, int]]:
        """The lines that stand in a later text, too: where they stood, and where they stand."""
        matcher = difflib.SequenceMatcher(None, self._lines, _LINE_END.split(text), autojunk=False)
        for old, new, size in matcher.get_matching_blocks():
            yield from zip(range(old, old + size), range(new, new + size), strict=True)

    def _all_actions(self, only: Sequence[str] | None) -> Iterator[types.CodeAction]:
        if _wanted(types.CodeActionKind.QuickFix.value, only):
            yield from self._quick_fixes()
        if self.result.edits and _wanted(FIX_ALL, only):
            edit = self._edit(self.result.edits)
            title = "Migrate this file to tree mode"
            yield types.CodeAction(title=title, kind=FIX_ALL, edit=edit)

    def _quick_fixes(self) -> Iterator[types.CodeAction]:
        for each in told_of(self.result, written=False):
            # Edits that go together are made together, whichever of their sites is asked about.
            units = {edit.unit for edit in self.result.edits if each.place in edit.findings}
            if not units:
                continue
            whole = [edit for edit in self.result.edits if edit.unit in units]
            outcome = each.finding.outcome
            yield types.CodeAction(
                title=f"{_TITLES.get(outcome, 'Migrate')} ({each.finding.rule})",
                kind=types.CodeActionKind.QuickFix,
                diagnostics=[self._diagnostic(each)],
                is_preferred=outcome is Outcome.REWRITTEN,
                edit=self._edit(whole),
            )

    def _diagnostic(self, each: Told) -> types.Diagnostic:
        finding = each.finding
        return types.Diagnostic(
            range=self._range(finding),
            message=with_help(finding),
            severity=_SEVERITIES[each.level],
            code=finding.rule,
            source=SOURCE,
            related_information=list(_related(finding)) or None,
        )

    def _range(self, finding: Finding) -> types.Range:
        start = self._position(finding.line or 1, finding.column or 1)
        line = self._lines[finding.line - 1] if 0 < finding.line <= len(self._lines) else ""
        name = name_at(line, finding.column) if finding.line else ""
        end = types.Position(start.line, start.character + self.codec.client_num_units(name))
        return types.Range(start, end)

    def _edit(self, edits: Sequence[SourceEdit]) -> types.WorkspaceEdit:
        document = types.OptionalVersionedTextDocumentIdentifier(uri=self.uri, version=self.version)
        changes: list[types.TextEdit | types.AnnotatedTextEdit | types.SnippetTextEdit] = [
            types.TextEdit(
                range=types.Range(
                    self._position(edit.line, edit.column),
                    self._position(edit.end_line, edit.end_column),
                ),
                new_text=edit.replacement,
            )
            for edit in edits
        ]
        return types.WorkspaceEdit(document_changes=[types.TextDocumentEdit(document, changes)])

    def _position(self, line: int, column: int) -> types.Position:
        text = self._lines[line - 1] if 0 < line <= len(self._lines) else ""
        return types.Position(line - 1, self.codec.client_num_units(text[: column - 1]))

    @property
    def _lines(self) -> list[str]:
        return _LINE_END.split(self.text)


def _offered(found: Iterable[types.CodeAction], asked: types.Range) -> list[types.CodeAction]:
    """Those of a range, and those of the whole file; what makes the same edit is offered once."""
    offered: list[types.CodeAction] = []
    for each in found:
        meets = all(_meet(one.range, asked) for one in each.diagnostics or ())
        if meets and not any((each.kind, each.edit) == (one.kind, one.edit) for one in offered):
            offered.append(each)
    return offered


def _start(action: types.CodeAction) -> types.Position | None:
    """Where the finding begins that an action is for; None for one of the whole file."""
    return action.diagnostics[0].range.start if action.diagnostics else None


def _move(where: types.Range, line: int) -> None:
    """Have a range begin on another line, counted from zero."""
    where.end.line += line - where.start.line
    where.start.line = line


def _related(finding: Finding) -> Iterator[types.DiagnosticRelatedInformation]:
    """The places that show what the outcome rests on."""
    for each in finding.evidence:
        if isinstance(each.where, Location) and each.where.line:
            start = types.Position(each.where.line - 1, 0)
            place = types.Location(each.where.path.absolute().as_uri(), types.Range(start, start))
            yield types.DiagnosticRelatedInformation(place, f"{each.proof}: {each.claim}")


def _wanted(kind: str, only: Sequence[str] | None) -> bool:
    """Whether an editor that asks for some kinds, such as `source.fixAll`, asks for this one."""
    return only is None or any(kind == each or kind.startswith(f"{each}.") for each in only)


def _holds(where: types.Range, position: types.Position) -> bool:
    return where.start <= position <= where.end


def _meet(one: types.Range, other: types.Range) -> bool:
    return one.start <= other.end and other.start <= one.end
