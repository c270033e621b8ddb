"""Which edits of a file go together, so that a part of a migration can be had without the rest.

Findings go together when they want the same edit, or edits that touch. Those of one round were
decided on the same text, none knowing of the others. What a later round found was decided on a
text that earlier findings had changed: it goes with those that changed the same definition, or with
all of them where none did. And what is sown is captured at all places of a file or at none.
"""

from __future__ import annotations

import bisect
from collections.abc import Sequence

from nnx_migrate.core.findings import Finding
from nnx_migrate.rewrite.text.history import Change, History


def units_of(changes: Sequence[Change], history: History, statements: Sequence[int]) -> list[int]:
    """Number the changes of a file, those that go together alike.

    Args:
        changes: in order.
        history: the rounds that made them.
        statements: where each statement of the module begins, as offsets of characters.
    """
    links = _Links()
    holders: dict[Finding, set[int]] = {}
    for change in changes:
        first, last = (bisect.bisect_right(statements, at) for at in (change.start, change.end))
        for finding in change.findings:
            links.join(change.findings[0], finding)
            holders.setdefault(finding, set()).update(range(first, last + 1))
    for finding in history.together:
        links.join(history.together[0], finding)
    rounds = history.rounds
    for finding, around in holders.items():
        earlier = [other for other in holders if rounds[other] < rounds[finding]]
        near = [other for other in earlier if not around.isdisjoint(holders[other])]
        for other in near or earlier:
            links.join(finding, other)
    numbers: dict[Finding, int] = {}
    return [
        numbers.setdefault(links.leader(change.findings[0]), len(numbers)) for change in changes
    ]


class _Links:
    """Findings in sets that grow together."""

    def __init__(self) -> None:
        self._above: dict[Finding, Finding] = {}

    def leader(self, finding: Finding) -> Finding:
        while (above := self._above.get(finding, finding)) is not finding:
            finding = above
        return finding

    def join(self, one: Finding, other: Finding) -> None:
        one, other = self.leader(one), self.leader(other)
        if one is not other:
            self._above[one] = other
