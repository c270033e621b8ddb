"""The report that a person reads: findings, then a summary of a few lines, then what to do next."""

from __future__ import annotations

import dataclasses
import enum
import os
import shlex
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from nnx_migrate.core.findings import FileResult, FileStatus, Outcome
from nnx_migrate.core.totals import ATTENTION, Totals
from nnx_migrate.report.human.causes import Shown, causes_of, shown_findings
from nnx_migrate.report.human.diagnostics import Diagnostics
from nnx_migrate.report.manuals import ENGINE_FINDINGS
from nnx_migrate.report.text import Paint, evidence_line, plural, printable


class Form(enum.StrEnum):
    """How findings are shown."""

    #: Each cause with its code, the reason and the way out.
    FULL = "full"
    #: Each finding on a line.
    CONCISE = "concise"
    #: Each cause on a line, with all of its places.
    GROUPED = "grouped"


@dataclasses.dataclass(frozen=True, slots=True)
class Look:
    """What a report for people looks like.

    Args:
        form: how findings are shown.
        verbose: list the sites that stay the same as well, and the evidence of each finding.
        quiet: findings alone, without the summary.
        statistics: count the causes instead of listing what was found.
        paint: how to colour it; None for not at all.
        table: draws the numbers of the rules; None for a plain list.
        width: columns that sentences are wrapped to; None for as long as they are.
    """

    form: Form = Form.CONCISE
    verbose: bool = False
    quiet: bool = False
    statistics: bool = False
    paint: Paint | None = None
    table: Callable[[Totals], str] | None = None
    width: int | None = None


def render_text(
    results: Iterable[FileResult],
    totals: Totals,
    look: Look,
    *,
    written: bool = True,
    next_steps: Sequence[str] = (),
) -> str:
    """Return the report of a run.

    Args:
        results: every file of the run.
        totals: what they add up to.
        look: how to show it.
        written: the files were changed; otherwise they would be.
        next_steps: lines that it ends with.
    """
    files = list(results)
    items = list(shown_findings(files, verbose=look.verbose))
    lines = list(_body(items, look))
    if not look.quiet:
        if lines and lines[-1]:
            lines.append("")
        lines.extend(_summary(totals, bool(files), written, look))
        if not files and totals.looked_at:
            lines[-1] += " None of them uses flax.nnx."
        if next_steps:
            lines.extend(["", *next_steps])
    while lines and not lines[-1]:
        lines.pop()
    return "".join(f"{line}\n" for line in lines)


def next_steps(
    items: Iterable[Shown],
    *,
    apply: str | None,
    check: str | None,
    explain: str | None,
    pins: str,
    paint: Paint | None,
) -> list[str]:
    """What a person does next, a line each.

    Args:
        items: what was found.
        apply: the command that does what is pending, if anything is.
        check: the command that compares old and new code, if there is new code.
        explain: the command that says more of a place, which is put behind it; None where the
            lines of the findings are no longer those of the files.
        pins: the command that lists what stays in graph mode, to name its files behind it.
        paint: how to colour it; None for not at all.
    """
    shown = list(items)
    lines = [f"{apply}  (to undo: nnx-migrate undo last)"] if apply else []
    if check:
        lines.append(f"{check}  (runs old and new code, and compares)")
    if left := [item.place for item in shown if item.for_a_person]:
        needs = "place needs you" if len(left) == 1 else "places need you"
        listed = ", ".join(left[:_SOME]) + (", ..." if len(left) > _SOME else "")
        lines.append(f"{len(left):,} {needs}: {listed}")
    if kept := [item for item in shown if item.word in _KEPT]:
        if explain:
            cell, line = kept[0].finding.in_cell, kept[0].finding.line
            at = f"{cell.cell}:{cell.line}" if cell is not None else str(line)
            lines.append(f"{explain} {shlex.quote(f'{kept[0].path}:{at}')}  (explains one place)")
        else:
            around = shlex.quote(_around([item.path for item in kept]))
            lines.append(f"{pins} {around}  (lists what stays in graph mode, and the way out)")
    lead = (paint or _plain)("place", "Next:")
    return [f"{lead if not number else '     '} {line}" for number, line in enumerate(lines)]


def _around(files: Sequence[str]) -> str:
    """The file, or the folder around all of them."""
    try:
        return os.path.commonpath(files) or "."
    except ValueError:  # named in two ways, or on two drives
        return "."


_SOME = 3
_KEPT = frozenset({Outcome.PINNED, Outcome.PINNED_MID})


def _plain(style: str, text: str) -> str:
    return text


def _body(items: Sequence[Shown], look: Look) -> Iterator[str]:
    paint = look.paint or _plain
    diagnostics = Diagnostics(paint, verbose=look.verbose, width=look.width)
    if look.statistics:
        return diagnostics.statistics(causes_of(items))
    match look.form:
        case Form.FULL:
            return diagnostics.full(causes_of(items))
        case Form.GROUPED:
            return diagnostics.grouped(causes_of(items))
        case Form.CONCISE:
            return _concise(items, look.verbose, paint)


def _concise(items: Iterable[Shown], verbose: bool, paint: Paint) -> Iterator[str]:
    for item in items:
        finding = item.finding
        rule = f"{paint('rule', finding.rule)}: " if finding.rule else ""
        told = printable(finding.message)
        yield f"{paint('place', item.place)}: {rule}{paint(item.word, item.word)}: {told}"
        if verbose:
            yield from map(evidence_line, finding.evidence)


def _summary(totals: Totals, used: bool, written: bool, look: Look) -> Iterator[str]:
    paint = look.paint or _plain
    files = totals.files
    changed = files[FileStatus.CHANGED]
    verb = "changed" if written else "would change"
    parts = [f"{plural(changed, 'file')} {verb}"]
    parts += [
        paint(status, f"{files[status]} {status}")
        for status in FileStatus
        if status in ATTENTION and files[status]
    ]
    looked_at = f"{', '.join(parts)}; {plural(totals.looked_at, 'file')} looked at."
    none = used and not changed and not totals.rules and len(parts) == 1
    yield f"{looked_at} The rules found nothing to do in them." if none else looked_at
    yield from _sites(totals, look)
    if look.form is Form.CONCISE and totals.outcomes[Outcome.MANUAL]:
        left = plural(totals.outcomes[Outcome.MANUAL], "place")
        yield f"{left} left for you, listed above; to explain a rule: nnx-migrate rule NAME"


def _sites(totals: Totals, look: Look) -> Iterator[str]:
    """Counts of what the rules found; files and comments with a problem are no sites of theirs."""
    other = {name: of for name, of in totals.rules.items() if name in ENGINE_FINDINGS}
    rules = {name: of for name, of in totals.rules.items() if name not in other}
    if rules:
        outcomes: Counter[Outcome] = Counter()
        for of in rules.values():
            outcomes.update(of)
        yield f"{plural(outcomes.total(), 'site')}: {_outcomes(outcomes)}."
        if look.table is not None:
            yield look.table(dataclasses.replace(totals, outcomes=outcomes, rules=rules))
        else:
            width = max(map(len, rules))
            for rule, of in rules.items():
                yield f"  {rule:<{width}}  {_outcomes(of)}"
    if other:
        listed = ", ".join(f"{sum(of.values())} {name}" for name, of in other.items())
        yield f"{'Other findings' if rules else 'Findings'}: {listed}."


def _outcomes(outcomes: Mapping[Outcome, int]) -> str:
    words = [f"{outcomes[outcome]} {outcome}" for outcome in Outcome if outcomes.get(outcome)]
    return ", ".join(words) or "none"
