"""What became of the pins of earlier runs: each stays as it stood, or goes with a finding."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from nnx_migrate.core.findings import Finding, KeptPin, Outcome
from nnx_migrate.rewrite.pinned.shapes import OldPin
from nnx_migrate.rewrite.pinned.withdrawn import Withdrawn
from nnx_migrate.rewrite.text.edits import Text
from nnx_migrate.rewrite.text.history import History

CODE = "old-pin"


class Told(Protocol):
    """What a round says of the pins that were taken out."""

    @property
    def restored(self) -> frozenset[OldPin]:
        """Those that it has put back."""

    @property
    def noted(self) -> Mapping[OldPin, tuple[Finding, ...]]:
        """What it found out about the sites of others."""


class Settlement:
    """Follows the pins of a file through its rounds.

    Args:
        own: the file without them.
        history: of its text; what takes them out is the first that it hears of.
    """

    def __init__(self, own: Withdrawn, history: History) -> None:
        self._own = own
        self._history = history
        self._text = Text(own.source.text)
        self._own_findings = {each.pin: self._gone(each.at or 0, each.pin) for each in own.pins}
        self._restored: set[OldPin] = set()
        self._noted: dict[OldPin, list[Finding]] = {}
        if own.edits:
            found = self._own_findings.items()
            owners = {edit: (finding,) for pin, finding in found for edit in pin.edits}
            history.advance(own.edits, owners)

    def note(self, told: Told) -> None:
        """Hear of a round."""
        self._restored |= told.restored
        for pin, findings in told.noted.items():
            self._noted.setdefault(pin, []).extend(findings)

    def close(self) -> list[Finding]:
        """The findings of pins that nothing keeps, and that no rule had to rewrite."""
        names: dict[Finding, tuple[Finding, ...]] = {}
        left: list[Finding] = []
        for pin, finding in self._own_findings.items():
            noted = self._noted.get(pin, [])
            told = noted if pin in self._restored else [f for f in noted if _changes(f)]
            if told:
                names[finding] = tuple(told)
            elif pin not in self._restored:
                left.append(finding)
        self._history.renamed(names)
        return left

    def kept(self) -> tuple[KeptPin, ...]:
        """Every pin of the file, with what is known of it."""
        text = self._own.text
        return tuple(self._kept(pin, text) for pin in self._own_findings) if text else ()

    def _kept(self, pin: OldPin, text: Text) -> KeptPin:
        line, column = text.line_and_column(pin.start)
        needed, findings = pin in self._restored, tuple(self._noted.get(pin, ()))
        return KeptPin(line, column, pin.transform, pin.written.value, pin.ours, needed, findings)

    def _gone(self, place: int, pin: OldPin) -> Finding:
        line, column = self._text.line_and_column(place)
        message = f"no longer kept in graph mode: nnx.{pin.transform} does not depend on it here"
        return Finding(CODE, line, column, Outcome.REWRITTEN, message)


def _changes(finding: Finding) -> bool:
    return finding.outcome is not Outcome.SAME
