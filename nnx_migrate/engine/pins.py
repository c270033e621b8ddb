"""What of a tree is kept in graph mode, by whom as far as that can be told, and what keeps it.

Each place that may be a pin is taken out in memory, and the tree is planned without: what is put
back is needed, for the reason that the rules give. What no pin is written like is somebody's own
choice, and is not asked about.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nnx_migrate.analysis.ir.parse import parse
from nnx_migrate.core.findings import FileResult, Finding, KeptPin, Outcome
from nnx_migrate.core.pins import Origin, PinnedPlace, Pins
from nnx_migrate.rewrite.pinned.inventory import GraphPlace, inventory
from nnx_migrate.rewrite.pinned.settlement import CODE as OLD_PIN
from nnx_migrate.rewrite.pinned.shapes import Written
from nnx_migrate.rewrite.pinned.syntax import Syntax
from nnx_migrate.rewrite.planner.chosen_mode import CODE as CHOSEN
from nnx_migrate.rewrite.text.edits import Text
from nnx_migrate.sources.documents.document import Document
from nnx_migrate.sources.documents.kinds import is_document, read_document, read_source
from nnx_migrate.sources.walk.scanning import read_file

#: What is said of a pin that nothing keeps any more, in the place of a rule.
NOT_NEEDED = "not-needed"


def pins_of(results: Sequence[FileResult]) -> Pins:
    """List what is kept in graph mode.

    Args:
        results: of a run that took out all that may be a pin, and wrote nothing.
    """
    places: list[PinnedPlace] = []
    transforms = pinned = unmigrated = 0
    for result in results:
        try:
            data = read_file(result.path)
            document = read_document(result.path, data) if is_document(result.path) else None
            text = read_source(result.path, data).text
            found = inventory(Syntax(Text(text), parse(text)))
        except (OSError, ValueError, SyntaxError, RecursionError, MemoryError):
            continue  # the run has said so
        transforms += found.transforms
        pinned += found.pinned
        places += _places(result, found.places, Text(text), document)
        unmigrated += _unmigrated(result)
    return Pins(tuple(places), transforms, pinned, unmigrated)


def _unmigrated(result: FileResult) -> int:
    """How many places have no pin, and would change."""
    at_pins = {finding for pin in result.pins for finding in pin.findings}
    changing = {
        (finding.line, finding.column)
        for finding in result.findings
        if finding.outcome in _CHANGING and finding.rule != OLD_PIN and finding not in at_pins
    }
    return len(changing)


_CHANGING = frozenset(
    {Outcome.REWRITTEN, Outcome.REWRITTEN_CHECKED, Outcome.PINNED, Outcome.PINNED_MID}
)


def _places(
    result: FileResult, found: Sequence[GraphPlace], text: Text, document: Document | None
) -> Iterator[PinnedPlace]:
    asked = {(pin.line, pin.column): pin for pin in result.pins}
    for each in found:
        line, column = text.line_and_column(each.start)
        cell = cell_line = 0
        if document is not None:
            there = document.place(line)
            cell, cell_line = there.cell, there.cell_line
            column, _ = document.columns(line, column)
            line = there.line
        pin = asked.get((line, column))
        told = _of_a_pin(pin) if pin is not None else _CHOSEN[each.written is Written.SETTER]
        yield PinnedPlace(
            result.path,
            line,
            column,
            cell,
            cell_line,
            f"nnx.{each.name}" if each.name else "",
            each.written.value,
            "mid" if each.sharing_only else "graph",
            *told,
        )


_LEAVE = "remove it by hand, if it is no longer wanted"
_CHOSEN = {
    True: (Origin.CHOSEN, CHOSEN, "the mode is set here", _LEAVE),
    False: (Origin.CHOSEN, CHOSEN, "the mode is chosen here", _LEAVE),
}


def _of_a_pin(pin: KeptPin) -> tuple[Origin, str, str, str]:
    origin = Origin.OURS if pin.ours else Origin.EITHER
    if pin.needed:
        (first, *_) = pin.findings
        return origin, first.rule, _reason(first.message), _way_out(first)
    option = "" if pin.ours else " --unpin"
    way_out = f"nnx-migrate apply{option} removes it"
    becomes = [f for f in pin.findings if f.outcome is not Outcome.SAME]
    around = [f for f in pin.findings if f.outcome is Outcome.SAME]
    told = next((f"{f.rule}: {f.message}" for f in (*becomes, *around)), "")
    return origin, NOT_NEEDED, told or "the code does not depend on the mode", way_out


def _reason(message: str) -> str:
    """A finding's message without the words that say what was done."""
    return message.partition(": ")[2] or message


def _way_out(finding: Finding) -> str:
    return finding.ways_out[0] if finding.ways_out else _LEAVE
