"""Findings for people, a cause at a time: the code, why it ended so, and what to do about it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from nnx_migrate.core.findings import Finding, Outcome, Proof
from nnx_migrate.core.permissions import Permission
from nnx_migrate.core.place import Location
from nnx_migrate.report.human.causes import Cause, Shown, places
from nnx_migrate.report.human.frames import Frame, Sources
from nnx_migrate.report.manuals import is_rule
from nnx_migrate.report.text import Paint, evidence_line, plural, printable, wrapped
from nnx_migrate.report.ways_out import alternatives

#: What a frame would only repeat: the diff shows the new code, and same code stays.
_DONE = frozenset({Outcome.REWRITTEN, Outcome.REWRITTEN_CHECKED, Outcome.SAME})
_PINNED = frozenset({Outcome.PINNED, Outcome.PINNED_MID})
#: What help says of these is all there is to say.
_ALLOWED_ABOVE = frozenset({Permission.DROP_RNGS, Permission.FORK_RNGS, Permission.LIFT_RNGS})
#: So many places are listed; --verbose lists all.
_SOME = 5
_NARROW = 20


class Diagnostics:
    """Writes causes for people.

    Args:
        paint: how to colour a text of a style.
        verbose: list every place, with its evidence.
        width: columns that sentences are wrapped to; None for as long as they are.
    """

    def __init__(self, paint: Paint, *, verbose: bool, width: int | None) -> None:
        self._paint = paint
        self._verbose = verbose
        self._width = width
        self._sources = Sources()

    def full(self, causes: Iterable[Cause]) -> Iterator[str]:
        """The code of each cause, why it ended so, the way out, and where else it is so."""
        for cause in causes:
            done = cause.first.word in _DONE
            yield from self._brief(cause) if done else self._framed(cause)
            yield ""

    def grouped(self, causes: Iterable[Cause]) -> Iterator[str]:
        """Each cause on a line, and all of its places below, a line for each file."""
        for cause in causes:
            yield from self._heading(cause)
            yield from self._all_places(cause.items)
            yield ""

    def statistics(self, causes: Iterable[Cause]) -> Iterator[str]:
        """Each cause on a line, with how often it was found."""
        rows = [(f"{len(cause.items):,}", cause.first) for cause in causes]
        wide = max((len(number) for number, _ in rows), default=0)
        for number, first in rows:
            head = f"{number:>{wide}}  "
            yield from self._headed(first, f"  {printable(first.finding.why)}", head)

    def _heading(self, cause: Cause) -> Iterator[str]:
        first = cause.first
        told = f"  {plural(len(cause.items), 'place')}: {printable(first.finding.why)}"
        yield from self._headed(first, told)

    def _headed(self, item: Shown, told: str, before: str = "") -> Iterator[str]:
        """Lines that begin with how something ended, which colours do not make longer."""
        plain = _in_words(item)
        first, *others = wrapped(f"{before}{plain}{told}", self._width, "  ")
        yield f"{before}{self._word(item)}{first.removeprefix(f'{before}{plain}')}"
        yield from others

    def _brief(self, cause: Cause) -> Iterator[str]:
        yield from self._heading(cause)
        if self._verbose:
            yield from self._all_places(cause.items)
        else:
            yield from wrapped(f"  {_some(cause.items)}", self._width, "  ")

    def _framed(self, cause: Cause) -> Iterator[str]:
        first, finding = cause.first, cause.first.finding
        more = f"  (1 of {len(cause.items):,} places)" if len(cause.items) > 1 else ""
        yield f"{self._word(first)}  {self._paint('place', first.place)}{more}"
        frame = self._sources.frame(first.result, finding)
        edge = " " * len(str(frame.number)) if frame is not None else " "
        if frame is not None:
            yield from self._code(frame, edge, _kept(finding), first.word)
        yield from self._note(edge, "why", printable(finding.why))
        for note in _notes(first):
            yield from self._note(edge, "note", note)
        for way in alternatives(finding):
            yield from self._note(edge, "help", printable(way))
        if is_rule(finding.rule):
            yield from self._note(edge, "docs", f"nnx-migrate rule {finding.rule}")
        if self._verbose:
            yield from self._all_places(cause.items)
        elif len(cause.items) > 1:
            yield from self._note(edge, "also", _some(cause.items[1:]))

    def _code(self, frame: Frame, edge: str, label: str, word: str) -> Iterator[str]:
        bar = self._paint("frame", "|")
        underline = self._paint(word, f"{'^' * frame.width}{' ' * bool(label)}{label}")
        yield f"{edge} {bar}"
        yield f"{self._paint('frame', str(frame.number))} {bar} {frame.code}"
        yield f"{edge} {bar} {' ' * frame.indent}{underline}"

    def _note(self, edge: str, title: str, text: str) -> Iterator[str]:
        lead = f"{edge} = {title}: "
        room = None if self._width is None else max(self._width - len(lead), _NARROW)
        lines = wrapped(text, room)
        mark = self._paint("frame", "=")
        for number, line in enumerate(lines):
            head = f"{edge} {mark} {self._paint('note', f'{title}:')} "
            yield f"{' ' * len(lead) if number else head}{line}"

    def _all_places(self, items: tuple[Shown, ...]) -> Iterator[str]:
        if not self._verbose:
            for line in places(items):
                yield from wrapped(f"  {line}", self._width, "  ")
            return
        for item in items:
            other = item.finding.message != items[0].finding.message
            told = f": {printable(item.finding.why)}" if other else ""
            yield f"  {self._paint('place', item.place)}{told}"
            for each in item.finding.evidence:
                yield from wrapped(evidence_line(each), self._width, "      ")

    def _word(self, item: Shown) -> str:
        rule = f"[{self._paint('rule', item.finding.rule)}]" if item.finding.rule else ""
        return f"{self._paint(item.word, item.word)}{rule}"


def _in_words(item: Shown) -> str:
    return f"{item.word}[{item.finding.rule}]" if item.finding.rule else str(item.word)


def _kept(finding: Finding) -> str:
    return printable(finding.message.partition(": ")[0]) if finding.outcome in _PINNED else ""


def _notes(first: Shown) -> Iterator[str]:
    """What a pin rests on that its message does not say, each with its place."""
    finding = first.finding
    if finding.outcome not in _PINNED:
        return
    for each in finding.evidence:
        where = each.where if isinstance(each.where, Location) else None
        here = where is not None and (where.path, where.line) == (first.result.path, finding.line)
        named = where is not None and str(where) in finding.message
        said = each.claim in finding.message or each.permission in _ALLOWED_ABOVE
        if here or said or (named and each.proof is not Proof.ASSUMED):
            continue
        told = where is None or named or str(where) in each.claim
        yield printable(each.claim if told else f"{each.claim} ({where})")


def _some(items: tuple[Shown, ...]) -> str:
    told = ", ".join(places(items[:_SOME]))
    more = len(items) - _SOME
    return f"{told} and {more:,} more (--verbose lists them)" if more > 0 else told
