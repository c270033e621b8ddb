"""All rounds over one file, each on the text that the one before has left."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from nnx_migrate.analysis.facts import Analysis
from nnx_migrate.analysis.ir.build import index_tree
from nnx_migrate.analysis.sites.tree import Tree
from nnx_migrate.core.findings import Finding, Outcome
from nnx_migrate.rewrite.classes.edits import ClassPlan, class_edits
from nnx_migrate.rewrite.gate.checks import Gate, Refused
from nnx_migrate.rewrite.gate.untouched_nodes import Version
from nnx_migrate.rewrite.model.context import FileContext, Reader
from nnx_migrate.rewrite.model.rule import Rule
from nnx_migrate.rewrite.pinned.settlement import Settlement
from nnx_migrate.rewrite.pinned.withdrawn import Withdrawn
from nnx_migrate.rewrite.planner.chosen_mode import chosen_modes
from nnx_migrate.rewrite.planner.contradictions import contradictions
from nnx_migrate.rewrite.planner.decide import SiteKey, without_mode
from nnx_migrate.rewrite.planner.round import plan_round
from nnx_migrate.rewrite.split.unused_bindings import drop_unread
from nnx_migrate.rewrite.style.broken import broken
from nnx_migrate.rewrite.style.layout import line_after
from nnx_migrate.rewrite.style.line_width import shown
from nnx_migrate.rewrite.style.rejoined import rejoined
from nnx_migrate.rewrite.text.edits import Edit, LineMap, Text, apply_edits
from nnx_migrate.rewrite.text.history import History
from nnx_migrate.rewrite.text.original_place import likest, statement_at
from nnx_migrate.sources.suppressions import Suppression, Suppressions
from nnx_migrate.sources.text import Source

_MAX_ROUNDS = 20


class Rounds:
    """What has become of one file so far.

    Args:
        source: the file as it was read.
        asis: the same, with the facts of the project.
        refuses: says why a new text cannot be written back.
        read: gives the other files.
        own: the file without the pins of earlier runs, which is what all is planned on.
        classes: what is wanted of the classes of the project.
    """

    def __init__(
        self,
        source: Source,
        asis: FileContext,
        refuses: Callable[[str], str] | None,
        read: Reader,
        own: Withdrawn,
        classes: ClassPlan,
    ) -> None:
        self.source = own.source
        self.asis = asis
        self.refuses = refuses
        self.read = read
        self.classes = classes
        self.text = asis.text
        self.lines = LineMap(len(asis.text.line_starts))
        self.history = History(source.text)
        self.settlement = Settlement(own, self.history)
        self.pins = own.pins
        self.findings: list[Finding] = [*chosen_modes(asis), *contradictions(asis)]
        self.used: set[Suppression] = set()
        self._freed: dict[str, tuple[Finding, ...]] = {}
        self._root = asis.tree.root
        self._gate = Gate(Version(asis.text, asis.tree.root))

    def redefine(self, suppressions: Suppressions) -> str:
        """Change the definitions of classes, before anything else is decided.

        Returns:
            Why that cannot be kept, empty where it can.
        """
        context = self._first()
        wanted = class_edits(context, suppressions, self.classes)
        self.used |= wanted.suppressed
        edits = list(wanted.owners)
        if not edits or self._has_no_place(edits):
            return ""
        try:
            after = self._gate.changed(_version(context), edits)
        except Refused as refused:
            return f"{refused} (after changes of its classes)"
        self._advance(edits, wanted.owners)
        self._root = after.tree
        self.findings += dict.fromkeys(each for found in wanted.owners.values() for each in found)
        return ""

    def run(
        self, rules: Sequence[Rule], suppressions: Suppressions, others: Sequence[Rule] = ()
    ) -> str:
        """Rewrite the text; why that cannot be kept, empty where it can.

        Args:
            rules: those that run.
            others: those that do not, which may still need the pins of earlier runs.
        """
        unaffected = frozenset[SiteKey]()
        for number in range(_MAX_ROUNDS):
            asis = self._root is self.asis.tree.root
            context = self._first() if asis else self._next()
            result = plan_round(
                context,
                rules,
                suppressions,
                self.lines,
                first=number == 0,
                others=others,
                unaffected=unaffected,
            )
            unaffected = result.unaffected
            self.used |= result.suppressed
            self.settlement.note(result)
            self.pins = tuple(each for each in self.pins if each.pin not in result.restored)
            self.findings += result.findings
            for name, findings in result.freed.items():
                self._freed[name] = self._freed.get(name, ()) + findings
            if result.edits:
                try:
                    after = self._gate.changed(_version(context), result.edits)
                except Refused as refused:
                    names = ", ".join(sorted({finding.rule for finding in result.findings}))
                    return f"{refused} (after {names})"
                self._advance(result.edits, result.owners)
                self._root = after.tree
                self.history.together += result.together
                if result.left is None:
                    continue
                # A pin says which mode code ran in all along, and no decision rests on that. It is
                # enough to see that each is one to the next reader.
                context = self._next()
                if len(without_mode(context)) > result.left:
                    continue
            if not self._tidied(context):
                self.findings += result.standing
                self.findings += self.settlement.close()
                self._tidy_lines(context)
                return ""
        return "the rewrite did not settle"

    def _first(self) -> FileContext:
        return self._context(self.asis.analysis, self.asis.tree)

    def _next(self) -> FileContext:
        module, project = self.asis.tree.module, self.asis.project
        record = index_tree(self._root, module, self.source, project.modules[module].meant)
        analysis = self.asis.analysis.replacing(record)
        return self._context(analysis, Tree(self._root, module, analysis.project))

    def _context(self, analysis: Analysis, tree: Tree) -> FileContext:
        options = self.asis.options
        return FileContext(
            self.asis.path,
            self.text,
            tree,
            analysis,
            options,
            self.refuses,
            read=self.read,
            pins=self.pins,
            stays=self.classes.trees.stays,
            drops=self.classes.drops,
            kept_variables=self.classes.in_place.kept,
            original_line=self.lines.original,
            original_place=self._place,
        )

    def _place(self, start: int, end: int) -> tuple[int, int]:
        """Where in the file as it was, what stands in the text as it is now did."""
        was = self.asis.text
        line = self.lines.original(self.text.line_of(start))
        begin, stop = was.line_start(line), line_after(self.asis, line)
        place, kept = self.history.original(start)
        code = begin + len(was.indent_of_line(line))
        if not code <= place < stop:
            place, kept = code, False
        if not kept:
            statement = statement_at(self.asis.tree.root, line)
            behind = was.span(statement)[1] if statement is not None else stop
            place = likest(self.text.text, (start, end), was.text, (place, behind))
        return was.line_and_column(place)

    def _advance(self, edits: Sequence[Edit], owners: Mapping[Edit, tuple[Finding, ...]]) -> None:
        self.lines.advance(self.text, edits)
        self.history.advance(edits, owners)
        self.pins = tuple(each.advanced(edits) for each in self.pins)
        if edits:
            self.text = Text(apply_edits(self.text.text, edits))

    def _tidied(self, context: FileContext) -> bool:
        """Take out names that rewrites have freed, all that may go, if there are any."""
        removals = {
            name: edits for name in sorted(self._freed) if (edits := drop_unread(context, name))
        }
        reasons: dict[str, str] = {}
        for names in dict.fromkeys([tuple(removals), *((name,) for name in removals)]):
            owners = {edit: self._freed[name] for name in names for edit in removals[name]}
            if not owners or self._has_no_place(list(owners)):
                continue
            try:
                after = self._gate.changed(_version(context), list(owners))
            except Refused as refused:
                reasons |= dict.fromkeys(names, str(refused))
                continue
            self._advance(list(owners), owners)
            self._root = after.tree
            for name in names:
                del self._freed[name]
            return True
        self.findings += [self._left(removals[name][0], name, reasons[name]) for name in reasons]
        return False

    def _tidy_lines(self, context: FileContext) -> None:
        """Join lines that edits have made short enough for it, and break those made too long."""
        written = list(self.history.written())
        owners = rejoined(context, written)
        owners |= {
            edit: findings
            for edit, findings in broken(context, written, self._was_long).items()
            if all(edit.end <= other.start or other.end <= edit.start for other in owners)
        }
        if not owners or self._has_no_place(list(owners)):
            return
        try:
            after = self._gate.changed(_version(context), list(owners))
        except Refused:
            return
        self._advance(list(owners), owners)
        self._root = after.tree

    def _was_long(self, line: int) -> bool:
        """Whether the line that became this one was longer than lines of the file should be."""
        text, original = self.asis.text, self.lines.original(line)
        start = text.line_start(original)
        stood = text.text[start : line_after(self.asis, original)].rstrip()
        return shown(stood) > self.asis.options.width

    def _has_no_place(self, edits: Sequence[Edit]) -> bool:
        return self.refuses is not None and bool(self.refuses(apply_edits(self.text.text, edits)))

    def _left(self, removal: Edit, name: str, reason: str) -> Finding:
        """What is told of a name that the gate did not let go."""
        message = (
            f"{name} stays, although the code that used it changed: without it, {reason}; remove "
            "it by hand if nothing uses it"
        )
        line = self.lines.original(self.text.line_of(removal.start))
        return Finding("unread-name", line, 1, Outcome.MANUAL, message)


def _version(context: FileContext) -> Version:
    return Version(context.text, context.tree.root)
