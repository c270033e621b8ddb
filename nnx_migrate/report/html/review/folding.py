"""Hunks with the same change for the same reason, which are reviewed as one.

Two hunks are alike when the words that differ are the same, with the words beside them, and when
their findings say the same apart from line numbers. What a check said of them has to be the same,
too: a difference is looked at on its own.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence

from nnx_migrate.core.findings import Finding, Proof
from nnx_migrate.report.html.lines import Line, Row
from nnx_migrate.report.html.words import Span

_NUMBER = re.compile(r"\d+")
_BEFORE = re.compile(r"(\w+|[^\w\s])?\s*\Z")
_AFTER = re.compile(r"\s*(\w+|[^\w\s])?")


def likeness(
    rows: Sequence[Row],
    old: Sequence[Line],
    new: Sequence[Line],
    own: Sequence[Finding],
    follows: Sequence[Finding],
    verdict: str,
) -> str:
    """Return a name that hunks have in common when they are alike.

    Args:
        rows: of the hunk.
        old: lines of the old side.
        new: lines of the new side.
        own: the findings told at the hunk.
        follows: those told elsewhere that it goes with.
        verdict: of the check; "" when nothing was checked.
    """
    changes = [part for row in rows if not row.equal for part in _change(row, old, new)]
    reasons = [part for finding in own for part in _reason(finding)]
    goes_with = [f"{finding.rule}\0{finding.outcome}" for finding in follows]
    text = "\1".join(["\2".join(each) for each in (changes, reasons, goes_with)] + [verdict])
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=9).hexdigest()


def _change(row: Row, old: Sequence[Line], new: Sequence[Line]) -> Iterator[str]:
    gone = None if row.old is None else old[row.old].text
    come = None if row.new is None else new[row.new].text
    if gone is None or come is None:
        yield "-" if come is None else "+"
        yield (gone or come or "").strip()
        return
    # Of a line in two versions only what differs is compared, with the words on both sides of it.
    yield from _marked(gone, row.old_marks)
    yield "\3"
    yield from _marked(come, row.new_marks)


def _marked(text: str, marks: Sequence[Span]) -> Iterator[str]:
    for start, stop in marks:
        before, after = _BEFORE.search(text[:start]), _AFTER.match(text, stop)
        yield f"{before[0] if before else ''}\4{text[start:stop]}\4{after[0] if after else ''}"


def _reason(finding: Finding) -> Iterator[str]:
    yield f"{finding.rule}\0{finding.outcome}\0{_NUMBER.sub('#', finding.message)}"
    for evidence in finding.evidence:
        if evidence.proof is not Proof.PROVED:
            yield f"{evidence.proof}\0{_NUMBER.sub('#', evidence.claim)}"
